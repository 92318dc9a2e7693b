//! kibitzer: a chess analysis server.
//!
//! Rooms, and who may call whom:
//!
//! ```text
//! chess ← nnue ← engine ← store ← analysis ← http        app, and the program's commands, see all
//!                      ↖ uci
//! ```
//!
//! - [`chess`]: the rules; standard library only, no I/O, no clock;
//! - [`openings`]: names of openings, by position;
//! - [`nnue`]: the evaluation network: its file, its sums along a line, its arithmetic for each
//!   processor;
//! - [`engine`]: the search; synchronous, knows nothing of HTTP or tokio;
//! - [`store`]: finished analyses and reviews of games on disk;
//! - [`analysis`]: the use cases; async, no HTTP: look up, join a running search, queue, search,
//!   remember;
//! - [`http`]: routes, problems, the contract; no chess logic;
//! - [`uci`]: the Universal Chess Interface over [`engine`];
//! - [`app`]: the composition root, with [`config`] (typed settings) and [`telemetry`] (logs).
pub mod analysis;
pub mod app;
pub mod chess;
pub mod config;
pub mod engine;
pub mod http;
pub mod nnue;
pub mod openings;
pub mod store;
pub mod telemetry;
pub mod uci;
