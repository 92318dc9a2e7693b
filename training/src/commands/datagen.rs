//! `kibitzer-trainer datagen`: training games by self-play.

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;

use anyhow::Result;

use super::progress::ProgressLog;
use crate::datagen::{DatagenSettings, Generator, Openings, Progress};

/// Arguments of `datagen`.
#[derive(Debug, clap::Args)]
pub struct Datagen {
    /// Folder of the game files, one per worker. A stopped run resumes there, with the settings
    /// that SEED.json keeps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Total number of games
    #[arg(long, default_value_t = 1_000)]
    games: u64,
    /// Nodes per move; the current iteration is completed
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// UCI engine that plays instead of kibitzer
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// Opening book, one FEN or EPD per line [default: the start position]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Random moves at the start of a game; every second game has one more
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Largest first score of an opening, in linear centipawns (docs/strength.md); other openings
    /// are skipped
    #[arg(long, default_value_t = 400)]
    most_at_start: u32,
    /// Concurrent games [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    workers: Option<u64>,
    /// Transposition table of each worker, in MiB
    #[arg(long, default_value_t = 16)]
    hash: usize,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Datagen {
    /// Plays games into files, and prints the progress.
    ///
    /// # Errors
    ///
    /// The book or the game files cannot be used, an engine fails, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let openings = match &self.book {
            None => Openings::from_startpos(self.random_plies),
            Some(path) => Openings::from_book(path, self.random_plies)?,
        };
        let settings = DatagenSettings {
            folder: self.out,
            games: self.games,
            nodes: self.nodes,
            hash_mb: self.hash.max(1),
            workers: match self.workers {
                Some(workers) => workers,
                None => thread::available_parallelism()?.get() as u64,
            },
            seed: self.seed,
            engine: self.engine,
            most_at_start: self.most_at_start,
        };
        let mut log = ProgressLog::new(self.games, "games", out);
        let final_progress = Generator::new(settings, openings)?.run(&mut |progress| {
            log.report(progress.games, |out| print_progress(out, progress));
        })?;
        log.finish()?;
        Ok(print_progress(out, final_progress)?)
    }
}

fn print_progress(out: &mut dyn Write, progress: Progress) -> io::Result<()> {
    let Progress { games, positions, new_positions, elapsed } = progress;
    let speed = new_positions as f64 / elapsed.as_secs_f64().max(1e-9);
    writeln!(out, "{games} games, {positions} positions, {speed:.0} positions per second")
}
