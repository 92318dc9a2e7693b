//! Moves as people and programs write them, read leniently: UCI or SAN.

use std::fmt;

use super::uci_move::UciMove;
use super::{Move, Position, san};

/// Why a text is not taken as a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseMoveError {
    /// Neither UCI nor SAN.
    NotAMove,
    /// It fits more than one legal move.
    Ambiguous,
    /// It fits no legal move.
    NotLegal,
}

impl ParseMoveError {
    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            ParseMoveError::NotAMove => "not_a_move",
            ParseMoveError::Ambiguous => "ambiguous",
            ParseMoveError::NotLegal => "not_legal",
        }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseMoveError::NotAMove => "the text is neither UCI nor SAN",
            ParseMoveError::Ambiguous => "the text fits more than one legal move",
            ParseMoveError::NotLegal => "the text fits no legal move",
        })
    }
}

impl std::error::Error for ParseMoveError {}

/// Finds the legal move that a text means. A text of UCI's shape is read as UCI, all else as SAN.
///
/// # Errors
///
/// When the text fits two legal moves or none.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    match UciMove::parse(text) {
        Some(uci_move) => uci_move.to_move(position),
        None => san::parse_san(position, text),
    }
}

#[cfg(test)]
mod tests;
