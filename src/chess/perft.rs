//! Perft: the number of move sequences of a length. The test of every move generator.
//!
//! Chess Programming Wiki, "Perft". The last ply is counted in sets ("bulk counting") by the
//! generator that the search uses.

use super::{Move, Position};

/// The number of legal move sequences of `depth` plies. Repetition and the 50-move rule are
/// ignored; depth 0 is 1.
///
/// Each ply takes room on the stack: 255 of them, in an optimized build, less than 400 KiB.
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

/// The same, apart for each first move, in generation order. Depth 0 has no first move.
pub fn divide(position: &Position, depth: u8) -> Vec<(Move, u64)> {
    match depth {
        0 => Vec::new(),
        _ => position
            .legal_moves()
            .into_iter()
            .map(|mv| (mv, perft(&position.after(mv), depth - 1)))
            .collect(),
    }
}
