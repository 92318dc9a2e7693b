//! The overload scenario: several times the load that the server can complete.

use std::fmt::Write as _;

use reqwest::StatusCode;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::BenchResult;
use crate::load_generator::{LoadGenerator, latency_summary, number_at};
use crate::server::{Server, client};

/// Number of clients that share one half of the load. The other half comes from one client.
const SMALL_CLIENTS: usize = 49;

/// Rate limit of each client in requests per minute, in the run with a rate limit.
const RATE_LIMIT: u32 = 60;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Duration in seconds of the overload, and of the reference load before it.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Overload as a multiple of the searches that the server completes.
    #[arg(long, default_value_t = 10.0)]
    times: f64,
    /// Time of each search in milliseconds.
    #[arg(long, default_value_t = 100)]
    movetime_ms: u32,
    /// Search workers of the server.
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

pub(crate) async fn run(options: &Options) -> BenchResult<()> {
    let clients = Clients::new();
    let server = Server::start(&clients.settings(options.workers, 0)).await?;
    let capacity = measure_capacity(&server, options, &clients).await?;
    let baseline_mb = baseline_memory(&server, options, capacity, &clients).await?;
    overload(&server, options, capacity, &clients, baseline_mb).await?;
    drop(server);
    rate_limited_overload(options, capacity, &clients).await
}

/// The API keys of the clients.
struct Clients {
    /// The client that sends half of the overload.
    greedy: Vec<String>,
    /// The clients that share the other half.
    small: Vec<String>,
    /// The client whose latency is measured.
    bystander: Vec<String>,
}

impl Clients {
    fn new() -> Clients {
        Clients {
            greedy: vec!["greedy".to_owned()],
            small: (1..=SMALL_CLIENTS).map(|number| format!("client-{number}")).collect(),
            bystander: vec!["bystander".to_owned()],
        }
    }

    fn settings(&self, workers: usize, rate: u32) -> String {
        let mut settings =
            format!("search.workers = {workers}\nrate.requests = {rate}\nrate.window_ms = 60000\n");
        for key in self.greedy.iter().chain(&self.small).chain(&self.bystander) {
            let digest = Sha256::digest(key).iter().fold(String::new(), |mut hex, byte| {
                // Writing to a String cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            settings
                .push_str(&format!("[[access.keys]]\nname = \"{key}\"\nsha256 = \"{digest}\"\n"));
        }
        settings
    }
}

impl Options {
    /// The arguments of a load of searches, each of a different position.
    fn search_arguments(&self, rate: f64, seconds: u32, seed: u32) -> String {
        let count = (rate * f64::from(seconds)).ceil() + 1.0;
        let Options { movetime_ms, .. } = self;
        format!(
            "--kind best-move --movetime-ms {movetime_ms} --rate {rate:.2} \
             --seconds {seconds} --count {count} --seed {seed}"
        )
    }
}

/// Measures how many searches per second the server completes.
async fn measure_capacity(
    server: &Server,
    options: &Options,
    clients: &Clients,
) -> BenchResult<f64> {
    let Options { movetime_ms, workers, .. } = options;
    let arguments = format!(
        "--kind best-move --movetime-ms {movetime_ms} --connections {} --seconds 10 --seed 1",
        workers * 4
    );
    let capacity = number_at(
        &LoadGenerator::run(server, &arguments, &clients.bystander).await?,
        "/answered_per_second",
    )?;
    println!(
        "capacity: {capacity:.1} searches of {movetime_ms} ms per second on {workers} workers"
    );
    Ok(capacity)
}

/// The mean of the memory under a load below the capacity, in MB.
async fn baseline_memory(
    server: &Server,
    options: &Options,
    capacity: f64,
    clients: &Clients,
) -> BenchResult<f64> {
    let memory = server.sample_memory();
    let report = LoadGenerator::run(
        server,
        &options.search_arguments(0.8 * capacity, options.seconds, 2),
        &clients.small,
    )
    .await?;
    let (_, mean, _) = memory.finish().await?;
    println!(
        "0.8 × capacity for {} s: {}; {}; mean resident memory {mean:.1} MB",
        options.seconds,
        count_summary(&report),
        latency_summary(&report)?
    );
    Ok(mean)
}

/// Sends the overload, and prints memory, latencies and the answers of each client.
async fn overload(
    server: &Server,
    options: &Options,
    capacity: f64,
    clients: &Clients,
    baseline_mb: f64,
) -> BenchResult<()> {
    let Options { seconds, times: factor, .. } = options;
    let half = capacity * factor / 2.0;
    // Fills the evaluation cache with the positions of the hits.
    LoadGenerator::run(server, "--kind hit --rate 20 --seconds 1 --seed 3", &clients.bystander)
        .await?;
    let memory = server.sample_memory();
    let hits = LoadGenerator::start(
        server,
        &format!("--kind hit --rate 20 --seconds {seconds} --seed 3"),
        &clients.bystander,
    )?;
    let moves = LoadGenerator::start(
        server,
        &format!("--kind legal-moves --rate 20 --seconds {seconds}"),
        &clients.bystander,
    )?;
    let greedy = LoadGenerator::start(
        server,
        &options.search_arguments(half, *seconds, 4),
        &clients.greedy,
    )?;
    let small =
        LoadGenerator::start(server, &options.search_arguments(half, *seconds, 5), &clients.small)?;
    let (hits, moves) = (hits.finish().await?, moves.finish().await?);
    let (greedy, small) = (greedy.finish().await?, small.finish().await?);
    let (minimum, mean, maximum) = memory.finish().await?;

    println!(
        "{factor} × capacity for {seconds} s, open loop, half from one key and half from \
         {SMALL_CLIENTS} keys:"
    );
    println!("  one key: {}", count_summary(&greedy));
    println!("  {SMALL_CLIENTS} keys: {}", count_summary(&small));
    println!(
        "  resident memory {minimum:.1} to {maximum:.1} MB, mean {mean:.1}: \
         {:.3} to {:.3} times the mean at 0.8 × capacity (target: 0.9 to 1.1)",
        minimum / baseline_mb,
        maximum / baseline_mb
    );
    println!(
        "  evaluation cache hits of another process: {}, {} (target: p99 under 20 ms)",
        latency_summary(&hits)?,
        count_summary(&hits)
    );
    println!(
        "  legal moves of another process: {}, {} (target: p99 under 20 ms)",
        latency_summary(&moves)?,
        count_summary(&moves)
    );
    let per_key = answers_per_key(&small)?;
    let (sum, fewest) =
        (per_key.iter().sum::<f64>(), per_key.iter().copied().fold(f64::INFINITY, f64::min));
    let mean = sum / per_key.len() as f64;
    println!(
        "  searches per key: mean of the {SMALL_CLIENTS} keys {mean:.2}, the fewest {fewest}, \
         the single key {}",
        number_at(&greedy, "/answered")?
    );
    println!(
        "  fewest ÷ mean {:.2} (target: at least 0.7), single key ÷ mean {:.2} \
         (target: at most 1.5)",
        fewest / mean,
        number_at(&greedy, "/answered")? / mean
    );
    Ok(())
}

/// Sends the same overload to a server with a rate limit.
async fn rate_limited_overload(
    options: &Options,
    capacity: f64,
    clients: &Clients,
) -> BenchResult<()> {
    let server = Server::start(&clients.settings(options.workers, RATE_LIMIT)).await?;
    let half = capacity * options.times / 2.0;
    let greedy =
        LoadGenerator::start(&server, &options.search_arguments(half, 10, 6), &clients.greedy)?;
    let small =
        LoadGenerator::start(&server, &options.search_arguments(half, 10, 7), &clients.small)?;
    let (greedy, small) = (greedy.finish().await?, small.finish().await?);
    println!("the same for 10 s with a limit of {RATE_LIMIT} requests per minute:");
    println!("  one key: {}", count_summary(&greedy));
    println!("  {SMALL_CLIENTS} keys: {}", count_summary(&small));
    // The key regains one request per second, so a few requests reach the limit again.
    let (client, address) = (client()?, format!("{}/v1/limits", server.url));
    let mut answer = client.get(&address).bearer_auth(&clients.greedy[0]).send().await?;
    for _ in 0..RATE_LIMIT {
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            break;
        }
        answer = client.get(&address).bearer_auth(&clients.greedy[0]).send().await?;
    }
    let header = |name: &str| {
        answer
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("none")
            .to_owned()
    };
    println!(
        "  next request of the single key: {}, Retry-After: {}, RateLimit-Policy: {}, \
         RateLimit: {}",
        answer.status(),
        header("retry-after"),
        header("ratelimit-policy"),
        header("ratelimit")
    );
    Ok(())
}

/// The number of answers of each key.
fn answers_per_key(report: &Value) -> BenchResult<Vec<f64>> {
    let keys = report["keys"].as_array().ok_or("the report has no `keys`")?;
    keys.iter().map(|key| number_at(key, "/answered")).collect()
}

/// The counts of a report, as text.
fn count_summary(report: &Value) -> String {
    let maps =
        ["statuses", "codes", "failures"].into_iter().filter_map(|name| report[name].as_object());
    let mut counts: Vec<String> =
        maps.flatten().map(|(name, count)| format!("{name}: {count}")).collect();
    for name in ["not_sent", "unfinished", "misses"] {
        if report[name].as_u64().is_some_and(|count| count > 0) {
            counts.push(format!("{name}: {}", report[name]));
        }
    }
    counts.join(", ")
}
