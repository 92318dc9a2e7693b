//! The service under load, on servers that are started for it: `cargo bench --bench load --
//! overload` and so on; without a part it measures nothing. Nothing else may run meanwhile. Each
//! part is bounded in count and time, and asks this machine alone.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark says what it measured")]

mod batch;
mod engines;
mod flood;
mod games;
mod load_generator;
mod overload;
mod server;
#[path = "../scaling/uci.rs"]
#[allow(dead_code, reason = "each benchmark needs a part of it")]
mod uci;

use std::error::Error;

use clap::{Parser, Subcommand};

/// What went wrong with a measurement.
type BenchResult<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
struct Options {
    /// Given by `cargo bench`.
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[command(subcommand)]
    scenario: Option<Scenario>,
}

#[derive(Subcommand)]
enum Scenario {
    /// Ten times the searches that the server completes, half of them from one client: who gets
    /// what, and what the others feel.
    Overload(overload::Options),
    /// A thousand positions of different clients kept in flight: memory, and what another client
    /// feels.
    Flood(flood::Options),
    /// Thousands of positions in one request: its nodes a second against two engine processes, and
    /// its memory.
    Batch(batch::Options),
    /// Hundreds of games as one job: its nodes a second against two engine processes, and its
    /// memory.
    Games(games::Options),
}

fn main() -> BenchResult<()> {
    let Some(scenario) = Options::parse().scenario else {
        println!("load: choose a part; `-- --help` lists them");
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match scenario {
            Scenario::Overload(options) => overload::run(&options).await,
            Scenario::Flood(options) => flood::run(&options).await,
            Scenario::Batch(options) => batch::run(&options).await,
            Scenario::Games(options) => games::run(&options).await,
        }
    })
}
