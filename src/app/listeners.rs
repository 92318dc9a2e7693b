//! What a server listens on.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::config::Settings;

/// The sockets of a server, bound.
#[derive(Debug)]
pub struct Listeners {
    /// For all that is served, the metrics too where they have no address of their own.
    pub main: TcpListener,
    /// For the metrics alone.
    pub metrics: Option<TcpListener>,
}

/// An address that cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {address} can't be listened on: {cause}")]
pub struct ListenError {
    key: &'static str,
    address: SocketAddr,
    cause: io::Error,
}

impl Listeners {
    /// Binds the addresses that the settings name.
    ///
    /// # Errors
    /// When the system refuses one.
    pub async fn bind(settings: &Settings) -> Result<Listeners, ListenError> {
        let main = bind("listen", settings.listen).await?;
        let metrics = match settings.metrics.listen {
            Some(address) => Some(bind("metrics.listen", address).await?),
            None => None,
        };
        Ok(Listeners { main, metrics })
    }
}

impl From<TcpListener> for Listeners {
    fn from(main: TcpListener) -> Listeners {
        Listeners { main, metrics: None }
    }
}

async fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|cause| ListenError { key, address, cause })
}
