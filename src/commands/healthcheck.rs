//! `kibitzer healthcheck`

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use kibitzer::config::Settings;

use super::BoxError;

const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The configuration file that the server was started with.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address that the server listens on; goes before the configuration.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
}

/// Succeeds when `/livez` answers 200.
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
        Err(format!("{url} answered {status}").into())
    }
}

/// Who listens on all addresses is asked on this machine's own.
fn loopback_if_unspecified(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
