//! `kibitzer healthcheck`: the liveness check of a running server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kibitzer::client::{plain_http, probe_route};
use kibitzer::config::{Settings, local_url, parse_listen_address};

use reqwest::StatusCode;

use super::BoxError;

/// The route of the liveness check.
const ROUTE: &str = "/livez";

const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Configuration file of the server
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of the server; overrides the configuration
    #[arg(long, value_name = "ADDRESS", value_parser = parse_listen_address)]
    listen: Option<SocketAddr>,
    /// URL or host:port of another server, such as https://chess.example
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "listen"])]
    server: Option<String>,
}

/// Succeeds when `/livez` returns 200.
pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (url, status) = match &options.server {
        Some(url) => (url.clone(), runtime.block_on(probe_route(url, ROUTE, TIMEOUT))?),
        None => {
            let url = probe_url(options.listen_address()?);
            let status = runtime.block_on(probe_this_machine(&format!("{url}{ROUTE}")))?;
            (url, status)
        }
    };
    if status == StatusCode::OK {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(format!("{}{ROUTE} returned {status}; expected 200 OK", url.trim_end_matches('/'))
            .into())
    }
}

impl Options {
    fn listen_address(&self) -> Result<SocketAddr, BoxError> {
        Ok(match self.listen {
            Some(address) => address,
            None => Settings::load(self.config.as_deref())?.listen,
        })
    }
}

/// The status of a URL of this machine, which no proxy of the environment can reach.
async fn probe_this_machine(url: &str) -> Result<StatusCode, BoxError> {
    let client = plain_http()?.no_proxy().timeout(TIMEOUT).build()?;
    Ok(client.get(url).send().await?.status())
}

/// The URL to probe. A container may not resolve `localhost`, so IPv4 needs no name.
fn probe_url(listen: SocketAddr) -> String {
    if listen.ip() == Ipv4Addr::UNSPECIFIED {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, listen.port())
    } else {
        local_url(listen)
    }
}
