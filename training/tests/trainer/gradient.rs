use kibitzer_trainer::example::Example;
use kibitzer_trainer::example::Target;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::row::{LANES, Row};
use kibitzer_trainer::shape::{Architecture, Shape};

use crate::fixtures::samples;

fn examples(shape: &Shape) -> Vec<Example> {
    let target = Target { scale: 200, result_weight: 0.3 };
    samples(60, 21).iter().step_by(7).map(|sample| Example::new(sample, shape, &target)).collect()
}

/// The mean loss with one weight moved.
fn loss_with_weight_moved(
    network: &Network,
    batch: &[Example],
    power: f32,
    (group, row, neuron): (usize, usize, usize),
    by: f32,
) -> f64 {
    let mut network = network.clone();
    *network.parameter_groups_mut()[group].value[row].get_mut(neuron) += by;
    network.refresh();
    network.loss(batch, power) / batch.len() as f64
}

/// Compares the computed gradient with the slope of the loss, measured with steps of this size.
fn check_gradient(architecture: Architecture, king_buckets: &str, power: f32, step: f32) {
    let buckets = KingBuckets::parse(king_buckets).expect("a table of that name");
    let shape = Shape::new(architecture, LANES, buckets, 8).expect("a shape");
    let batch = examples(&shape);
    let mut network = Network::random(shape, Rounding::Exact, 5);
    network.accumulate_gradient(&batch, power);

    let gradients: Vec<Vec<Row>> =
        network.parameter_groups().iter().map(|group| group.gradient.clone()).collect();
    for (group, gradient) in gradients.iter().enumerate() {
        let largest =
            gradient.iter().flat_map(Row::iter).fold(0.0, |most: f32, g| most.max(g.abs()));
        assert!(largest > 0.0, "group {group} has no gradient");
        let rows = gradient
            .iter()
            .enumerate()
            .filter(|(_, row)| row.iter().any(|g| g.abs() > largest / 10.0));
        let (mut compared, mut squares) = (0, 0.0);
        for (row, gradient) in rows.take(25) {
            for neuron in (0..LANES).step_by(5) {
                let place = (group, row, neuron);
                let rise = loss_with_weight_moved(&network, &batch, power, place, step)
                    - loss_with_weight_moved(&network, &batch, power, place, -step);
                let measured = rise / f64::from(2.0 * step);
                let computed = f64::from(gradient.get(neuron));
                let error = (measured - computed).abs() / f64::from(largest);
                // A step may pass the kink of an activation, so single weights may differ more.
                assert!(error < 0.1, "group {group} {place:?}: {measured}, computed {computed}");
                squares += error * error;
                compared += 1;
            }
        }
        let error = (squares / f64::from(compared)).sqrt();
        assert!(compared >= 7 && error < 0.03, "group {group}: {error} of {largest}, {compared}");
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    check_gradient(Architecture::SingleLayer, "none", 2.0, 1e-2);
}

#[test]
fn the_gradient_is_the_slope_of_the_loss_with_king_buckets_and_another_power() {
    check_gradient(Architecture::SingleLayer, "4", 2.5, 1e-2);
}

#[test]
fn the_gradient_of_a_layered_network_is_the_slope_of_the_loss() {
    check_gradient(Architecture::Layered, "none", 2.0, 5e-3);
    check_gradient(Architecture::Layered, "4", 2.5, 5e-3);
}
