//! Claims about the trainer, tested with tiny networks on games made up here.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod engine;
mod features;
mod filters;
mod fixtures;
mod games;
mod gradient;
mod quantised;
mod runs;
mod wdl;
