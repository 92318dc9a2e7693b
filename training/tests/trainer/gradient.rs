use kibitzer_trainer::example::Example;
use kibitzer_trainer::example::Target;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::optimiser::Parameters;
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::row::LANES;
use kibitzer_trainer::shape::Shape;

use crate::fixtures::samples;

/// The change of a weight in either direction.
const STEP: f32 = 1e-2;

fn examples(shape: &Shape) -> Vec<Example> {
    let target = Target { scale: 200, result_weight: 0.3 };
    samples(6, 21).iter().step_by(7).map(|sample| Example::new(sample, shape, &target)).collect()
}

/// A parameter group: those of the tile in their order, then the output biases.
fn group(network: &mut Network, number: usize) -> &mut Parameters {
    if network.tiles[0].parameter_groups().count() == number {
        return &mut network.output_bias;
    }
    network.tiles[0].parameter_groups_mut().nth(number).expect("a group")
}

/// The mean loss with one weight moved.
fn loss_with_weight_moved(
    network: &Network,
    batch: &[Example],
    power: f32,
    (number, row, neuron): (usize, usize, usize),
    by: f32,
) -> f64 {
    let mut network = network.clone();
    *group(&mut network, number).value[row].get_mut(neuron) += by;
    network.tiles[0].refresh();
    network.loss(batch, power) / batch.len() as f64
}

fn check_gradient(king_buckets: &str, power: f32) {
    let buckets = KingBuckets::parse(king_buckets).expect("a table of that name");
    let shape = Shape::new(LANES, buckets, 8).expect("a shape");
    let batch = examples(&shape);
    let mut network = Network::random(shape, Rounding::Exact, 5);
    network.accumulate_gradient(&batch, power);

    let groups = network.tiles[0].parameter_groups().count() + 1;
    let mut compared = 0;
    for number in 0..groups {
        let gradient = group(&mut network, number).gradient.clone();
        let largest =
            gradient.iter().flat_map(|row| row.iter()).fold(0.0, |most: f32, g| most.max(g.abs()));
        assert!(largest > 0.0, "group {number} has no gradient");
        let rows = gradient
            .iter()
            .enumerate()
            .filter(|(_, row)| row.iter().any(|g| g.abs() > largest / 10.0));
        for (row, gradient) in rows.take(25) {
            for neuron in (0..LANES).step_by(5) {
                let place = (number, row, neuron);
                let rise = loss_with_weight_moved(&network, &batch, power, place, STEP)
                    - loss_with_weight_moved(&network, &batch, power, place, -STEP);
                let measured = rise / f64::from(2.0 * STEP);
                let computed = f64::from(gradient.get(neuron));
                let error = (measured - computed).abs();
                assert!(
                    error < 0.03 * f64::from(largest),
                    "group {number} {place:?}: {measured} measured, {computed} computed"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    check_gradient("none", 2.0);
}

#[test]
fn the_gradient_is_the_slope_of_the_loss_with_king_buckets_and_another_power() {
    check_gradient("4", 2.5);
}
