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

#[cfg(test)]
mod tests;
