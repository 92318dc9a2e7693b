//! The listening sockets of a server.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::config::Settings;

/// The bound sockets of a server.
#[derive(Debug)]
pub struct Listeners {
    /// The socket of all routes, including the metrics when they have no separate address.
    pub main: TcpListener,
    /// The socket of the metrics alone.
    pub metrics: Option<TcpListener>,
}

/// An address on which the server cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("{key}: cannot listen on {address}: {cause}")]
pub struct ListenError {
    key: &'static str,
    address: SocketAddr,
    cause: io::Error,
}

impl Listeners {
    /// Binds the addresses of the settings.
    ///
    /// # Errors
    /// The system refuses an address.
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
