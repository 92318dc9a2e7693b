//! The trainer's integer arithmetic equals the engine's.

use std::sync::Arc;

use kibitzer::chess::Position;
use kibitzer::nnue::{AccumulatorStack, Network as EngineNetwork};
use kibitzer_trainer::games::visit;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::quantised_network::QuantisedNetwork;
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::row::Row;
use kibitzer_trainer::sample::Sample;
use kibitzer_trainer::shape::{Architecture, Shape};
use rayon::prelude::*;

use crate::fixtures::{bytes, games, perturb_king_buckets};

/// A network of the sizes that the engine reads, with all weights `factor` times as large as at the
/// start of a run.
fn network(architecture: Architecture, hidden: usize, factor: f32) -> QuantisedNetwork {
    let buckets = KingBuckets::parse("8").expect("a table");
    let shape = Shape::new(architecture, hidden, buckets, 8).expect("a shape");
    let mut trained = Network::random(shape, Rounding::Quantised, 17);
    for group in trained.parameter_groups_mut() {
        for weight in group.value.iter_mut().flat_map(Row::iter_mut) {
            *weight = (*weight * factor).clamp(-group.limit, group.limit);
        }
    }
    perturb_king_buckets(&mut trained);
    QuantisedNetwork::new(&trained, 230)
}

/// Compares the evaluations of so many games' positions; returns their number.
fn compare(network: &QuantisedNetwork, count: usize) -> usize {
    let file = network_file::write(network).expect("a file");
    let read = Arc::new(EngineNetwork::from_bytes(&file).expect("the engine reads the file"));
    assert_eq!(read.id(), network_file::id(&file));
    let games = games(count, 13);
    let compare_game = |game| {
        let mut engine = AccumulatorStack::new(read.clone(), 1);
        let mut positions = 0;
        visit(&bytes(&[game]), |board, _, score, result| {
            let position = Position::from_fen(&board.to_string()).expect("a legal position");
            engine.reset(&position);
            let sample = Sample::new(board, score, result);
            assert_eq!(engine.evaluate(&position), network.evaluate(&sample), "{board}");
            positions += 1;
        })
        .expect("a whole game");
        positions
    };
    games.into_par_iter().map(compare_game).sum()
}

#[test]
fn the_engine_evaluates_a_single_layer_network_to_the_same_centipawn() {
    let positions = compare(&network(Architecture::SingleLayer, 512, 1.0), 20);
    assert!(positions > 500, "{positions}");
}

#[test]
fn the_engine_evaluates_a_layered_network_to_the_same_centipawn() {
    for factor in [1.0, 4.0] {
        let positions = compare(&network(Architecture::Layered, 1024, factor), 700);
        assert!(positions >= 50_000, "{positions}");
    }
}
