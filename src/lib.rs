//! kibitzer
pub mod app;
pub mod chess;
pub mod config;
pub mod engine;
pub mod http;
pub mod telemetry;
