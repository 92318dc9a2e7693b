//! `kibitzer healthcheck`: the liveness check of a running server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kibitzer::config::{Settings, local_url, parse_listen_address};

use super::BoxError;

const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Configuration file of the server
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of the server; overrides the configuration
    #[arg(long, value_name = "ADDRESS", value_parser = parse_listen_address)]
    listen: Option<SocketAddr>,
}

/// Succeeds when `/livez` returns 200.
pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let listen = match options.listen {
        Some(address) => address,
        None => Settings::load(options.config.as_deref())?.listen,
    };
    let url = format!("{}/livez", probe_url(listen));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
        client.get(&url).send().await.map(|response| response.status())
    })?;
    if status == reqwest::StatusCode::OK {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(format!("{url} returned {status}; expected 200 OK").into())
    }
}

/// The URL to probe. A container may not resolve `localhost`, so IPv4 needs no name.
fn probe_url(listen: SocketAddr) -> String {
    if listen.ip() == Ipv4Addr::UNSPECIFIED {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, listen.port())
    } else {
        local_url(listen)
    }
}
