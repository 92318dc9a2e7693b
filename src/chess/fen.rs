//! Forsyth-Edwards Notation (FEN): X-FEN and Shredder-FEN, for standard chess and Chess960.
//!
//! Chess Programming Wiki, "Forsyth-Edwards Notation"; X-FEN by Reinhard Scharnagl.

mod parser;
mod writer;

pub use parser::{ParsedFen, parse_fen, parse_fen_leniently, parse_fen_setup};

#[cfg(test)]
mod tests;
