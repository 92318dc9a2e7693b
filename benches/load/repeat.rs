use std::error::Error;

use serde_json::json;

use crate::client;
use crate::quantiles::quantile;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    url: String,
    #[arg(long, default_value_t = 1_000)]
    count: usize,
}

/// Searches a position once, asks for the same again and again, and prints how long the answers took.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let client = client::new()?;
    let request = json!({ "fen": "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", "depth": 10 });
    client::body(client::post(&client, &options.url, "/v1/best-move", &request).await?).await?;
    let mut milliseconds = Vec::with_capacity(options.count);
    for _ in 0..options.count {
        let response = client::post(&client, &options.url, "/v1/best-move", &request).await?;
        milliseconds.push(client::server_timing(&response, "total").ok_or("no Server-Timing with a total")?);
        let answer = client::body(response).await?;
        if answer["source"] != "memory" {
            return Err(format!("not from memory: {answer}").into());
        }
    }
    let [half, most, all] = [0.5, 0.99, 1.0].map(|share| quantile(&mut milliseconds, share));
    println!(
        "{} repeats of a best-move request, all from memory, by Server-Timing: median {half:.2} ms, p99 {most:.2} ms, longest {all:.2} ms",
        options.count
    );
    Ok(())
}
