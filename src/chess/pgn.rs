//! Portable Game Notation: reading it as people and programs write it, and writing it as the
//! standard asks.
//!
//! S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), with what
//! came later: the commands `[%clk …]` and `[%eval …]` in comments, the `Variant` header, Chess960.
//!
//! [`PgnReader`] gives one game of a text after the other. It is lenient wherever there is one
//! thing that can be meant; where there is none, the game is a [`BadGame`] and reading goes on at
//! the next one. Reading takes time in proportion to the text, whatever stands in it, and at most
//! some 50 bytes of memory for a byte of text, of one game at a time.

mod builder;
mod comment_commands;
mod error;
mod game;
mod header_value;
mod headers;
mod lenient_san;
mod lexer;
mod line_counter;
mod movetext;
mod nag;
mod reader;
mod result;
mod start_position;
mod text_encoding;
mod writer;

pub use comment_commands::{
    PgnEval, command_value, comment_clock_ms, comment_eval, without_command,
};
pub use error::{BadGame, PgnError, PgnErrorKind};
pub use game::{Line, PgnGame, PgnMove};
pub use headers::Headers;
pub use nag::{BLUNDER, INACCURACY, MISTAKE};
pub use reader::PgnReader;
pub use result::GameResult;
pub use text_encoding::decode;
pub use writer::write;

/// Headers that one game may have.
pub const MAX_HEADERS: usize = 128;

/// Moves that one game may have, those of its variations among them. No game that the 75-move rule
/// ends is nearly as long.
pub const MAX_GAME_MOVES: usize = 50_000;

/// How deep variations may stand in variations.
pub const MAX_NESTING: usize = 100;

#[cfg(test)]
mod tests;
