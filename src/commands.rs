//! The subcommands of the command line, one file per command.

pub(crate) mod bench;
pub(crate) mod healthcheck;
pub(crate) mod openapi;
pub(crate) mod perft;
pub(crate) mod serve;
pub(crate) mod uci;

use std::io::{self, Write};
use std::process::ExitCode;

/// The error of a command.
pub(crate) type BoxError = Box<dyn std::error::Error>;

/// Prints an error to stderr, each line after the program's name.
pub(crate) fn print_error(error: BoxError) -> ExitCode {
    for line in error.to_string().lines() {
        // Without a stderr the exit status alone reports the failure.
        let _ = writeln!(io::stderr(), "kibitzer: {line}");
    }
    ExitCode::FAILURE
}
