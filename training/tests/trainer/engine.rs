use std::sync::Arc;

use kibitzer::chess::Position;
use kibitzer::nnue::{
    AccumulatorStack, HIDDEN, KING_BUCKETS, Network as EngineNetwork, OUTPUT_BUCKETS,
};
use kibitzer_trainer::games::visit;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::quantised_network::QuantisedNetwork;
use kibitzer_trainer::rounding::Rounding;
use kibitzer_trainer::sample::Sample;
use kibitzer_trainer::shape::{Architecture, Shape};

use crate::fixtures::{bytes, games, perturb_king_buckets};

#[test]
fn the_engine_reads_the_file_and_evaluates_to_the_same_centipawn() {
    let table = if KING_BUCKETS == 1 { "none".to_owned() } else { KING_BUCKETS.to_string() };
    let buckets = KingBuckets::parse(&table).expect("a table");
    let shape =
        Shape::new(Architecture::SingleLayer, HIDDEN, buckets, OUTPUT_BUCKETS).expect("a shape");
    let mut trained = Network::random(shape, Rounding::Quantised, 17);
    perturb_king_buckets(&mut trained);
    let network = QuantisedNetwork::new(&trained, 230);
    let file = network_file::write(&network).expect("a file");

    let read = EngineNetwork::from_bytes(&file).expect("the engine reads the file");
    assert_eq!(read.id(), network_file::id(&file));
    let mut engine = AccumulatorStack::new(Arc::new(read), 1);
    let mut positions = 0;
    for game in games(20, 13) {
        visit(&bytes(&[game]), |board, _, score, result| {
            let position = Position::from_fen(&board.to_string()).expect("a legal position");
            engine.reset(&position);
            let sample = Sample::new(board, score, result);
            assert_eq!(engine.evaluate(&position), network.evaluate(&sample), "{board}");
            positions += 1;
        })
        .expect("a whole game");
    }
    assert!(positions > 500, "{positions}");
}
