//! `kibitzer datagen`

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use kibitzer::datagen::{DatagenSettings, Generator, Openings, Progress};

use super::BoxError;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder that the files go to, one a worker; a run that was stopped goes on there, with
    /// the settings that SEED.json keeps.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Games in all.
    #[arg(long, default_value_t = 1_000)]
    games: u64,
    /// Nodes a move; the iteration under way is finished.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A UCI engine that plays instead of kibitzer.
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// Openings, one FEN or EPD a line; the start position unless given.
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// So many moves by chance, and in every second game one more.
    #[arg(long, default_value_t = 8)]
    random_plies: u32,
    /// Openings whose first score lies beyond so many linear centipawns (docs/strength.md) are
    /// passed over.
    #[arg(long, default_value_t = 400)]
    most_at_start: u32,
    /// Games at once; one a core unless given.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    workers: Option<u64>,
    /// MiB for the table of each worker's engine.
    #[arg(long, default_value_t = 16)]
    hash: usize,
    /// What decides the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(options: Options) -> Result<ExitCode, BoxError> {
    let openings = match &options.book {
        None => Openings::from_startpos(options.random_plies),
        Some(path) => Openings::from_book(path, options.random_plies)?,
    };
    let settings = DatagenSettings {
        folder: options.out,
        games: options.games,
        nodes: options.nodes,
        hash_mb: options.hash.max(1),
        workers: match options.workers {
            Some(workers) => workers,
            None => thread::available_parallelism()?.get() as u64,
        },
        seed: options.seed,
        engine: options.engine,
        most_at_start: options.most_at_start,
    };
    let mut out = io::stdout().lock();
    let mut write_result = Ok(());
    let final_progress = Generator::new(settings, openings)?.run(&mut |progress| {
        // Without a reader the games are still worth having; the failure is told at the end.
        if write_result.is_ok() {
            write_result = print_progress(&mut out, progress);
        }
    })?;
    write_result?;
    print_progress(&mut out, final_progress)?;
    Ok(ExitCode::SUCCESS)
}

fn print_progress(out: &mut impl Write, progress: Progress) -> io::Result<()> {
    let Progress { games, positions, new_positions, elapsed } = progress;
    let speed = new_positions as f64 / elapsed.as_secs_f64().max(1e-9);
    writeln!(out, "{games} games, {positions} positions, {speed:.0} positions per second")
}
