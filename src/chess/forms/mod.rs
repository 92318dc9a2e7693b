//! The forms that a board or a move can be written in, each with its bits fixed (layout version 1).

pub mod packed;

pub use packed::{Packed, PackedError, read_packed};
