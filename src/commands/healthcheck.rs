//! `kibitzer healthcheck`: the liveness check of a running server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kibitzer::config::Settings;

use super::BoxError;

const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Configuration file of the server
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of the server; overrides the configuration
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
}

/// Succeeds when `/livez` returns 200.
pub(crate) fn run(options: &Options) -> Result<ExitCode, BoxError> {
    let listen = match options.listen {
        Some(address) => address,
        None => Settings::load(options.config.as_deref())?.listen,
    };
    let url = format!("http://{}/livez", loopback_if_unspecified(listen));
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

/// The loopback address for a server that listens on all addresses.
fn loopback_if_unspecified(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
