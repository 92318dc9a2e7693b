//! kibitzer
pub mod chess;
pub mod config;
pub mod engine;
pub mod telemetry;
