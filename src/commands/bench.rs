//! `kibitzer bench`: the signature of the search.

use std::io::{self, Write};
use std::process::ExitCode;

use kibitzer::engine::Bench;
use kibitzer::nnue::SimdLevel;
use kibitzer::terminal::progress_bar;

use super::{BoxError, interrupt};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Depth in plies [default: the depth of the signature]
    #[arg(default_value_t = Bench::DEPTH, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let bar = progress_bar(Bench::POSITIONS as u64, "positions");
    let bench = Bench::run_with(options.depth, SimdLevel::best(), &mut || bar.inc(1));
    bar.finish_and_clear();
    let written = writeln!(io::stdout().lock(), "{bench}");
    interrupt::allow_closed_pipe(written.map(|()| ExitCode::SUCCESS).map_err(BoxError::from))
}
