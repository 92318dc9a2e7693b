//! Perft: the number of legal move sequences of a given length, the standard test of a move
//! generator.
//!
//! Chess Programming Wiki, "Perft". The generator of the search counts the last ply without listing
//! the moves ("bulk counting").

use super::{Move, Position};

/// The number of legal move sequences of `depth` plies; 1 for depth 0. Repetitions and the 50-move
/// rule are ignored.
///
/// The recursion needs less than 400 KiB of stack for 255 plies in an optimized build.
pub fn perft(position: &Position, depth: u8) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => {
            let mut child = position.clone();
            let mut nodes = 0;
            for mv in &position.legal_moves() {
                position.after_into(mv, &mut child);
                nodes += perft(&child, depth - 1);
            }
            nodes
        }
    }
}

/// The perft count of each first move, in generation order. The list is empty for depth 0.
pub fn divide(position: &Position, depth: u8) -> Vec<(Move, u64)> {
    divisions(position, depth).collect()
}

/// The perft count of each first move, one after the other. There is none for depth 0.
pub fn divisions(position: &Position, depth: u8) -> impl ExactSizeIterator<Item = (Move, u64)> {
    let moves: Vec<Move> = match depth {
        0 => Vec::new(),
        _ => position.legal_moves().into_iter().collect(),
    };
    moves.into_iter().map(move |mv| (mv, perft(&position.after(mv), depth - 1)))
}
