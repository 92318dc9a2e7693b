//! Lenient parsing of moves in UCI or SAN.

use super::uci_move::UciMove;
use super::{Move, ParseMoveError, Position, san};

/// Finds the legal move that a text names. A text in the shape of UCI is read as UCI, every other
/// text as SAN.
///
/// # Errors
///
/// If the text is neither UCI nor SAN, or matches no legal move or more than one.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    match UciMove::parse(text) {
        Some(uci_move) => uci_move.to_move(position),
        None => san::parse_san(position, text),
    }
}

/// The longest text that may be a promotion without its piece, as `a7-a8` with suffixes.
const MAX_PROMOTION_LENGTH: usize = 16;

/// Finds the legal promotion to a queen that a text names, except for its missing piece: `a7a8` or
/// `a8` for a pawn on a7.
pub fn parse_promotion_without_piece(position: &Position, text: &str) -> Option<Move> {
    if text.len() > MAX_PROMOTION_LENGTH {
        return None;
    }
    let squares = san::without_suffix(text);
    ["q", "=Q"]
        .into_iter()
        .find_map(|piece| parse_move(position, &format!("{squares}{piece}")).ok())
        .filter(|mv| mv.promotion().is_some())
}

#[cfg(test)]
mod tests;
