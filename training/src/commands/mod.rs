//! What the program does, one file a command.

pub mod calibrate;
pub mod train;
