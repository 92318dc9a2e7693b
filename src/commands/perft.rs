//! `kibitzer perft`: counts of move paths.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use kibitzer::chess::{CastlingNotation, Position, perft, to_uci};

use super::BoxError;

/// The name of the start position, as in the HTTP API.
const STARTPOS: &str = "startpos";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Depth in plies, at most 255
    depth: u8,
    /// FEN of the position, or `startpos`
    #[arg(long, default_value = STARTPOS)]
    fen: String,
    /// Print the count of each first move
    #[arg(long)]
    divide: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let position = match options.fen.as_str() {
        STARTPOS => Position::startpos(),
        fen => Position::from_fen(fen)?,
    };
    let mut out = io::stdout().lock();
    let started = Instant::now();
    // Depth 0 has no first moves.
    let nodes = if options.divide && options.depth > 0 {
        let divided = perft::divide(&position, options.depth);
        for &(mv, nodes) in &divided {
            writeln!(out, "{}: {nodes}", to_uci(&position, mv, CastlingNotation::Standard))?;
        }
        divided.iter().map(|&(_, nodes)| nodes).sum()
    } else {
        perft::perft(&position, options.depth)
    };
    let seconds = started.elapsed().as_secs_f64();
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "nps {:.0}", nodes as f64 / seconds.max(1e-9))?;
    Ok(ExitCode::SUCCESS)
}
