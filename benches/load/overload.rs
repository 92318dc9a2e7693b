use std::fmt::Write as _;

use reqwest::StatusCode;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::BenchResult;
use crate::load_generator::{LoadGenerator, latency_summary, number_at};
use crate::server::{Server, client};

/// Clients that share one half of the load.
const SMALL_CLIENTS: usize = 49;

/// Requests that each client may make in a minute, in the run with a rate limit.
const RATE_LIMIT: u32 = 60;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long the overload lasts, and the load that its memory is compared with.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Times the searches that the server completes.
    #[arg(long, default_value_t = 10.0)]
    times: f64,
    /// Of each search, in milliseconds.
    #[arg(long, default_value_t = 100)]
    movetime_ms: u32,
    /// Searches at once.
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

/// The API keys of those who ask.
struct Clients {
    greedy: Vec<String>,
    many: Vec<String>,
    bystander: Vec<String>,
}

impl Clients {
    fn new() -> Clients {
        let many = (1..=SMALL_CLIENTS).map(|number| format!("client-{number}")).collect();
        Clients { greedy: vec!["greedy".to_owned()], many, bystander: vec!["bystander".to_owned()] }
    }

    fn settings(&self, workers: usize, rate: u32) -> String {
        let mut settings =
            format!("search.workers = {workers}\nrate.requests = {rate}\nrate.window_ms = 60000\n");
        for key in self.greedy.iter().chain(&self.many).chain(&self.bystander) {
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
    /// A load of searches, each of another position.
    fn search_arguments(&self, rate: f64, seconds: u32, seed: u32) -> String {
        let count = (rate * f64::from(seconds)).ceil() + 1.0;
        let Options { movetime_ms, .. } = self;
        format!(
            "--kind best-move --movetime-ms {movetime_ms} --rate {rate:.2} --seconds {seconds} --count {count} --seed {seed}"
        )
    }
}

/// The searches a second that the server completes.
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
    println!("capacity: {capacity:.1} searches of {movetime_ms} ms a second on {workers} workers");
    Ok(capacity)
}

/// The mean of the memory under a load that the server can bear, in MB.
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
        &clients.many,
    )
    .await?;
    let (_, mean, _) = memory.finish().await?;
    println!(
        "0.8 × capacity for {} s: {}; {}; resident memory {mean:.1} MB in the mean",
        options.seconds,
        count_summary(&report),
        latency_summary(&report)?
    );
    Ok(mean)
}

async fn overload(
    server: &Server,
    options: &Options,
    capacity: f64,
    clients: &Clients,
    baseline_mb: f64,
) -> BenchResult<()> {
    let Options { seconds, times: factor, .. } = options;
    let half = capacity * factor / 2.0;
    // The dictionary knows these positions before the load comes.
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
    let many =
        LoadGenerator::start(server, &options.search_arguments(half, *seconds, 5), &clients.many)?;
    let (hits, moves, greedy, many) =
        (hits.finish().await?, moves.finish().await?, greedy.finish().await?, many.finish().await?);
    let (least, mean, most) = memory.finish().await?;

    println!(
        "{factor} × capacity for {seconds} s, open loop, half from one key and half from {SMALL_CLIENTS}:"
    );
    println!("  one key: {}", count_summary(&greedy));
    println!("  {SMALL_CLIENTS} keys: {}", count_summary(&many));
    println!(
        "  resident memory {least:.1} to {most:.1} MB, mean {mean:.1}: {:.3} to {:.3} of the mean at 0.8 × capacity (wanted: 0.9 to 1.1)",
        least / baseline_mb,
        most / baseline_mb
    );
    println!(
        "  dictionary hits of another process: {}, {} (wanted: p99 under 20 ms)",
        latency_summary(&hits)?,
        count_summary(&hits)
    );
    println!(
        "  legal moves of another process: {}, {} (wanted: p99 under 20 ms)",
        latency_summary(&moves)?,
        count_summary(&moves)
    );
    let per_key = answers_per_key(&many)?;
    let (sum, slowest) =
        (per_key.iter().sum::<f64>(), per_key.iter().copied().fold(f64::INFINITY, f64::min));
    let mean = sum / per_key.len() as f64;
    println!(
        "  searches got: {mean:.2} by each of the {SMALL_CLIENTS} in the mean, {slowest} by the slowest, {} by the greedy one",
        number_at(&greedy, "/answered")?
    );
    println!(
        "  slowest ÷ mean {:.2} (wanted: 0.7 at least), greedy ÷ mean {:.2} (wanted: 1.5 at most)",
        slowest / mean,
        number_at(&greedy, "/answered")? / mean
    );
    Ok(())
}

/// The same overload on a server that limits how often a client may ask.
async fn rate_limited_overload(
    options: &Options,
    capacity: f64,
    clients: &Clients,
) -> BenchResult<()> {
    let server = Server::start(&clients.settings(options.workers, RATE_LIMIT)).await?;
    let half = capacity * options.times / 2.0;
    let greedy =
        LoadGenerator::start(&server, &options.search_arguments(half, 10, 6), &clients.greedy)?;
    let many =
        LoadGenerator::start(&server, &options.search_arguments(half, 10, 7), &clients.many)?;
    let (greedy, many) = (greedy.finish().await?, many.finish().await?);
    println!("the same for 10 s with a limit of {RATE_LIMIT} requests a minute:");
    println!("  one key: {}", count_summary(&greedy));
    println!("  {SMALL_CLIENTS} keys: {}", count_summary(&many));
    // Its places come back one a second.
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
        "  the greedy one asks on: {}, Retry-After: {}, RateLimit-Policy: {}, RateLimit: {}",
        answer.status(),
        header("retry-after"),
        header("ratelimit-policy"),
        header("ratelimit")
    );
    Ok(())
}

/// What each key has got.
fn answers_per_key(report: &Value) -> BenchResult<Vec<f64>> {
    let keys = report["keys"].as_array().ok_or("no keys")?;
    keys.iter().map(|key| number_at(key, "/answered")).collect()
}

/// Everything that was counted, in words.
fn count_summary(report: &Value) -> String {
    let sums =
        ["statuses", "codes", "failures"].into_iter().filter_map(|name| report[name].as_object());
    let mut counts: Vec<String> =
        sums.flatten().map(|(what, count)| format!("{what}: {count}")).collect();
    for what in ["not_sent", "unfinished", "misses"] {
        if report[what].as_u64().is_some_and(|count| count > 0) {
            counts.push(format!("{what}: {}", report[what]));
        }
    }
    counts.join(", ")
}
