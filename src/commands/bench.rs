//! `kibitzer bench`: the signature of the search.

use std::io::{self, Write};
use std::process::ExitCode;

use kibitzer::engine::Bench;

use super::BoxError;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Depth in plies [default: the depth of the signature]
    #[arg(default_value_t = Bench::DEPTH, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    writeln!(io::stdout().lock(), "{}", Bench::run(options.depth))?;
    Ok(ExitCode::SUCCESS)
}
