//! What every text of a client has to survive: one function for each parser, shared by the fuzz
//! targets (`tests/fuzz`) and the plain property tests (`tests/mutations`).
//!
//! Each takes any bytes, must not panic, checks what holds of every accepted input, and says
//! whether the input got past the parser.

pub(crate) mod body;
pub(crate) mod fen;
pub(crate) mod move_text;
pub(crate) mod packed;
pub(crate) mod pgn;
pub(crate) mod uci_line;
