use kibitzer_trainer::example::Example;
use kibitzer_trainer::example::Target;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::quantised_network::{QuantisedNetwork, QuantisedOutput};
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::row::Row;
use kibitzer_trainer::run::Run;
use kibitzer_trainer::shape::{Architecture, Shape};
use kibitzer_trainer::training_data::TrainingData;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::fixtures::{config, empty_folder, perturb_king_buckets, samples};

fn network(king_buckets: &str, rounding: Rounding) -> Network {
    let buckets = KingBuckets::parse(king_buckets).expect("a table of that name");
    let shape = Shape::new(Architecture::SingleLayer, 64, buckets, 8).expect("a shape");
    Network::random(shape, rounding, 3)
}

/// The largest difference between the integer network's evaluations and the trained network's, in
/// centipawns.
fn largest_error(network: &mut Network, target: &Target) -> f32 {
    let samples = samples(20, 8);
    let quantised = QuantisedNetwork::new(network, target.scale);
    let examples: Vec<_> =
        samples.iter().map(|sample| Example::new(sample, &network.shape, target)).collect();
    let outputs = network.forward(&examples).to_vec();
    let error = |(sample, output): (_, &f32)| {
        (quantised.evaluate(sample) as f32 - output * f32::from(target.scale)).abs()
    };
    samples.iter().zip(&outputs).map(error).fold(0.0, f32::max)
}

#[test]
fn quantised_evaluations_match_floating_point() {
    let target = Target { scale: 200, result_weight: 0.0 };
    for king_buckets in ["none", "8"] {
        for (rounding, limit) in [(Rounding::Exact, 5.0), (Rounding::Quantised, 2.0)] {
            let error = largest_error(&mut network(king_buckets, rounding), &target);
            assert!(
                error < limit,
                "{error} centipawns with king buckets {king_buckets}, {rounding:?}"
            );
        }
    }
}

#[test]
fn quantised_evaluations_match_floating_point_with_distinct_buckets() {
    let mut network = network("8", Rounding::Quantised);
    perturb_king_buckets(&mut network);
    let error = largest_error(&mut network, &Target { scale: 200, result_weight: 0.0 });
    assert!(error < 2.0, "{error} centipawns");
}

#[test]
fn quantised_evaluations_match_floating_point_after_training() {
    let folder = empty_folder("integers-after-training");
    let config = config(&folder);
    let data = TrainingData::open(&config).expect("data");
    let mut run = Run::new(config).expect("a run");
    while !run.is_done() {
        run.advance(&data, &folder, &mut Vec::new()).expect("a superbatch");
    }
    let target = run.state.config.target.clone();
    let error = largest_error(&mut run.network, &target);
    assert!(error < 2.0, "{error} centipawns");
}

#[test]
fn a_network_file_is_read_as_it_was_written() {
    for king_buckets in ["none", "8"] {
        let mut network = network(king_buckets, Rounding::Quantised);
        perturb_king_buckets(&mut network);
        let network = QuantisedNetwork::new(&network, 220);
        let file = network_file::write(&network).expect("a file");
        assert_eq!(network_file::read(&file).expect("a network"), network);
        assert_eq!(network_file::id(&file).len(), 12);
    }
}

#[test]
fn a_network_file_has_the_agreed_header() {
    let file = network_file::write(&QuantisedNetwork::new(&network("8", Rounding::Quantised), 220))
        .expect("a file");
    let payload = 32 + 2 * (8 * 768 * 64 + 64 + 8 * 128) + 4 * 8;
    assert_eq!(file.len(), 64 + payload);
    assert_eq!(&file[..8], b"KIBITZER");
    assert_eq!(&file[8..16], [1, 0, 64, 0, 8, 8, 1, 0]);
    assert_eq!(&file[16..28], [255, 0, 64, 0, 220, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(file[28..32], (payload as u32).to_le_bytes());
    assert_eq!(&file[64..68], [0, 1, 2, 3]);
}

#[test]
fn a_damaged_network_file_is_refused() {
    let file =
        network_file::write(&QuantisedNetwork::new(&network("none", Rounding::Quantised), 220))
            .expect("a file");
    for place in [0, 8, 10, 12, 20, 31, 40, 63, 64, 100, file.len() - 1] {
        let mut damaged = file.clone();
        damaged[place] ^= 4;
        assert!(network_file::read(&damaged).is_err(), "byte {place}");
    }
    for length in [0, 63, 64, file.len() - 1] {
        assert!(network_file::read(&file[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn dequantised_weights_are_within_their_limits() {
    let buckets = KingBuckets::parse("8").expect("a table of that name");
    let shape = Shape::new(Architecture::SingleLayer, 64, buckets, 8).expect("a shape");
    let mut network = QuantisedNetwork::new(&Network::zeros(shape, Rounding::Quantised), 220);
    // The limits of training at 255 units: shared weights up to 1.40, bucket weights up to 0.58.
    let (mut random, row) = (ChaCha8Rng::seed_from_u64(5), 768 * 64);
    for place in 0..row {
        let shared = random.random_range(-357..=357);
        for bucket in 0..8 {
            network.features.weights[bucket * row + place] =
                shared + if random.random() { 147 } else { random.random_range(-147..147) };
        }
    }
    let restored = network.dequantise();
    for group in restored.parameter_groups() {
        let most = group.value.iter().flat_map(Row::iter).map(f32::abs).fold(0.0, f32::max);
        assert!(
            most <= group.limit + 1e-6,
            "{most} is above the limit {}; the first step would clamp it",
            group.limit
        );
    }
    assert_eq!(QuantisedNetwork::new(&restored, 220), network);
}

#[test]
fn a_network_at_its_limits_fits_sixteen_bits() {
    for king_buckets in ["none", "8"] {
        let mut network = network(king_buckets, Rounding::Exact);
        for group in network.parameter_groups_mut() {
            let limit = group.limit;
            let weights = group.value.iter_mut().flat_map(|row| row.iter_mut());
            weights.for_each(|weight| *weight = limit);
        }
        network.refresh();
        let quantised = QuantisedNetwork::new(&network, 200);
        let bound = quantised.features.accumulator_bound();
        assert!(bound <= i32::from(i16::MAX), "{bound}");
        let is_within_limit = match quantised.output {
            QuantisedOutput::SingleLayer(output) => {
                output.outputs.iter().all(|weight| weight.abs() <= 127)
            }
            QuantisedOutput::Layered(_) => false,
        };
        assert!(is_within_limit);
    }
}
