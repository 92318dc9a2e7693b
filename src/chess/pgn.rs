//! Portable Game Notation (PGN): a lenient reader and a writer of the standard's export format.
//!
//! S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), with
//! later additions: the comment commands `[%clk …]` and `[%eval …]`, the `Variant` header,
//! Chess960.
//!
//! [`PgnReader`] iterates over the games of a text. It accepts every text with a single possible
//! meaning. A game without one becomes a [`BadGame`], and reading continues with the next game.
//! Reading takes linear time and at most about 50 bytes of memory per byte of one game's text.
//!
//! ```
//! use kibitzer::chess::pgn::{GameResult, PgnReader, write};
//!
//! let mut reader = PgnReader::new("[White \"Anderssen\"]\n\n1. e4 e5 2. f4 {a gambit} 1-0");
//! let game = reader.next().expect("one game").expect("a valid game");
//! assert_eq!(game.headers.get("White"), Some("Anderssen"));
//! assert_eq!(game.line.moves.len(), 3);
//! assert_eq!(game.result, GameResult::WhiteWins);
//! assert!(write(&game).ends_with("\n\n1. e4 e5 2. f4 { a gambit } 1-0\n"));
//! ```

mod builder;
mod comment_commands;
mod error;
mod game;
mod headers;
mod lexer;
mod movetext;
mod nag;
mod reader;
mod text_encoding;
mod writer;

pub use comment_commands::{
    PgnEval, command_value, comment_clock_ms, comment_eval, without_command,
};
pub use error::{
    MAX_ALL_HEADERS_BYTES, MAX_GAME_MOVES, MAX_HEADER_BYTES, MAX_HEADERS, MAX_NESTING, PgnError,
    PgnErrorKind,
};
pub use game::{GameResult, Line, PgnGame, PgnMove};
pub use headers::Headers;
pub use nag::{BLUNDER, INACCURACY, MISTAKE};
pub use reader::{BadGame, PgnReader};
pub use text_encoding::decode;
pub use writer::write;

#[cfg(test)]
mod tests;
