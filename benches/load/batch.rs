use std::path::PathBuf;
use std::time::{Duration, Instant};

use kibitzer::chess::Position;
use kibitzer_loadtest::{random_positions, read_positions};
use serde_json::{Value, json};

use crate::BenchResult;
use crate::engines::{SearchTotals, measure_engines};
use crate::server::{Server, client};

/// The memory after so many answers is what the memory at the end is compared with.
const WARMUP_ANSWERS: usize = 200;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many positions.
    #[arg(long, default_value_t = 2_000)]
    count: usize,
    /// Of each search.
    #[arg(long, default_value_t = 50_000)]
    nodes: u64,
    /// The table of the server and of each engine process, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// A file with a FEN or EPD a line; positions of random games unless given.
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
        "a batch of {} positions at {} nodes: {} nodes in {:.1} s, {:.0} a second",
        fens.len(),
        options.nodes,
        batch.nodes,
        batch.time.as_secs_f64(),
        batch.nodes_per_second()
    );
    println!(
        "resident memory: {early:.1} MB after {WARMUP_ANSWERS} answers, {end:.1} MB at the end: {:.3} times (wanted: 1.05 at most)",
        end / early
    );
    let positions: Vec<Position> =
        fens.iter().map(|fen| Position::from_fen(fen)).collect::<Result<_, _>>()?;
    measure_engines(positions.split_at(positions.len() / 2), options.nodes, options.hash)?
        .print_comparison(&batch);
    Ok(())
}

/// The batch, and the server's memory after the first answers and at the end, in MB.
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
    let mut work = SearchTotals { nodes: 0, time: Duration::ZERO };
    let (mut buffer, mut answers, mut early) = (Vec::new(), 0, server.resident_mb()?);
    while let Some(chunk) = response.chunk().await? {
        buffer.extend_from_slice(&chunk);
        while let Some(end) = buffer.iter().position(|&byte| byte == b'\n') {
            let line: Value = serde_json::from_slice(&buffer[..end])?;
            buffer.drain(..=end);
            if line["type"] == "end" {
                work.time = started.elapsed();
                continue;
            }
            work.nodes += line["nodes"].as_u64().ok_or_else(|| format!("no answer: {line}"))?;
            answers += 1;
            if answers == WARMUP_ANSWERS {
                early = server.resident_mb()?;
            }
        }
    }
    if answers != fens.len() || work.time.is_zero() {
        return Err(format!(
            "{answers} answers, and {}",
            if work.time.is_zero() { "no end" } else { "an end" }
        )
        .into());
    }
    Ok((work, early, server.resident_mb()?))
}
