//! `kibitzer uci` as a GUI meets it: the program itself, through pipes.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod gui;
mod positions;
mod protocol;
mod remote;
mod search;
mod server;
