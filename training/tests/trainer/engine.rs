use std::sync::Arc;

use kibitzer::chess::Position;
use kibitzer::nnue::{
    Accumulators, HIDDEN, KING_BUCKETS, Network as EngineNetwork, OUTPUT_BUCKETS,
};
use kibitzer_trainer::games::visit;
use kibitzer_trainer::king_buckets::KingBuckets;
use kibitzer_trainer::network::Network;
use kibitzer_trainer::network_file;
use kibitzer_trainer::quantised::Quantised;
use kibitzer_trainer::sample::Sample;
use kibitzer_trainer::shape::Shape;
use kibitzer_trainer::tile::Rounding;

use crate::made_up::{bytes, games, set_buckets_apart};

#[test]
fn the_engine_reads_the_file_and_evaluates_to_the_same_centipawn() {
    let table = if KING_BUCKETS == 1 { "none".to_owned() } else { KING_BUCKETS.to_string() };
    let shape = Shape::new(HIDDEN, KingBuckets::parse(&table).expect("a table"), OUTPUT_BUCKETS)
        .expect("a shape");
    let mut trained = Network::random(shape, Rounding::Quantised, 17);
    set_buckets_apart(&mut trained);
    let network = Quantised::new(&trained, 230);
    let file = network_file::write(&network).expect("a file");

    let read = EngineNetwork::from_bytes(&file).expect("the engine takes the file");
    assert_eq!(read.id(), network_file::id(&file));
    let mut engine = Accumulators::new(Arc::new(read), 1);
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
