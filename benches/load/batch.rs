//! The batch scenario: thousands of positions in one request, against two engine processes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kibitzer::chess::Position;
use kibitzer_loadtest::{random_positions, read_positions};
use serde_json::{Value, json};

use crate::BenchResult;
use crate::engines::{SearchTotals, measure_engines};
use crate::server::{Server, client};

/// Number of answers after which the reference value of the memory is read.
const WARMUP_ANSWERS: usize = 200;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of positions.
    #[arg(long, default_value_t = 2_000)]
    count: usize,
    /// Nodes of each search.
    #[arg(long, default_value_t = 50_000)]
    nodes: u64,
    /// Transposition table of the server and of each engine process, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// File with one FEN or EPD per line [default: positions of random games].
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
}

pub(crate) async fn run(options: &Options) -> BenchResult<()> {
    let fens = match &options.positions {
        None => random_positions(options.count, 1),
        Some(file) => read_positions(file)?.into_iter().take(options.count).collect(),
    };
    let (batch, early, end) = measure_server(options, &fens).await?;
    println!(
        "a batch of {} positions at {} nodes each: {} nodes in {:.1} s, {:.0} per second",
        fens.len(),
        options.nodes,
        batch.nodes,
        batch.time.as_secs_f64(),
        batch.nodes_per_second()
    );
    println!(
        "resident memory: {early:.1} MB after {WARMUP_ANSWERS} answers, {end:.1} MB at the end, \
         ratio {:.3} (target: at most 1.05)",
        end / early
    );
    let positions: Vec<Position> =
        fens.iter().map(|fen| Position::from_fen(fen)).collect::<Result<_, _>>()?;
    measure_engines(positions.split_at(positions.len() / 2), options.nodes, options.hash)?
        .print_comparison(&batch);
    Ok(())
}

/// Sends the batch. Returns its totals, and the memory of the server after the first answers and at
/// the end, in MB.
async fn measure_server(
    options: &Options,
    fens: &[String],
) -> BenchResult<(SearchTotals, f64, f64)> {
    let Options { hash, nodes, .. } = options;
    let server = Server::start(&format!("search.workers = 2\nsearch.hash_mb = {hash}\n")).await?;
    let line = |(id, fen): (usize, &String)| {
        format!("{}\n", json!({ "id": id, "fen": fen, "nodes": nodes }))
    };
    let body: String = fens.iter().enumerate().map(line).collect();
    let started = Instant::now();
    let request = client()?
        .post(format!("{}/v1/batch", server.url))
        .header("content-type", "application/x-ndjson");
    let mut response = request.body(body).send().await?.error_for_status()?;
    let mut totals = SearchTotals { nodes: 0, time: Duration::ZERO };
    let (mut buffer, mut answers, mut early) = (Vec::new(), 0, server.resident_mb()?);
    while let Some(chunk) = response.chunk().await? {
        buffer.extend_from_slice(&chunk);
        while let Some(end) = buffer.iter().position(|&byte| byte == b'\n') {
            let line: Value = serde_json::from_slice(&buffer[..end])?;
            buffer.drain(..=end);
            if line["type"] == "end" {
                totals.time = started.elapsed();
                continue;
            }
            totals.nodes +=
                line["nodes"].as_u64().ok_or_else(|| format!("a line has no nodes: {line}"))?;
            answers += 1;
            if answers == WARMUP_ANSWERS {
                early = server.resident_mb()?;
            }
        }
    }
    if answers != fens.len() || totals.time.is_zero() {
        return Err(format!(
            "{answers} answers to {} positions, {} an end line",
            fens.len(),
            if totals.time.is_zero() { "without" } else { "with" }
        )
        .into());
    }
    Ok((totals, early, server.resident_mb()?))
}
