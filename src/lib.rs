//! kibitzer
pub mod analysis;
pub mod chess;
pub mod engine;
