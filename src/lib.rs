//! kibitzer
pub mod chess;
pub mod engine;
