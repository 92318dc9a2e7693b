//! `kibitzer-trainer label`: static labels by another program.

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;

use anyhow::Result;

use super::progress::ProgressLog;
use crate::labels::{LabelSettings, Labeller, Progress, RelativeSettings, Thinning};
use crate::value_parsers::share;

/// Games of a block. A stopped run loses the work on at most one block per worker.
const GAMES_PER_BLOCK: u32 = 256;

const BYTES_PER_GB: f64 = 1e9;

/// Arguments of `label`.
#[derive(Debug, clap::Args)]
pub struct Label {
    /// Program that evaluates positions (training/README.md, "Static labels")
    #[arg(long, value_name = "PATH")]
    evaluator: PathBuf,
    /// viriformat game files
    #[arg(long, num_args = 1.., required = true, value_name = "FILE")]
    seeds: Vec<PathBuf>,
    /// Folder of the label files, one per game file. A stopped run resumes there
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Game files (by name, without folder) whose results are unknown
    #[arg(long, num_args = 0.., default_value = "masters.vf", value_name = "NAME")]
    unknown_results: Vec<String>,
    /// Share of the games' positions that are seeds
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    seed_share: f32,
    /// Relatives drawn for each seed
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..))]
    relatives: u8,
    /// Keep relatives whatever their number of pieces
    #[arg(long)]
    flat: bool,
    /// Of the scores beyond CENTIPAWNS, keep one of COUNT
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 0..,
        default_value = "600:4,1500:16",
        value_name = "CENTIPAWNS:COUNT"
    )]
    thin: Vec<Thinning>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Evaluators that run at the same time [default: one per core]
    #[arg(long)]
    workers: Option<std::num::NonZeroUsize>,
    /// Stop before the label files together exceed this many GB (10⁹ bytes)
    #[arg(long, value_name = "GB")]
    max_gb: Option<f64>,
}

impl Label {
    /// Labels positions into files, and prints the progress.
    ///
    /// # Errors
    ///
    /// The game files or label files cannot be used, the evaluator fails, or nothing can be
    /// written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let settings = LabelSettings {
            evaluator: self.evaluator,
            seeds: self.seeds,
            folder: self.out,
            unknown_results: self.unknown_results,
            seed_share: self.seed_share,
            relatives: RelativeSettings { count: usize::from(self.relatives), flat: self.flat },
            thinning: self.thin,
            seed: self.seed,
            games_per_block: GAMES_PER_BLOCK,
            workers: match self.workers {
                Some(workers) => workers.get(),
                None => thread::available_parallelism()?.get(),
            },
            most_bytes: self.max_gb.map_or(u64::MAX, |gb| (gb * BYTES_PER_GB) as u64),
        };
        let mut log = ProgressLog::new(0, "blocks", out);
        let last = Labeller::new(settings)?.run(&mut |progress| {
            log.set_total(progress.missing_blocks as u64);
            log.report(progress.blocks as u64, |out| print_progress(out, progress));
        })?;
        log.finish()?;
        print_progress(out, last)?;
        if last.is_full {
            writeln!(out, "stopped at the size of --max-gb")?;
        }
        Ok(())
    }
}

fn print_progress(out: &mut dyn Write, progress: Progress) -> io::Result<()> {
    let Progress { blocks, missing_blocks, evaluated, labels, bytes, elapsed, .. } = progress;
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let speed = evaluated as f64 / seconds;
    let gb = bytes as f64 / BYTES_PER_GB;
    let left = (missing_blocks - blocks) as f64 * seconds / blocks.max(1) as f64 / 60.0;
    write!(
        out,
        "{blocks} of {missing_blocks} blocks, {labels} labels, {gb:.3} GB, \
         {speed:.0} positions per second"
    )?;
    if blocks > 0 { writeln!(out, ", {left:.0} minutes left") } else { writeln!(out) }
}
