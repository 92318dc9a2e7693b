//! The commands of the program, one per file.

pub mod alter;
pub mod average;
pub mod benchmark;
pub mod calibrate;
pub mod datagen;
pub mod evaluate;
pub mod export;
pub mod info;
pub mod label;
pub mod measure;
pub mod output;
mod progress;
pub mod reorder;
pub mod samples;
pub mod train;
pub mod wdl;
