//! Standard Algebraic Notation out and in.
//!
//! FIDE Laws of Chess, appendix C; Chess Programming Wiki, "Algebraic Chess Notation".

mod read;
mod write;

pub(super) use read::read_san;
pub use write::{San, SanWriter, san_all, to_san};

#[cfg(test)]
mod tests;
