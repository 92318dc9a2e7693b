//! Test positions in the types of all three libraries.

use kibitzer::chess::Position;
use shakmaty::{CastlingMode, Chess, fen::Fen};

/// One position in the types of the three libraries.
#[derive(Clone)]
pub(crate) struct TestPosition {
    pub(crate) fen: String,
    pub(crate) kibitzer: Position,
    pub(crate) cozy: cozy_chess::Board,
    pub(crate) shakmaty: Chess,
}

impl TestPosition {
    pub(crate) fn from_fen(fen: &str) -> TestPosition {
        let kibitzer = Position::from_fen(fen).expect("a legal position");
        let shredder = kibitzer.shredder_fen();
        let parsed: Fen = shredder.parse().expect("a FEN");
        TestPosition {
            fen: kibitzer.fen(),
            cozy: cozy_chess::Board::from_fen(&shredder, true).expect("a legal position"),
            shakmaty: parsed.into_position(CastlingMode::Chess960).expect("a legal position"),
            kibitzer,
        }
    }
}

/// A few hundred positions of openings, middle games and endings. They come from three games whose
/// moves are chosen by a fixed stride.
pub(crate) fn mixed_positions() -> Vec<TestPosition> {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    ];
    let mut found = Vec::new();
    for start in starts {
        let mut position = Position::from_fen(start).expect("a legal position");
        for ply in 0..80 {
            found.push(TestPosition::from_fen(&position.fen()));
            let mut moves = position.legal_moves().to_vec();
            moves.sort_unstable();
            let Some(&mv) = moves.get((ply * 7 + 3) % moves.len().max(1)) else { break };
            position.play(mv);
        }
    }
    found
}
