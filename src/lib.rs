//! kibitzer: a chess analysis server.
//!
//! The layers, and the direction of their imports:
//!
//! ```text
//! chess ← nnue ← engine ← store ← analysis ← http      app and commands import every layer
//!                                      mcp ↗   ↖ cluster
//!    tablebase ↗      ↖ uci
//! ```
//!
//! - [`chess`]: the rules. Standard library only, no I/O, no clock.
//! - `huge_pages`: memory for large tables.
//! - `time_slices`: how soon a waiting thread gets a core.
//! - [`openings`]: names of openings by position.
//! - [`render`]: pictures of boards in SVG and PNG.
//! - [`nnue`]: the evaluation network: file, incremental accumulators, inference per instruction
//!   set.
//! - [`tablebase`]: outcomes and distances of positions with few men, from Syzygy files.
//! - [`engine`]: the search. Synchronous; no HTTP, no tokio.
//! - [`store`]: finished analyses and game reviews on disk.
//! - [`analysis`]: the use cases: look up, join an in-flight search, queue, search, cache. Async;
//!   no HTTP.
//! - [`cluster`]: several nodes as one service, over a Redis server. No HTTP.
//! - [`client`]: the HTTP API of a server or of this process, for the commands.
//! - [`terminal`]: boards, analyses and progress bars on a terminal.
//! - [`mcp`]: tools for language models, over the HTTP API.
//! - [`http`]: routes, problems, the contract. No chess logic.
//! - [`uci`]: the Universal Chess Interface over [`engine`].
//! - [`app`]: the composition root, with [`config`] (typed settings) and [`telemetry`] (logs,
//!   traces).
pub mod analysis;
pub mod app;
pub mod chess;
pub mod client;
pub mod cluster;
pub mod config;
pub mod engine;
pub mod http;
mod huge_pages;
pub mod mcp;
pub mod nnue;
pub mod openings;
pub mod render;
pub mod store;
pub mod tablebase;
pub mod telemetry;
pub mod terminal;
mod time_slices;
pub mod uci;
