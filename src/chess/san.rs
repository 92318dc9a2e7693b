//! Standard Algebraic Notation (SAN): parser and writer.
//!
//! FIDE Laws of Chess, appendix C; Chess Programming Wiki, "Algebraic Chess Notation".

mod parser;
mod writer;

pub(super) use parser::{parse_san, without_suffix};
pub use writer::{San, SanWriter, to_san, to_san_all};

#[cfg(test)]
mod tests;
