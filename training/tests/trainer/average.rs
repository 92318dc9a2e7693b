//! The command `average`: the weighted mean of networks.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::quantised_network::{QuantisedNetwork, QuantisedOutput};
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::shape::{Architecture, Shape};

use crate::fixtures::empty_folder;

/// Writes the file of a random network of 64 neurons with the scale 220.
fn write(folder: &Path, name: &str, architecture: Architecture, seed: u64) -> QuantisedNetwork {
    write_with_scale(folder, name, architecture, seed, 220)
}

fn write_with_scale(
    folder: &Path,
    name: &str,
    architecture: Architecture,
    seed: u64,
    scale: u16,
) -> QuantisedNetwork {
    let buckets = KingBuckets::parse("8").expect("a table of that name");
    let shape = Shape::new(architecture, 64, buckets, 8).expect("a shape");
    let network = QuantisedNetwork::new(&Network::random(shape, Rounding::Quantised, seed), scale);
    fs::write(folder.join(name), network_file::write(&network).expect("a file")).expect("written");
    network
}

/// Averages files of the folder into `mean.nnue`.
fn average(folder: &Path, networks: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitzer-trainer"))
        .current_dir(folder)
        .args(["average", "--to", "mean.nnue", "--networks"])
        .args(networks)
        .output()
        .expect("the trainer")
}

/// The weights of the first and the second layer.
fn weights(network: &QuantisedNetwork) -> Vec<f64> {
    let QuantisedOutput::Layered(layers) = &network.output else { unreachable!() };
    let features = network.features.weights.iter().map(|weight| f64::from(*weight));
    features.chain(layers.second.iter().map(|weight| f64::from(*weight))).collect()
}

#[test]
fn each_weight_is_the_mean_of_the_networks_weights_within_rounding() {
    let folder = empty_folder("average");
    let a = write(&folder, "a.nnue", Architecture::Layered, 1);
    let b = write(&folder, "b.nnue", Architecture::Layered, 2);
    let output = average(&folder, &["a.nnue=3", "b.nnue"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mean = network_file::load(&folder.join("mean.nnue")).expect("a network");
    for ((a, b), mean) in weights(&a).iter().zip(weights(&b)).zip(weights(&mean)) {
        assert!((mean - (0.75 * a + 0.25 * b)).abs() < 0.51, "{a}, {b}: {mean}");
    }
}

#[test]
fn the_mean_of_one_network_is_that_network() {
    let folder = empty_folder("average-of-one");
    let network = write(&folder, "a.nnue", Architecture::SingleLayer, 1);
    assert!(average(&folder, &["a.nnue=0.3"]).status.success());
    assert_eq!(network_file::load(&folder.join("mean.nnue")).expect("a network"), network);
}

#[test]
fn networks_of_other_sizes_or_another_scale_are_refused() {
    let folder = empty_folder("average-refused");
    write(&folder, "a.nnue", Architecture::Layered, 1);
    write(&folder, "sizes.nnue", Architecture::SingleLayer, 1);
    write_with_scale(&folder, "scale.nnue", Architecture::Layered, 1, 400);
    for (other, message) in [
        ("sizes.nnue", "sizes.nnue has other sizes than a.nnue"),
        ("scale.nnue", "scale.nnue has scale 400, but a.nnue has 220"),
    ] {
        let output = average(&folder, &["a.nnue", other]);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(message), "{error}");
        assert!(!folder.join("mean.nnue").exists(), "no network after an error");
    }
}
