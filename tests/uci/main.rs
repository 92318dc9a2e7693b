//! `kibitzer uci`, driven through pipes like a GUI does.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../support/authority.rs"]
mod authority;
mod gui;
mod launcher;
mod positions;
mod protocol;
mod remote;
mod search;
mod server;
mod syzygy;
mod tls;
