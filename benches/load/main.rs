//! Benchmark of a server under load.
//!
//! `cargo bench --bench load -- overload` runs one scenario; without a scenario it measures
//! nothing. Run it on an idle machine. Each scenario starts its own server on this machine, and
//! sends a bounded number of requests in a bounded time.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark prints its results")]

mod batch;
mod engines;
mod flood;
mod games;
mod load_generator;
mod overload;
mod server;
#[path = "../scaling/uci.rs"]
mod uci;

use std::error::Error;

use clap::{Parser, Subcommand};

/// The result of a benchmark or of a part of it.
type BenchResult<T> = Result<T, Box<dyn Error>>;

#[derive(Parser)]
struct Options {
    /// Passed by `cargo bench`.
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[command(subcommand)]
    scenario: Option<Scenario>,
}

#[derive(Subcommand)]
enum Scenario {
    /// Ten times as many searches as the server completes, half of them from one client: answers
    /// per client, and latency of other requests.
    Overload(overload::Options),
    /// A thousand concurrent searches of different positions: memory, and latency of another
    /// client.
    Flood(flood::Options),
    /// Thousands of positions in one request: nodes per second against two engine processes, and
    /// memory.
    Batch(batch::Options),
    /// Hundreds of games as one review job: nodes per second against two engine processes, and
    /// memory.
    Games(games::Options),
}

fn main() -> BenchResult<()> {
    let Some(scenario) = Options::parse().scenario else {
        println!("load: name a scenario; `-- --help` lists them");
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
