//! What the command line can do: one file a command.

pub(crate) mod bench;
pub(crate) mod healthcheck;
pub(crate) mod openapi;
pub(crate) mod perft;
pub(crate) mod serve;
pub(crate) mod uci;

use std::io::{self, Write};
use std::process::ExitCode;

/// Why a command failed, for people.
pub(crate) type BoxError = Box<dyn std::error::Error>;

/// Writes the reason of a failure to stderr; each line behind the program's name.
pub(crate) fn print_error(error: BoxError) -> ExitCode {
    for line in error.to_string().lines() {
        // Without a stderr the exit status has to say it alone.
        let _ = writeln!(io::stderr(), "kibitzer: {line}");
    }
    ExitCode::FAILURE
}
