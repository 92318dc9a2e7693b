//! A server on a port of its own.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use kibitzer::app::{self, Listeners};
use kibitzer::config::Settings;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::Client;

/// A running server; it ends with this.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) address: SocketAddr,
    /// Of the metrics, where they have one of their own.
    pub(crate) metrics_address: Option<SocketAddr>,
    pub(crate) stop: oneshot::Sender<()>,
}

/// The default settings, whatever the environment says.
pub(crate) fn default_settings() -> Settings {
    Settings::load_with(None, Some(BTreeMap::new())).expect("the defaults are good")
}

impl Server {
    /// A small server.
    pub(crate) async fn start() -> Server {
        Server::start_with(|_| {}).await
    }

    /// A small server with other settings.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Settings)) -> Server {
        let mut settings = default_settings();
        settings.search.hash_mb = 1;
        settings.search.workers = 2;
        settings.idle.positions = 0;
        settings.shutdown.drain_ms = 0;
        change(&mut settings);
        Server::from_settings(settings).await
    }

    /// A server with these settings, but for the main address.
    pub(crate) async fn from_settings(settings: Settings) -> Server {
        let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), ..settings };
        let listeners = Listeners::bind(&settings).await.expect("free ports");
        let address_of = |listener: &TcpListener| listener.local_addr().expect("it has an address");
        let (address, metrics) =
            (address_of(&listeners.main), listeners.metrics.as_ref().map(address_of));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            app::serve(&settings, listeners, shutdown)
                .await
                .expect("the server ends in good order");
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
