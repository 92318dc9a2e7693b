//! What the program does, one file a command.

pub mod calibrate;
pub mod datagen;
pub mod evaluate;
pub mod export;
pub mod info;
pub mod measure;
pub mod train;
pub mod wdl;
