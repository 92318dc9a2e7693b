//! The layered network: its integer form and its file.

use kibitzer_trainer::config::Config;
use kibitzer_trainer::example::{Example, Target};
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::layered::pair_order::{self, PairActivity};
use kibitzer_trainer::layered::quantised::QuantisedLayers;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::optimiser::Schedule;
use kibitzer_trainer::quantised_network::{QuantisedNetwork, QuantisedOutput};
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::run::Run;
use kibitzer_trainer::sample::Sample;
use kibitzer_trainer::shape::{Architecture, OUTPUT_UNIT, PAIR_UNIT, Shape};
use kibitzer_trainer::training_data::TrainingData;

use crate::fixtures::{config_with_games, empty_folder, perturb_king_buckets, samples};

fn shape(king_buckets: &str) -> Shape {
    let buckets = KingBuckets::parse(king_buckets).expect("a table of that name");
    Shape::new(Architecture::Layered, 128, buckets, 8).expect("a shape")
}

/// A network with weights far larger than at the start of a run, so that all values between the
/// layers reach their limits.
fn network(king_buckets: &str, rounding: Rounding) -> Network {
    let mut network = Network::random(shape(king_buckets), rounding, 3);
    for group in network.parameter_groups_mut() {
        for weight in group.value.iter_mut().flat_map(|row| row.iter_mut()) {
            *weight = (*weight * 4.0).clamp(-group.limit, group.limit);
        }
    }
    perturb_king_buckets(&mut network);
    network
}

fn later_layers(network: &QuantisedNetwork) -> &QuantisedLayers {
    match &network.output {
        QuantisedOutput::Layered(layers) => Some(layers),
        QuantisedOutput::SingleLayer(_) => None,
    }
    .expect("the network is layered")
}

/// The outputs of the network in training, and of its integer form as the same kind of number.
fn outputs(network: &mut Network, samples: &[Sample]) -> (Vec<f32>, Vec<f32>) {
    let quantised = QuantisedNetwork::new(network, 200);
    let layers = later_layers(&quantised);
    let target = Target { scale: 200, result_weight: 0.0 };
    let examples: Vec<_> =
        samples.iter().map(|sample| Example::new(sample, &network.shape, &target)).collect();
    let integer = |sample: &Sample| {
        let (accumulators, bucket) = quantised.accumulators(sample);
        layers.output(&accumulators, bucket) as f32 / (PAIR_UNIT * OUTPUT_UNIT)
    };
    (network.forward(&examples).to_vec(), samples.iter().map(integer).collect())
}

#[test]
fn training_computes_the_integers_of_the_network_file() {
    let samples = samples(40, 8);
    for king_buckets in ["none", "8"] {
        let (trained, integer) = outputs(&mut network(king_buckets, Rounding::Quantised), &samples);
        assert_eq!(trained, integer);
        let different = trained.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(different > trained.len() / 2, "{different} of {} differ", trained.len());
    }
}

#[test]
fn rounding_changes_the_outputs_little() {
    let samples = samples(20, 8);
    let (exact, integer) = outputs(&mut network("8", Rounding::Exact), &samples);
    let error: f32 = exact.iter().zip(&integer).map(|(a, b)| (a - b).abs()).sum();
    let size: f32 = exact.iter().map(|output| output.abs()).sum();
    assert!(error < 0.05 * size, "mean error {error}, mean output {size}");
}

#[test]
fn training_computes_the_integers_of_the_network_file_after_a_run() {
    let folder = empty_folder("layered-integers-after-training");
    let config = config_with_games(&folder, 400);
    let config = Config {
        architecture: Architecture::Layered,
        hidden: 64,
        samples: 60_000,
        schedule: Schedule { learning_rate: 0.002, ..config.schedule },
        ..config
    };
    let data = TrainingData::open(&config).expect("data");
    let mut run = Run::new(config).expect("a run");
    let before = run.held_out_loss(&data.held_out).expect("a loss");
    while !run.is_done() {
        run.advance(&data, &folder, &mut Vec::new()).expect("a superbatch");
    }
    let after = run.held_out_loss(&data.held_out).expect("a loss");
    assert!(after < 0.7 * before, "{before} before, {after} after");
    let (trained, integer) = outputs(&mut run.network, &data.held_out);
    assert_eq!(trained, integer);
}

#[test]
fn a_layered_network_file_is_read_as_it_was_written() {
    for king_buckets in ["none", "8"] {
        let network = QuantisedNetwork::new(&network(king_buckets, Rounding::Quantised), 220);
        let file = network_file::write(&network).expect("a file");
        assert_eq!(network_file::read(&file).expect("a network"), network);
    }
}

#[test]
fn a_layered_network_file_has_the_agreed_header() {
    let network = QuantisedNetwork::new(&network("8", Rounding::Quantised), 220);
    let file = network_file::write(&network).expect("a file");
    let first = 2 * (8 * 768 * 128 + 128);
    let later = 8 * (16 * 128 + 4 * 16 + 32 * 32 + 4 * 32 + 2 * 32 + 4);
    assert_eq!(file.len(), 64 + 32 + first + later);
    assert_eq!(&file[8..16], [2, 0, 128, 0, 8, 8, 2, 0]);
    assert_eq!(&file[16..28], [255, 0, 64, 0, 220, 0, 16, 32, 0, 0, 0, 0]);
}

#[test]
fn a_run_may_start_from_a_layered_network_file() {
    let quantised = QuantisedNetwork::new(&network("8", Rounding::Quantised), 220);
    let restored = quantised.dequantise();
    for group in restored.parameter_groups() {
        let weights = group.value.iter().flat_map(|row| row.iter());
        let most = weights.map(f32::abs).fold(0.0, f32::max);
        assert!(most <= group.limit + 1e-6, "{most} is above the limit {}", group.limit);
    }
    assert_eq!(QuantisedNetwork::new(&restored, 220), quantised);
}

#[test]
fn a_layered_network_at_its_limits_fits_its_integers() {
    let mut network = network("8", Rounding::Quantised);
    for group in network.parameter_groups_mut() {
        let limit = group.limit;
        group.value.iter_mut().flat_map(|row| row.iter_mut()).for_each(|weight| *weight = limit);
    }
    network.refresh();
    let quantised = QuantisedNetwork::new(&network, 200);
    assert!(quantised.features.accumulator_bound() <= i32::from(i16::MAX));
    let layers = later_layers(&quantised);
    assert!(layers.second.iter().chain(&layers.third).all(|weight| *weight == 127));
    assert!(layers.output.iter().all(|weight| *weight == 16384));
    let (trained, integer) = outputs(&mut network, &samples(2, 8));
    assert_eq!(trained, integer);
}

#[test]
fn an_order_of_pairs_changes_no_evaluation_and_has_fewer_active_groups() {
    let mut network = network("4", Rounding::Quantised);
    // Many pairs are zero in most positions.
    for layer in network.feature_layers_mut() {
        layer.bias.value[0].iter_mut().for_each(|bias| *bias -= 0.5);
    }
    network.refresh();
    let mut quantised = QuantisedNetwork::new(&network, 200);
    let samples = samples(12, 5);
    let evaluations = |network: &QuantisedNetwork| -> Vec<i32> {
        samples.iter().map(|sample| network.evaluate(sample)).collect()
    };
    let accumulators: Vec<_> =
        samples.iter().flat_map(|sample| quantised.accumulators(sample).0).collect();
    let activity = PairActivity::of(&accumulators);
    let before = evaluations(&quantised);

    let order = activity.order();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    let unchanged: Vec<usize> = (0..order.len()).collect();
    assert_eq!(sorted, unchanged);
    assert!(activity.active_groups(&order) < activity.active_groups(&unchanged));

    let QuantisedOutput::Layered(layers) = &mut quantised.output else { unreachable!() };
    pair_order::reorder(&mut quantised.features, layers, &order);
    assert_eq!(evaluations(&quantised), before);
    let accumulators: Vec<_> =
        samples.iter().flat_map(|sample| quantised.accumulators(sample).0).collect();
    let shown = PairActivity::of(&accumulators).active_groups(&unchanged);
    assert!((shown - activity.active_groups(&order)).abs() < 1e-12);
}
