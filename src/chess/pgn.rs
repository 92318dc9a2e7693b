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

mod command;
mod encoding;
mod error;
mod game;
mod glyph;
mod header_value;
mod headers;
mod lexer;
mod line_counter;
mod opening_position;
mod reader;
mod respelling;
mod result;
mod under_way;
mod word;
mod write;

pub use command::{PgnEval, clock_ms, command, eval, without_command};
pub use encoding::decode;
pub use error::{BadGame, PgnError, PgnFault};
pub use game::{Line, PgnGame, PgnMove};
pub use glyph::{BLUNDER, INACCURACY, MISTAKE};
pub use headers::Headers;
pub use reader::PgnReader;
pub use result::GameResult;
pub use write::write;

/// Headers that one game may have.
pub const MAX_HEADERS: usize = 128;

/// Moves that one game may have, those of its variations among them. No game that the 75-move rule
/// ends is nearly as long.
pub const MAX_MOVES: usize = 50_000;

/// How deep variations may stand in variations.
pub const MAX_NESTING: usize = 100;

#[cfg(test)]
mod tests;
