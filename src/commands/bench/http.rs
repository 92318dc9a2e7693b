//! `kibitzer bench http`

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use kibitzer::loadtest::{
    LoadError, LoadModel, LoadTest, RequestKind, RequestLimits, Target, random_positions,
    read_positions,
};

use crate::commands::BoxError;

/// Without a file so many positions are asked about; of dictionary hits fewer, since each is
/// searched first.
const DEFAULT_POSITIONS: usize = 10_000;
const DEFAULT_HIT_POSITIONS: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The server, as http://127.0.0.1:8080.
    url: String,
    /// What is asked.
    #[arg(long, value_enum, default_value_t = What::LegalMoves)]
    kind: What,
    /// A closed loop of so many connections: each asks, waits for the answer, and asks again.
    #[arg(long, default_value_t = 32, value_parser = at_least_one)]
    connections: usize,
    /// An open loop of so many requests a second, which do not wait for answers; latencies count
    /// from when each was due.
    #[arg(long, value_name = "PER_SECOND", conflicts_with = "connections", value_parser = rate)]
    rate: Option<f64>,
    /// Of an open loop, the most requests under way at once.
    #[arg(long, default_value_t = 10_000, value_parser = at_least_one)]
    in_flight: usize,
    /// How long requests are sent, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// How long the last answers are waited for then, in seconds.
    #[arg(long, default_value_t = 60)]
    drain: u32,
    /// How long an answer may take, in seconds.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// A file with a FEN or EPD a line; positions of random games unless given.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// How many positions are asked about before the first one comes again; all of a file, or
    /// 10000, of hits 100.
    #[arg(long, value_parser = at_least_one)]
    count: Option<usize>,
    /// What decides the random games.
    #[arg(long, default_value_t = 1, conflicts_with = "positions")]
    seed: u64,
    /// Of searches: iterations, in plies; of hits 8 unless something else is given.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..))]
    depth: Option<u8>,
    /// Of searches: moves that each makes.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Of searches: time, in milliseconds.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime_ms: Option<u64>,
    /// Of analyses: lines.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    multipv: Option<u16>,
    /// An API key; of several, each request shows the next.
    #[arg(long = "key", value_name = "KEY", env = "KIBITZER_KEY", hide_env_values = true)]
    keys: Vec<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// POST /v1/legal-moves
    LegalMoves,
    /// POST /v1/best-move
    BestMove,
    /// POST /v1/best-move about positions that the server knows: each is searched before the
    /// measurement
    Hit,
    /// POST /v1/analysis, line by line to its end
    Analysis,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let load_test = options.load_test()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(load_test.run())?;
    let mut out = io::stdout().lock();
    if options.json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{report}")?;
    }
    if report.is_empty() { Err("no request was answered".into()) } else { Ok(ExitCode::SUCCESS) }
}

impl Options {
    fn load_test(&self) -> Result<LoadTest, LoadError> {
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let keys: Vec<String> = self.keys.iter().filter(|key| !key.is_empty()).cloned().collect();
        let connections = self.connections;
        Ok(LoadTest {
            target: Target::new(&self.url, &keys, seconds(self.timeout))?,
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
        let default_count =
            if matches!(self.kind, What::Hit) { DEFAULT_HIT_POSITIONS } else { DEFAULT_POSITIONS };
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

impl From<What> for RequestKind {
    fn from(kind: What) -> RequestKind {
        match kind {
            What::LegalMoves => RequestKind::LegalMoves,
            What::BestMove => RequestKind::BestMove,
            What::Hit => RequestKind::Hit,
            What::Analysis => RequestKind::Analysis,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "must be a whole number from 1".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let fits = |rate: &f64| (0.001..=1e6).contains(rate);
    text.parse()
        .ok()
        .filter(fits)
        .ok_or_else(|| "must be a number from 0.001 to 1000000".to_owned())
}
