//! `kibitzer-trainer benchmark`: the errors of a network on positions of strong engines' games.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use kibitzer::engine::{Engine, EngineOptions, Network};
use rayon::prelude::*;

use crate::benchmark::{self, MEN, Position, Reference};

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
        for (name, reference) in
            [("deep evaluation", Reference::DeepEvaluation), ("result", Reference::GameResult)]
        {
            let (scale, errors) = errors_at_best_scale(&scores, &positions, reference);
            writeln!(out, "against the {name}: best scale {scale:.0}")?;
            let differences = others.as_ref().map(|others| {
                let (_, other_errors) = errors_at_best_scale(others, &positions, reference);
                errors.iter().zip(other_errors).map(|(own, other)| own - other).collect::<Vec<_>>()
            });
            print_rows(out, &positions, &errors, differences.as_deref())?;
        }
        Ok(())
    }
}

fn errors_at_best_scale(
    scores: &[i32],
    positions: &[Position],
    reference: Reference,
) -> (f64, Vec<f64>) {
    let scale = benchmark::best_scale(scores, positions, reference);
    (scale, benchmark::squared_errors(scores, positions, reference, scale))
}

/// A row for all positions, and one for each range of men.
fn print_rows(
    out: &mut dyn Write,
    positions: &[Position],
    errors: &[f64],
    differences: Option<&[f64]>,
) -> Result<()> {
    let all = std::iter::once(("all".to_owned(), (0, 32)));
    let ranges = MEN.iter().map(|men| (format!("{}-{} men", men.0, men.1), *men));
    for (name, men) in all.chain(ranges) {
        let Some((count, error)) = benchmark::estimate(errors, positions, men) else { continue };
        write!(out, "  {name:10} {count:5} positions  mean squared error {error}")?;
        if let Some((_, difference)) =
            differences.and_then(|values| benchmark::estimate(values, positions, men))
        {
            write!(out, "   difference {difference}")?;
        }
        writeln!(out)?;
    }
    Ok(())
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
