//! A TCP proxy before the server: it delays, cuts and swallows what the server answers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What happens to the server's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Each answer comes later.
    Delay(Duration),
    /// Nothing arrives, and no connection ends.
    Swallow,
    /// A connection ends after the first byte of an answer.
    Cut,
}

/// The proxy. Its connections end with the runtime of the test.
pub(crate) struct Proxy {
    address: SocketAddr,
    fault: Arc<Mutex<Fault>>,
}

impl Proxy {
    /// Starts a proxy before the server at this address.
    pub(crate) async fn start(server: String) -> Proxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let fault = Arc::new(Mutex::new(Fault::None));
        let shared = fault.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server.clone(), shared.clone()));
            }
        });
        Proxy { address, fault }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub(crate) fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }
}

/// Passes bytes in both directions until one side ends.
async fn pass(client: TcpStream, server: String, fault: Arc<Mutex<Fault>>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let questions = tokio::io::copy(&mut from_client, &mut to_server);
    let answers = async {
        let mut buffer = vec![0; 16_384];
        // A connection that has lost bytes carries nothing any more.
        let mut is_dead = false;
        loop {
            let length = from_server.read(&mut buffer).await.unwrap_or(0);
            let fault = *fault.lock().unwrap();
            is_dead |= fault == Fault::Swallow;
            match fault {
                _ if length == 0 => return,
                _ if is_dead => {}
                Fault::Delay(time) => {
                    tokio::time::sleep(time).await;
                    let _ = to_client.write_all(&buffer[..length]).await;
                }
                Fault::Cut => {
                    let _ = to_client.write_all(&buffer[..1]).await;
                    return;
                }
                _ => {
                    let _ = to_client.write_all(&buffer[..length]).await;
                }
            }
        }
    };
    tokio::select! {
        _ = questions => {}
        () = answers => {}
    }
}
