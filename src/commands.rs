//! The subcommands of the command line, one file per command.

pub(crate) mod analyse;
mod api;
pub(crate) mod bench;
pub(crate) mod board;
pub(crate) mod check_config;
pub(crate) mod healthcheck;
mod interrupt;
pub(crate) mod mcp;
pub(crate) mod openapi;
mod orientation;
mod output_file;
pub(crate) mod perft;
mod position_state;
mod positions;
pub(crate) mod review;
mod search_limits;
pub(crate) mod serve;
mod signals;
pub(crate) mod uci;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// The error of a command.
pub(crate) type BoxError = Box<dyn Error>;

/// Prints an error and its causes to stderr, each line after the program's name.
pub(crate) fn print_error(error: BoxError) -> ExitCode {
    note(&with_causes(error.as_ref()));
    ExitCode::FAILURE
}

/// Prints lines to stderr, each after the program's name.
fn note(text: &str) {
    for line in text.lines() {
        // Without a stderr the exit status alone reports a failure.
        let _ = writeln!(io::stderr(), "kibitzer: {line}");
    }
}

/// The text of an error and of its causes. Many errors already contain the text of their cause.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
