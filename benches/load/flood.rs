//! The flood scenario: many concurrent searches of different positions.

use crate::BenchResult;
use crate::load_generator::{LoadGenerator, latency_summary, number_at};
use crate::server::Server;

/// Number of requests before the reference value of the memory is read.
const WARM_UP: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Concurrent best-move requests.
    #[arg(long, default_value_t = 1_000)]
    in_flight: usize,
    /// Duration of the load in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Time of each search in milliseconds.
    #[arg(long, default_value_t = 200)]
    movetime_ms: u32,
    /// Search workers of the server.
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

/// Keeps many requests in flight, each with a different position, while another process requests
/// legal moves.
pub(crate) async fn run(options: &Options) -> BenchResult<()> {
    let Options { in_flight, seconds, movetime_ms, workers } = options;
    let server = Server::start(&format!("search.workers = {workers}")).await?;
    LoadGenerator::run(
        &server,
        &format!("--kind hit --count {WARM_UP} --seconds 1 --rate 10 --seed 2"),
        &[],
    )
    .await?;
    let before = server.resident_mb()?;
    let moves = LoadGenerator::start(
        &server,
        &format!("--kind legal-moves --rate 20 --seconds {seconds}"),
        &[],
    )?;
    // Positions repeat only if the server completes more than twenty searches per connection.
    let arguments = format!(
        "--kind best-move --movetime-ms {movetime_ms} --connections {in_flight} \
         --seconds {seconds} --count {} --drain 2",
        20 * in_flight
    );
    let flood = LoadGenerator::run(&server, &arguments, &[]).await?;
    let moves = moves.finish().await?;
    let after = server.resident_mb()?;
    println!(
        "{in_flight} concurrent best-move requests of {movetime_ms} ms for {seconds} s: \
         {:.2} searches completed per second; {}",
        number_at(&flood, "/answered_per_second")?,
        flood["statuses"]
    );
    println!(
        "20 legal-moves requests per second of another process at the same time: {}",
        latency_summary(&moves)?
    );
    println!(
        "resident memory: {before:.1} MB after {WARM_UP} warm-up requests, \
         {after:.1} MB after the load, ratio {:.3}",
        after / before
    );
    Ok(())
}
