//! The error of reading a move.

use std::fmt;

/// The reason why a text is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseMoveError {
    /// The text is neither UCI nor SAN.
    NotAMove,
    /// The text matches more than one legal move.
    Ambiguous,
    /// The text matches no legal move.
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
            ParseMoveError::Ambiguous => "the text matches more than one legal move",
            ParseMoveError::NotLegal => "the text matches no legal move",
        })
    }
}

impl std::error::Error for ParseMoveError {}
