//! A server on a port of its own.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use kibitzer::app;
use kibitzer::config::Settings;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::Client;

/// A running server; it ends with this.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) address: SocketAddr,
    pub(crate) stop: oneshot::Sender<()>,
}

/// The default settings, whatever the environment says.
pub(crate) fn default_settings() -> Settings {
    Settings::load_with(None, Some(BTreeMap::new())).expect("the defaults are good")
}

impl Server {
    /// A small server.
    pub(crate) async fn start() -> Server {
        Server::with(|_| {}).await
    }

    /// A small server with other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Server {
        let mut settings = default_settings();
        settings.search.hash_mb = 1;
        settings.search.workers = 2;
        settings.idle.positions = 0;
        settings.shutdown.drain_ms = 0;
        change(&mut settings);
        Server::of(settings).await
    }

    /// A server with these settings, but for the address.
    pub(crate) async fn of(settings: Settings) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has an address");
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            app::serve(&settings, listener, shutdown).await.expect("the server ends in good order");
        });
        let client = Client::new(address);
        client.until_ready().await;
        Server { client, address, stop }
    }
}

impl std::ops::Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
