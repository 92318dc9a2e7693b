//! `kibitzer uci`

use std::io;
use std::process::ExitCode;

use kibitzer::uci::{Local, Options as Defaults, Remote, Session};

use super::Failure;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A kibitzer to ask instead of searching here, as http://127.0.0.1:8080.
    #[arg(long, value_name = "URL")]
    server: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    let defaults = Defaults::default();
    let input = io::stdin().lock();
    match &options.server {
        None => Session::new(Local::new(&defaults)?, defaults, io::stdout()).run(input)?,
        Some(url) => Session::new(Remote::new(url)?, defaults, io::stdout()).run(input)?,
    }
    Ok(ExitCode::SUCCESS)
}
