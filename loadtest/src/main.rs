//! The command line of the load generator.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use kibitzer_loadtest::{
    LoadError, LoadModel, LoadTest, RequestKind, RequestLimits, Target, random_positions,
    read_positions,
};
use serde::Serialize;

/// Number of random positions without `--count`.
const DEFAULT_POSITIONS: usize = 10_000;

/// The same for cache hits: fewer, because each is searched before the measurement.
const DEFAULT_HIT_POSITIONS: usize = 100;

/// Drive a running kibitzer server, or several nodes, with requests: throughput, latency
/// percentiles and refusals.
#[derive(Parser)]
#[command(version)]
struct Options {
    /// URL of the server, such as http://127.0.0.1:8080. With several, requests go to them in turn
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// Repeat the measurement with the first node, the first two, and so on, each with the load of
    /// --connections or --rate, and print a table
    #[arg(long)]
    scaling: bool,
    /// Kind of request to send
    #[arg(long, value_enum, default_value_t = KindArg::LegalMoves)]
    kind: KindArg,
    /// Closed loop: number of connections, each of which sends, waits for the answer and repeats
    #[arg(long, default_value_t = 32, value_parser = parse_positive)]
    connections: usize,
    /// Open loop: requests per second, sent without waiting for answers; latency counts from the
    /// time when a request was due
    #[arg(
        long,
        value_name = "PER_SECOND",
        conflicts_with = "connections",
        value_parser = parse_rate
    )]
    rate: Option<f64>,
    /// Open loop: most concurrent requests
    #[arg(long, default_value_t = 10_000, value_parser = parse_positive)]
    in_flight: usize,
    /// Seconds during which requests are sent
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Seconds to wait afterwards for the last answers
    #[arg(long, default_value_t = 60)]
    drain: u32,
    /// Seconds that an answer may take
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// File with one FEN or EPD per line [default: positions of random games]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Number of different positions [default: all of a file, otherwise 10000, or 100 for hits]
    #[arg(long, value_parser = parse_positive)]
    count: Option<usize>,
    /// Seed of the random games
    #[arg(long, default_value_t = 1, conflicts_with = "positions")]
    seed: u64,
    /// Searches: depth in plies [default for hits: 8]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Searches: nodes
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Searches: time in milliseconds
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime_ms: Option<u64>,
    /// Analyses: number of lines
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    multipv: Option<u16>,
    /// API key; with several, requests use them in turn
    #[arg(long = "key", value_name = "KEY", env = "KIBITZER_KEY", hide_env_values = true)]
    keys: Vec<String>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindArg {
    /// POST /v1/legal-moves
    LegalMoves,
    /// POST /v1/best-move
    BestMove,
    /// POST /v1/best-move for positions in the evaluation cache: each is searched before the
    /// measurement
    Hit,
    /// POST /v1/analysis, streamed to its end
    Analysis,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a stderr the exit status alone reports the failure.
            let _ = writeln!(io::stderr(), "kibitzer-loadtest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let load_test = options.load_test()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let is_empty = if options.scaling {
        let report = runtime.block_on(load_test.run_scaling())?;
        print(&report, options.json)?;
        report.is_empty()
    } else {
        let report = runtime.block_on(load_test.run())?;
        print(&report, options.json)?;
        report.is_empty()
    };
    if is_empty { Err("no request was answered".into()) } else { Ok(()) }
}

/// Prints a report as text or as one JSON object.
fn print(report: &(impl Display + Serialize), as_json: bool) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    if as_json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{report}")?;
    }
    Ok(())
}

impl Options {
    fn load_test(&self) -> Result<LoadTest, LoadError> {
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let keys: Vec<String> = self.keys.iter().filter(|key| !key.is_empty()).cloned().collect();
        let connections = self.connections;
        Ok(LoadTest {
            target: Target::new(&self.urls, &keys, seconds(self.timeout))?,
            kind: self.kind.into(),
            limits: self.limits(),
            positions: self.positions()?,
            model: match self.rate {
                Some(rate) => LoadModel::Open { rate, in_flight: self.in_flight },
                None => LoadModel::Closed { connections },
            },
            duration: seconds(self.seconds),
            drain: seconds(self.drain),
        })
    }

    fn limits(&self) -> RequestLimits {
        let Options { depth, nodes, movetime_ms, multipv, .. } = *self;
        RequestLimits { depth, nodes, movetime_ms, multipv }
    }

    fn positions(&self) -> Result<Vec<String>, LoadError> {
        let default_count = match self.kind {
            KindArg::Hit => DEFAULT_HIT_POSITIONS,
            _ => DEFAULT_POSITIONS,
        };
        match &self.positions {
            None => Ok(random_positions(self.count.unwrap_or(default_count), self.seed)),
            Some(file) => {
                let mut fens = read_positions(file)?;
                fens.truncate(self.count.unwrap_or(usize::MAX));
                Ok(fens)
            }
        }
    }
}

impl From<KindArg> for RequestKind {
    fn from(kind: KindArg) -> RequestKind {
        match kind {
            KindArg::LegalMoves => RequestKind::LegalMoves,
            KindArg::BestMove => RequestKind::BestMove,
            KindArg::Hit => RequestKind::Hit,
            KindArg::Analysis => RequestKind::Analysis,
        }
    }
}

fn parse_positive(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "it must be a whole number from 1".to_owned())
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let fits = |rate: &f64| (0.001..=1e6).contains(rate);
    text.parse()
        .ok()
        .filter(fits)
        .ok_or_else(|| "it must be a number from 0.001 to 1000000".to_owned())
}
