//! `kibitzer bench`

use std::io::{self, Write};
use std::process::ExitCode;

use kibitzer::engine::Bench;

use super::Failure;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many plies deep; the signature's depth unless given.
    #[arg(default_value_t = Bench::DEPTH, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    writeln!(io::stdout().lock(), "{}", Bench::run(options.depth))?;
    Ok(ExitCode::SUCCESS)
}
