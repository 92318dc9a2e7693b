//! The games scenario: a review job of hundreds of games, against two engine processes.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use kibitzer::chess::pgn::{PgnGame, PgnReader, decode};
use kibitzer::chess::{Position, splitmix, to_san};
use reqwest::Client;
use serde_json::{Value, json};

use crate::BenchResult;
use crate::engines::{SearchTotals, measure_engines};
use crate::server::{Server, client};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of random games, without `--pgn`.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Most plies of a random game.
    #[arg(long, default_value_t = 40)]
    plies: usize,
    /// PGN file with the games.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Nodes of each search.
    #[arg(long, default_value_t = 50_000)]
    nodes: u64,
    /// Transposition table of the server and of each engine process, in MB.
    #[arg(long, default_value_t = 64)]
    hash: usize,
    /// Most analyses in the evaluation cache. With few of them, the cache cannot explain a growth
    /// of the memory.
    #[arg(long, default_value_t = 50_000)]
    dictionary: usize,
}

/// The reference value of the memory is read after this fraction of the moves.
const WARMUP_DIVISOR: u64 = 10;

pub(crate) async fn run(options: &Options) -> BenchResult<()> {
    let pgn = match &options.pgn {
        Some(file) => decode(&std::fs::read(file)?).into_owned(),
        None => random_games(options.count, options.plies),
    };
    let games: Vec<PgnGame> = PgnReader::new(&pgn).filter_map(Result::ok).collect();
    let job = measure_server(options, &pgn).await?;
    println!(
        "a job of {} games at {} nodes per position: {} nodes in {:.1} s, {:.0} per second",
        games.len(),
        options.nodes,
        job.nodes,
        job.time.as_secs_f64(),
        job.nodes_per_second()
    );
    let (first, second) = games.split_at(games.len() / 2);
    measure_engines((&positions(first), &positions(second)), options.nodes, options.hash)?
        .print_comparison(&job);
    Ok(())
}

/// Runs the job on a server and prints its memory. Returns the totals of its searches.
async fn measure_server(options: &Options, pgn: &str) -> BenchResult<SearchTotals> {
    // Speculative searches would be measured too.
    let settings = format!(
        "search.workers = 2\nsearch.hash_mb = {}\nidle.positions = 0\n\
         store.path = \"$FOLDER/store\"\ndictionary.max_entries = {}\n",
        options.hash, options.dictionary
    );
    let server = Server::start(&settings).await?;
    let client = client()?;
    let started = Instant::now();
    let body = json!({ "pgn": pgn, "nodes": options.nodes }).to_string();
    let request =
        client.post(format!("{}/v1/games", server.url)).header("content-type", "application/json");
    let job: Value = request.body(body).send().await?.error_for_status()?.json().await?;
    let moves = job["moves"].as_u64().ok_or_else(|| format!("the job has no `moves`: {job}"))?;
    let path = job["url"].as_str().ok_or_else(|| format!("the job has no `url`: {job}"))?;
    let early =
        follow_events(&client, &format!("{}{path}", server.url), moves / WARMUP_DIVISOR, &server)
            .await?;
    let (time, end) = (started.elapsed(), server.resident_mb()?);
    println!(
        "resident memory: {early:.1} MB after a tenth of {moves} moves, {end:.1} MB at the end, \
         ratio {:.3} (target: at most 1.05)",
        end / early
    );
    Ok(SearchTotals { nodes: search_nodes(&client, &server).await?, time })
}

/// The positions of games in the order of a job: each game from its end.
fn positions(games: &[PgnGame]) -> Vec<Position> {
    let mut positions = Vec::new();
    for game in games {
        let mut game = game.to_game();
        loop {
            if game.position().has_moves() {
                positions.push(game.position().clone());
            }
            if game.undo().is_none() {
                break;
            }
        }
    }
    positions
}

/// Reads the events of a job to its end. Returns the memory of the server after `warmup_moves`
/// reviewed moves, in MB.
async fn follow_events(
    client: &Client,
    url: &str,
    warmup_moves: u64,
    server: &Server,
) -> BenchResult<f64> {
    let mut events = client.get(format!("{url}/events")).send().await?.error_for_status()?;
    let (mut buffer, mut moves, mut memory) = (Vec::new(), 0, None);
    while let Some(chunk) = events.chunk().await? {
        buffer.extend_from_slice(&chunk);
        while let Some(end) = buffer.iter().position(|&byte| byte == b'\n') {
            match &buffer[..end] {
                b"event: move" => moves += 1,
                b"event: end" => return memory.ok_or_else(|| "the job has no moves".into()),
                _ => {}
            }
            buffer.drain(..=end);
            if moves > warmup_moves && memory.is_none() {
                memory = Some(server.resident_mb()?);
            }
        }
    }
    Err("the event stream ended without an `end` event".into())
}

/// The nodes of all searches since the start of the server.
async fn search_nodes(client: &Client, server: &Server) -> BenchResult<u64> {
    let text = client
        .get(format!("{}/metrics", server.url))
        .send()
        .await?
        .error_for_status()?
        .text()
        .await?;
    let value = text.lines().find_map(|line| line.strip_prefix("kibitzer_search_nodes_total "));
    Ok(value.ok_or("/metrics has no kibitzer_search_nodes_total")?.parse()?)
}

/// A PGN with games of random moves.
fn random_games(count: usize, plies: usize) -> String {
    let mut random_index = 0;
    let mut text = String::new();
    for number in 1..=count {
        // Writing to a String cannot fail.
        let _ = write!(text, "[Event \"{number}\"]\n[Result \"*\"]\n\n");
        let mut position = Position::startpos();
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            random_index += 1;
            let mv = moves[(splitmix::nth(1, random_index) % moves.len() as u64) as usize];
            let _ = write!(text, "{} ", to_san(&position, mv));
            position.play(mv);
        }
        text.push_str("*\n\n");
    }
    text
}
