//! What threads and company cost: one search on two threads, and two searches in one process, each
//! against separate processes; the speed of one thread against another engine's, and how soon a
//! stop is answered.
//!
//! `cargo bench --bench scaling -- threads --positions book.epd` and so on; without a part it
//! measures nothing. Nothing else may run meanwhile, and the machine needs two cores. What is
//! compared takes turns, so that a machine that gets slower or faster does so for both.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark says what it measured")]

mod concurrency;
mod depth;
mod positions;
mod ratios;
mod speed;
mod stop;
mod threads;
mod uci;

use std::error::Error;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// What went wrong with a measurement.
type BenchResult<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
struct Options {
    /// Given by `cargo bench`.
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[command(subcommand)]
    benchmark: Option<Benchmark>,
}

#[derive(Subcommand)]
enum Benchmark {
    /// The nodes of one search on two threads, of those that two processes on one thread each
    /// search side by side.
    Threads(TimedOptions),
    /// How much sooner two threads reach a depth than one.
    Depth(depth::Options),
    /// The nodes of two searches of different positions in one process, of those that two processes
    /// search side by side.
    Company(concurrency::Options),
    /// The nodes a second of one thread, of those of another engine.
    Speed(speed::Options),
    /// How long a search takes to answer once it is told to stop.
    Stop(stop::Options),
    /// Searches positions at once in this process, when a line comes on standard input.
    #[command(hide = true)]
    Search(concurrency::Search),
}

/// What all parts want to know.
#[derive(Args)]
struct CommonOptions {
    /// A file with a position in each line, as FEN or EPD; an even sample is taken.
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// The table of each process, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
}

/// The program to measure.
#[derive(Args)]
struct EngineOptions {
    /// A UCI engine that is started with the argument `uci`; this project's own unless given.
    #[arg(long, value_name = "PROGRAM", default_value = env!("CARGO_BIN_EXE_kibitzer"))]
    engine: PathBuf,
}

/// Searches of a program on many positions, each for so long.
#[derive(Args)]
struct TimedOptions {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    program: EngineOptions,
    /// How many positions.
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// The time of each search, in milliseconds.
    #[arg(long, default_value_t = 1_000)]
    movetime: u64,
}

fn main() -> BenchResult<()> {
    match Options::parse().benchmark {
        None => {
            println!("scaling: choose a part; `-- --help` lists them");
            Ok(())
        }
        Some(Benchmark::Threads(options)) => threads::run(&options),
        Some(Benchmark::Depth(options)) => depth::run(&options),
        Some(Benchmark::Company(options)) => concurrency::run(&options),
        Some(Benchmark::Speed(options)) => speed::run(&options),
        Some(Benchmark::Stop(options)) => stop::run(&options),
        Some(Benchmark::Search(options)) => concurrency::search(&options),
    }
}
