//! `kibitzer bench`

mod http;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;
use kibitzer::engine::Bench;

use super::BoxError;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// How many plies deep; the signature's depth unless given.
    #[arg(default_value_t = Bench::DEPTH, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
}

#[derive(Subcommand)]
enum BenchCommand {
    /// Drive a running server with requests: throughput, percentiles of latency, what was refused.
    Http(http::Options),
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    if let Some(BenchCommand::Http(options)) = &options.command {
        return http::run(options);
    }
    writeln!(io::stdout().lock(), "{}", Bench::run(options.depth))?;
    Ok(ExitCode::SUCCESS)
}
