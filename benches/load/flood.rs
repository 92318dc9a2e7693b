use crate::BenchResult;
use crate::load_generator::{LoadGenerator, latency_summary, number_at};
use crate::server::Server;

const WARM_UP: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 1_000)]
    in_flight: usize,
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    #[arg(long, default_value_t = 200)]
    movetime_ms: u32,
    /// Searches at once.
    #[arg(long, default_value_t = 2)]
    workers: usize,
}

/// Keeps many requests in flight, each of a position of its own, while another process asks for
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
    // A server that completes more than twenty searches for each place has other things to prove.
    let arguments = format!(
        "--kind best-move --movetime-ms {movetime_ms} --connections {in_flight} --seconds {seconds} --count {} --drain 2",
        20 * in_flight
    );
    let flood = LoadGenerator::run(&server, &arguments, &[]).await?;
    let moves = moves.finish().await?;
    let after = server.resident_mb()?;
    println!(
        "{in_flight} best-move requests of {movetime_ms} ms kept in flight for {seconds} s: {:.2} searches completed a second; {}",
        number_at(&flood, "/answered_per_second")?,
        flood["statuses"]
    );
    println!(
        "20 legal-moves requests a second of another process meanwhile: {}",
        latency_summary(&moves)?
    );
    println!(
        "resident memory: {before:.1} MB after {WARM_UP} warm-up requests, {after:.1} MB afterwards: {:.3} times",
        after / before
    );
    Ok(())
}
