//! Why a game cannot be read.

use std::fmt;

use super::{Headers, MAX_GAME_MOVES, MAX_HEADERS, MAX_NESTING};
use crate::chess::{InvalidPosition, ParseMoveError};

/// A game that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGame {
    /// Its headers, as far as they were read.
    pub headers: Headers,
    /// What is wrong with it.
    pub error: PgnError,
}

/// What is wrong with a game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// Which game of the text, from 0.
    pub game: usize,
    /// Which half-move of the game, from 1; before the first move 1 too.
    pub ply: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What stands there, cut at 200 characters.
    pub text: String,
    /// What is wrong.
    pub kind: PgnErrorKind,
}

/// What can be wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnErrorKind {
    /// No legal move.
    Move(ParseMoveError),
    /// A null move.
    NullMove,
    /// The `FEN` header is no position.
    Fen(InvalidPosition),
    /// The `Variant` header names another game than chess or Chess960.
    Variant,
    /// A `{` without its `}`.
    UnclosedComment,
    /// More than [`MAX_HEADERS`].
    TooManyHeaders,
    /// More than [`MAX_MOVES`].
    TooManyMoves,
    /// More than [`MAX_NESTING`].
    TooDeep,
}

impl PgnErrorKind {
    /// A name for programs.
    pub const fn name(&self) -> &'static str {
        match self {
            PgnErrorKind::Move(error) => error.name(),
            PgnErrorKind::NullMove => "null_move",
            PgnErrorKind::Fen(_) => "invalid_fen",
            PgnErrorKind::Variant => "unknown_variant",
            PgnErrorKind::UnclosedComment => "unclosed_comment",
            PgnErrorKind::TooManyHeaders => "too_many_headers",
            PgnErrorKind::TooManyMoves => "too_many_moves",
            PgnErrorKind::TooDeep => "too_deep",
        }
    }
}

impl fmt::Display for PgnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnErrorKind::Move(error) => error.fmt(f),
            PgnErrorKind::NullMove => f.write_str("a null move is no move of a game"),
            PgnErrorKind::Fen(error) => write!(f, "the FEN of the start is refused: {error}"),
            PgnErrorKind::Variant => f.write_str("the variant is neither chess nor Chess960"),
            PgnErrorKind::UnclosedComment => f.write_str("the comment has no end"),
            PgnErrorKind::TooManyHeaders => write!(f, "a game has at most {MAX_HEADERS} headers"),
            PgnErrorKind::TooManyMoves => write!(f, "a game has at most {MAX_GAME_MOVES} moves"),
            PgnErrorKind::TooDeep => {
                write!(f, "variations stand at most {MAX_NESTING} deep in one another")
            }
        }
    }
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PgnError { game, ply, line, column, text, kind } = self;
        write!(f, "game {game}, ply {ply}, line {line}, column {column}: {text:?}: {kind}")
    }
}

impl std::error::Error for PgnError {}
