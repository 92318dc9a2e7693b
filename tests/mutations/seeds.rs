//! Valid inputs to start from.

use kibitzer::chess::forms::packed::Packed;
use kibitzer::chess::{CastlingText, Position, to_san, to_uci};

use crate::inputs::move_text;
use crate::random::Random;

/// Positions from random games, which start where every kind of move is near.
pub(crate) fn positions(random: &mut Random, count: usize) -> Vec<Position> {
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let mut position = random.pick(move_text::positions()).clone();
        for _ in 0..random.below(60) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(*random.pick(&moves));
        }
        if position.halfmove_clock() <= 150 {
            found.push(position);
        }
    }
    found
}

pub(crate) fn fens(positions: &[Position]) -> Vec<Vec<u8>> {
    let both = positions.iter().flat_map(|position| [position.fen(), position.shredder_fen()]);
    both.map(String::into_bytes).collect()
}

pub(crate) fn packed(positions: &[Position]) -> Vec<Vec<u8>> {
    positions.iter().map(|position| Packed::of(position).to_text().into_bytes()).collect()
}

/// Every move of the positions of [`move_text`], in each notation, behind the byte that chooses its position.
pub(crate) fn move_texts() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for (choice, position) in (0_u8..).zip(move_text::positions()) {
        for &mv in position.legal_moves().iter() {
            for text in [
                to_san(position, mv),
                to_uci(position, mv, CastlingText::Standard),
                to_uci(position, mv, CastlingText::Chess960),
            ] {
                let mut bytes = vec![choice];
                bytes.extend_from_slice(text.as_bytes());
                texts.push(bytes);
            }
        }
    }
    texts
}
