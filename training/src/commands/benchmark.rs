//! `kibitzer-trainer benchmark`: the errors of a network on positions of strong engines' games.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use kibitzer::engine::{Engine, EngineOptions, Network};
use rayon::prelude::*;

use crate::benchmark::{self, ALL_MEN, MEN};

/// Arguments of `benchmark`.
#[derive(Debug, clap::Args)]
pub struct Benchmark {
    /// A network file
    #[arg(long)]
    pub network: PathBuf,
    /// A CSV file of positions with the columns `fen`, `engine_score_cp_white`, `result` and
    /// `game_id`
    #[arg(long)]
    pub positions: PathBuf,
    /// Writes the evaluations to this file: a line for each position, centipawns from White's view
    #[arg(long)]
    pub save: Option<PathBuf>,
    /// Compares with the evaluations that `--save` wrote
    #[arg(long)]
    pub against: Option<PathBuf>,
}

impl Benchmark {
    /// Prints the mean squared errors from the deep evaluations and from the results, with their
    /// standard errors, by number of men; besides the paired differences from other evaluations.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written, or is invalid.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let network = Network::read(&self.network)
            .with_context(|| format!("cannot read the network {}", self.network.display()))?;
        let positions = benchmark::load(&self.positions)?;
        let options = EngineOptions { hash_mb: 1, ..EngineOptions::default() };
        let engine = Engine::with_network(options, Arc::new(network))?;
        let scores: Vec<i32> = positions
            .par_iter()
            .map(|position| engine.evaluate_pieces(&position.board).white_value)
            .collect();
        if let Some(path) = &self.save {
            let lines: String = scores.iter().map(|score| format!("{score}\n")).collect();
            fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let others = self.against.as_deref().map(|path| read_scores(path, positions.len()));
        let others = others.transpose()?;

        writeln!(out, "{} positions", positions.len())?;
        let ranges: Vec<_> = [ALL_MEN].into_iter().chain(MEN).collect();
        benchmark::write_errors(out, &positions, &scores, others.as_deref(), &ranges)
    }
}

/// The evaluations of a file, one a line.
fn read_scores(path: &Path, count: usize) -> Result<Vec<i32>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parse = |(index, line): (usize, &str)| {
        let place = || format!("{}, line {}: `{line}` is not a number", path.display(), index + 1);
        line.trim().parse::<i32>().with_context(place)
    };
    let scores = text.lines().enumerate().map(parse).collect::<Result<Vec<_>>>()?;
    let found = scores.len();
    ensure!(
        found == count,
        "{} has {found} evaluations; the positions are {count}",
        path.display()
    );
    Ok(scores)
}
