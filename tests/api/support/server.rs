//! Servers inside the test process, each on its own port.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use kibitzer::app::{self, Listeners};
use kibitzer::config::{ApiKeySettings, KeyDigest, Settings};
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;

use super::Client;

/// A running server. Dropping this value stops it.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) address: SocketAddr,
    /// The address of the metrics, if they have their own.
    pub(crate) metrics_address: Option<SocketAddr>,
    pub(crate) stop: oneshot::Sender<()>,
}

/// The default settings, independent of the environment.
pub(crate) fn default_settings() -> Settings {
    Settings::load_with(None, Some(BTreeMap::new())).expect("the defaults are valid")
}

/// An API key with the digest of `text` and `requests` requests per hour (0: the rate of all
/// clients).
pub(crate) fn api_key(name: &str, text: &str, requests: u32) -> ApiKeySettings {
    ApiKeySettings {
        name: name.to_owned(),
        sha256: KeyDigest(Sha256::digest(text).into()),
        requests,
        window_ms: 3_600_000,
    }
}

impl Server {
    /// A connection from this loopback address.
    pub(crate) async fn connect_from(&self, address: [u8; 4]) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// Starts a small server.
    pub(crate) async fn start() -> Server {
        Server::start_with(|_| {}).await
    }

    /// Starts a small server with changed settings.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Settings)) -> Server {
        let mut settings = default_settings();
        settings.search.hash_mb = 1;
        settings.search.workers = 2;
        settings.idle.positions = 0;
        settings.shutdown.drain_ms = 0;
        change(&mut settings);
        Server::from_settings(settings).await
    }

    /// Starts a server with these settings, except for the main address.
    pub(crate) async fn from_settings(settings: Settings) -> Server {
        let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), ..settings };
        let listeners = Listeners::bind(&settings).await.expect("free ports");
        let address_of = |listener: &TcpListener| listener.local_addr().expect("a local address");
        let (address, metrics) =
            (address_of(&listeners.main), listeners.metrics.as_ref().map(address_of));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            app::serve(&settings, listeners, shutdown)
                .await
                .expect("the server ends without an error");
        });
        let client = Client::new(address);
        client.wait_until_ready().await;
        Server { client, address, metrics_address: metrics, stop }
    }
}

impl std::ops::Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
