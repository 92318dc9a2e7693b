//! Tests of the trainer with tiny networks on generated games.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod alter;
mod average;
mod benchmark;
mod engine;
mod features;
mod filters;
mod fixtures;
mod games;
mod gradient;
mod labels;
mod layered;
mod output;
mod quantised_network;
mod runs;
mod streams;
mod wdl;
