//! Checks of the parsers of client input, one function for each. The fuzz targets (`tests/fuzz`)
//! share them.
//!
//! Each function takes any bytes and must not panic. It checks the properties of every accepted
//! input and returns whether the parser accepted the input.

pub(crate) mod body;
pub(crate) mod fen;
pub(crate) mod move_text;
pub(crate) mod packed;
pub(crate) mod pgn;
mod position;
pub(crate) mod remote_search;
pub(crate) mod uci_line;
