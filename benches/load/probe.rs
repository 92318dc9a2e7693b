use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::quantiles::quantile;
use crate::{client, positions};

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    url: String,
    /// Requests a second.
    #[arg(long, default_value_t = 20)]
    rate: u32,
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Asks for legal moves at a steady rate and prints how long the answers took, from the time when each was due.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let client = client::new()?;
    let count = options.rate * options.seconds;
    let fens = positions::different(count as usize);
    let start = Instant::now();
    let mut milliseconds = Vec::with_capacity(fens.len());
    for (n, fen) in (0..).zip(&fens) {
        let due = start + Duration::from_secs(1) * n / options.rate;
        tokio::time::sleep_until(due.into()).await;
        client::body(client::post(&client, &options.url, "/v1/legal-moves", &json!({ "fen": fen })).await?).await?;
        milliseconds.push(due.elapsed().as_secs_f64() * 1_000.0);
    }
    let [half, most, all] = [0.5, 0.99, 1.0].map(|share| quantile(&mut milliseconds, share));
    println!(
        "{count} legal-moves requests at {} a second meanwhile: median {half:.2} ms, p99 {most:.2} ms, longest {all:.2} ms",
        options.rate
    );
    Ok(())
}
