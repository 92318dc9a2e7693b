//! `kibitzer perft`: counts of move paths.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use kibitzer::chess::{CastlingNotation, Move, Position, perft, to_uci};
use kibitzer::terminal::progress_bar;

use super::positions::STARTPOS;
use super::{BoxError, interrupt};

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
    let started = Instant::now();
    let divided = divide(&position, options.depth);
    let nodes = match options.depth {
        // Without a first move there is still the position.
        0 => 1,
        _ => divided.iter().map(|&(_, nodes)| nodes).sum(),
    };
    let nps = nodes as f64 / started.elapsed().as_secs_f64().max(1e-9);
    let mut text = String::new();
    if options.divide {
        for (mv, nodes) in divided {
            let uci = to_uci(&position, mv, CastlingNotation::Standard);
            text.push_str(&format!("{uci}: {nodes}\n"));
        }
    }
    text.push_str(&format!("nodes {nodes}\nnps {nps:.0}\n"));
    let written = io::stdout().lock().write_all(text.as_bytes());
    interrupt::allow_closed_pipe(written.map(|()| ExitCode::SUCCESS).map_err(BoxError::from))
}

/// The count of each first move, with a bar at a terminal.
fn divide(position: &Position, depth: u8) -> Vec<(Move, u64)> {
    let divisions = perft::divisions(position, depth);
    let bar = progress_bar(divisions.len() as u64, "first moves");
    let counted = divisions.inspect(|_| bar.inc(1)).collect();
    bar.finish_and_clear();
    counted
}
