//! Errors of PGN games, and the limits that cause them.

use std::fmt;

use crate::chess::{InvalidPosition, ParseMoveError};

/// The greatest number of headers of a game.
pub const MAX_HEADERS: usize = 128;

/// The greatest length of a header, its name and value together, in bytes.
pub const MAX_HEADER_BYTES: usize = 4_096;

/// The greatest length of all headers of a game together, in bytes.
pub const MAX_ALL_HEADERS_BYTES: usize = 65_536;

/// The greatest number of moves of a game, variations included. A game that ends by the 75-move
/// rule is much shorter.
pub const MAX_GAME_MOVES: usize = 50_000;

/// The greatest nesting depth of variations.
pub const MAX_NESTING: usize = 100;

/// An error in a game, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// The index of the game in the text, from 0.
    pub game: usize,
    /// The half-move of the game, from 1; also 1 before the first move.
    pub ply: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The text at the location, cut at 200 characters.
    pub text: String,
    /// The kind of the error.
    pub kind: PgnErrorKind,
}

/// The kind of an error in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnErrorKind {
    /// A word is not a legal move.
    Move(ParseMoveError),
    /// A move is a null move.
    NullMove,
    /// The `FEN` header is not a legal position.
    Fen(InvalidPosition),
    /// The `Variant` header names another game than chess or Chess960.
    Variant,
    /// A comment has no closing `}`.
    UnclosedComment,
    /// A header is longer than [`MAX_HEADER_BYTES`].
    HeaderTooLong,
    /// The game has more than [`MAX_HEADERS`] headers, or more than [`MAX_ALL_HEADERS_BYTES`] of
    /// them.
    TooManyHeaders,
    /// The game has more than [`MAX_GAME_MOVES`] moves.
    TooManyMoves,
    /// Variations are nested deeper than [`MAX_NESTING`].
    TooDeep,
}

impl PgnErrorKind {
    /// The name in the HTTP contract.
    pub const fn name(&self) -> &'static str {
        match self {
            PgnErrorKind::Move(error) => error.name(),
            PgnErrorKind::NullMove => "null_move",
            PgnErrorKind::Fen(_) => "invalid_fen",
            PgnErrorKind::Variant => "unknown_variant",
            PgnErrorKind::UnclosedComment => "unclosed_comment",
            PgnErrorKind::HeaderTooLong => "header_too_long",
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
            PgnErrorKind::NullMove => f.write_str("a game must not contain a null move"),
            PgnErrorKind::Fen(error) => {
                write!(f, "the FEN header is not a legal position: {error}")
            }
            PgnErrorKind::Variant => f.write_str("the variant must be chess or Chess960"),
            PgnErrorKind::UnclosedComment => f.write_str("the comment has no closing `}`"),
            PgnErrorKind::HeaderTooLong => {
                write!(f, "the header is too long; at most {MAX_HEADER_BYTES} bytes are allowed")
            }
            PgnErrorKind::TooManyHeaders => write!(
                f,
                "the game has too many headers; at most {MAX_HEADERS} of together \
                 {MAX_ALL_HEADERS_BYTES} bytes are allowed"
            ),
            PgnErrorKind::TooManyMoves => {
                write!(f, "the game has too many moves; at most {MAX_GAME_MOVES} are allowed")
            }
            PgnErrorKind::TooDeep => {
                write!(
                    f,
                    "variations are nested too deeply; at most {MAX_NESTING} levels are allowed"
                )
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
