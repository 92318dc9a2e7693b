//! The scaling of the search: one search on two threads and two concurrent searches, each compared
//! with separate processes. Also the speed compared with another engine, and the time to stop.
//!
//! Each benchmark is a subcommand: `cargo bench --bench scaling -- threads --positions book.epd`.
//! Without one, nothing is measured. The machine needs two idle cores. The compared runs alternate,
//! so that changes of the machine's speed affect both.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark prints its results")]

mod concurrency;
mod depth;
mod info;
mod paired_runs;
mod speed;
mod stop;
mod uci;

use std::error::Error;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The result of a measurement.
type BenchResult<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
struct Options {
    /// Passed by `cargo bench`
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[command(subcommand)]
    benchmark: Option<Benchmark>,
}

#[derive(Subcommand)]
enum Benchmark {
    /// Compares the nodes of one search on two threads with those of two processes on one thread
    /// each
    Threads(TimedOptions),
    /// Compares the time to a depth on two threads with that on one, and the nodes of two processes
    /// with those of one
    Depth(depth::Options),
    /// Compares the nodes of two concurrent searches in one process with those of two processes
    Concurrency(concurrency::Options),
    /// Compares the nodes per second on one thread with those of another engine
    Speed(speed::Options),
    /// Measures the time from `stop` to `bestmove`
    Stop(stop::Options),
    /// Searches positions concurrently in this process, after a line on standard input
    #[command(hide = true)]
    Search(concurrency::Search),
}

/// Options of all benchmarks.
#[derive(Args)]
struct CommonOptions {
    /// A file with a FEN or EPD per line, of which an even sample is taken
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// The table of each process, in MB
    #[arg(long, default_value_t = 64)]
    hash: usize,
}

/// The measured program.
#[derive(Args)]
struct EngineOptions {
    /// A UCI engine, started with the argument `uci`; by default kibitzer
    #[arg(long, value_name = "PROGRAM", default_value = env!("CARGO_BIN_EXE_kibitzer"))]
    engine: PathBuf,
}

/// Searches of a program on many positions, each with a time limit.
#[derive(Args)]
struct TimedOptions {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// The number of positions
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// The time of each search, in milliseconds
    #[arg(long, default_value_t = 1_000)]
    movetime: u64,
}

fn main() -> BenchResult<()> {
    match Options::parse().benchmark {
        None => {
            println!("scaling: choose a benchmark; `-- --help` lists them");
            Ok(())
        }
        Some(Benchmark::Threads(options)) => concurrency::run_threads(&options),
        Some(Benchmark::Depth(options)) => depth::run(&options),
        Some(Benchmark::Concurrency(options)) => concurrency::run(&options),
        Some(Benchmark::Speed(options)) => speed::run(&options),
        Some(Benchmark::Stop(options)) => stop::run(&options),
        Some(Benchmark::Search(options)) => concurrency::search(&options),
    }
}
