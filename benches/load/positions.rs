//! As many different positions as a measurement wants.

use std::collections::HashSet;

use kibitzer::chess::Position;

/// Different ongoing positions of random games from the start, the same ones each time.
pub(crate) fn different(count: usize) -> Vec<String> {
    let mut state = 0x6b69_6269_747a_6572_u64;
    let mut below = |end: usize| {
        // Knuth's MMIX generator; its upper bits are good enough to play random games with.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % end
    };
    let mut seen = HashSet::with_capacity(count);
    let mut fens = Vec::with_capacity(count);
    while fens.len() < count {
        let mut position = Position::startpos();
        for _ in 0..6 + below(50) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[below(moves.len())]);
        }
        if position.has_moves() && seen.insert(position.key()) {
            fens.push(position.fen());
        }
    }
    fens
}
