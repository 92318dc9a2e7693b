use std::error::Error;
use std::path::PathBuf;

use serde_json::json;

use crate::client;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    url: String,
    /// A file with a FEN a line.
    #[arg(long)]
    fens: PathBuf,
    #[arg(long, default_value_t = 1_000)]
    count: usize,
}

/// Prints the mean number of bytes in a body.
pub(crate) async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let client = client::new()?;
    let text = std::fs::read_to_string(&options.fens)?;
    let (mut answers, mut bytes) = (0, 0);
    for fen in text.lines().take(options.count) {
        let response = client::post(&client, &options.url, "/v1/legal-moves", &json!({ "fen": fen })).await?;
        bytes += response.error_for_status()?.bytes().await?.len();
        answers += 1;
    }
    println!("{}", bytes / answers.max(1));
    Ok(())
}
