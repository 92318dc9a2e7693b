//! `kibitzer uci` as a GUI meets it: the program itself, through pipes.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bridge;
mod conversation;
mod gui;
mod playing;
mod positions;
mod server;
