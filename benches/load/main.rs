//! A client that measures a running server over loopback. `benches/http.sh` calls it; each part is bounded in count and time.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark says what it measured")]

mod client;
mod flood;
mod positions;
mod probe;
mod quantiles;
mod repeat;
mod sizes;

use std::error::Error;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Options {
    /// Given by `cargo bench`.
    #[arg(long, hide = true, global = true)]
    bench: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// The mean size of the answers of `/v1/legal-moves` to the first FENs of a file.
    Sizes(sizes::Options),
    /// One best-move request again and again: how long memory takes, by `Server-Timing`.
    Repeat(repeat::Options),
    /// Many best-move requests kept in flight, all of different positions.
    Flood(flood::Options),
    /// Legal moves at a steady rate, as another client asks for them meanwhile.
    Probe(probe::Options),
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(part) = Options::parse().part else {
        println!("a client for benches/http.sh: nothing to measure alone");
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match part {
            Part::Sizes(options) => sizes::run(&options).await,
            Part::Repeat(options) => repeat::run(&options).await,
            Part::Flood(options) => flood::run(&options).await,
            Part::Probe(options) => probe::run(&options).await,
        }
    })
}
