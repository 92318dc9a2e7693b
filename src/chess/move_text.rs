//! Moves as people and programs write them, read leniently: UCI or SAN.

use std::fmt;

use super::uci_move::UciShape;
use super::{Move, Position, san};

/// Why a text is not taken as a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveTextError {
    /// Neither UCI nor SAN.
    NotAMove,
    /// It fits more than one legal move.
    Ambiguous,
    /// It fits no legal move.
    NotLegal,
}

impl MoveTextError {
    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            MoveTextError::NotAMove => "not_a_move",
            MoveTextError::Ambiguous => "ambiguous",
            MoveTextError::NotLegal => "not_legal",
        }
    }
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoveTextError::NotAMove => "the text is neither UCI nor SAN",
            MoveTextError::Ambiguous => "the text fits more than one legal move",
            MoveTextError::NotLegal => "the text fits no legal move",
        })
    }
}

impl std::error::Error for MoveTextError {}

/// Finds the legal move that a text means. A text of UCI's shape is read as UCI, all else as SAN.
///
/// # Errors
///
/// When the text fits two legal moves or none.
pub fn read_move(position: &Position, text: &str) -> Result<Move, MoveTextError> {
    match UciShape::read(text) {
        Some(shape) => shape.find(position),
        None => san::read_san(position, text),
    }
}

#[cfg(test)]
mod tests;
