//! `kibitzer uci`: the Universal Chess Interface, with the local engine or a server.

use std::io;
use std::process::ExitCode;

use kibitzer::uci::{LocalBackend, Options as Defaults, RemoteBackend, Session};

use super::BoxError;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// URL or host:port of a kibitzer server that searches instead of this process, such as
    /// http://127.0.0.1:8080 or https://chess.example
    #[arg(long, value_name = "URL", env = "KIBITZER_SERVER")]
    server: Option<String>,
    /// API key for the server
    #[arg(long, value_name = "KEY", env = "KIBITZER_KEY", hide_env_values = true)]
    key: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let defaults = Defaults::default();
    let input = io::stdin().lock();
    match options.server.as_deref().filter(|url| !url.is_empty()) {
        None => Session::new(LocalBackend::new(&defaults)?, defaults, io::stdout()).run(input)?,
        Some(url) => {
            let key = options.key.as_deref().filter(|key| !key.is_empty());
            Session::new(RemoteBackend::connect(url, key)?, defaults, io::stdout()).run(input)?
        }
    }
    Ok(ExitCode::SUCCESS)
}
