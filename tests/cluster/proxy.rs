//! A TCP proxy before the server: it delays, cuts, holds and swallows what passes.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// What happens to the connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Each answer comes later.
    Delay(Duration),
    /// The server gets all questions. No answer arrives, and no connection ends.
    Swallow,
    /// Nothing passes in either direction, and no connection ends. What was sent meanwhile arrives
    /// when this is over, as TCP sends it again.
    Hold,
    /// A connection ends after the first byte of an answer.
    Cut,
}

/// The proxy. Dropping it ends its connections.
pub(crate) struct Proxy {
    address: SocketAddr,
    fault: watch::Sender<Fault>,
}

impl Proxy {
    /// Starts a proxy before the server at this address. It has a thread of its own, because the
    /// test's is blocked while a node starts.
    pub(crate) fn start(server: String) -> Proxy {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (fault, current) = watch::channel(Fault::None);
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(accept(listener, server, current));
        });
        Proxy { address, fault }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub(crate) fn set(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }
}

/// Accepts connections until the proxy is dropped.
async fn accept(listener: std::net::TcpListener, server: String, fault: watch::Receiver<Fault>) {
    let listener = TcpListener::from_std(listener).unwrap();
    let mut end = fault.clone();
    let accept = async {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(pass(client, server.clone(), fault.clone()));
        }
    };
    tokio::select! {
        () = accept => {}
        () = async { while end.changed().await.is_ok() {} } => {}
    }
}

/// Passes bytes in both directions until one side ends.
async fn pass(client: TcpStream, server: String, fault: watch::Receiver<Fault>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = pass_questions(from_client, to_server, fault.clone()) => {}
        () = pass_answers(from_server, to_client, fault) => {}
    }
}

/// Waits until bytes may pass.
async fn wait_while_held(fault: &mut watch::Receiver<Fault>) {
    // It fails once the proxy is dropped.
    let _ = fault.wait_for(|fault| *fault != Fault::Hold).await;
}

async fn pass_questions(
    mut from_client: OwnedReadHalf,
    mut to_server: OwnedWriteHalf,
    mut fault: watch::Receiver<Fault>,
) {
    let mut buffer = vec![0; 16_384];
    loop {
        let length = from_client.read(&mut buffer).await.unwrap_or(0);
        wait_while_held(&mut fault).await;
        if length == 0 || to_server.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn pass_answers(
    mut from_server: OwnedReadHalf,
    mut to_client: OwnedWriteHalf,
    mut fault: watch::Receiver<Fault>,
) {
    let (sender, mut answers) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let current = fault.clone();
    let read = async move {
        let mut buffer = vec![0; 16_384];
        // A connection that has lost bytes carries nothing any more.
        let mut is_dead = false;
        loop {
            let length = from_server.read(&mut buffer).await.unwrap_or(0);
            let fault = *current.borrow();
            is_dead |= fault == Fault::Swallow;
            let (length, delay) = match fault {
                _ if length == 0 => return,
                _ if is_dead => continue,
                Fault::Cut => (1, Duration::ZERO),
                Fault::Delay(delay) => (length, delay),
                _ => (length, Duration::ZERO),
            };
            let answer = (Instant::now() + delay, buffer[..length].to_vec());
            if sender.send(answer).is_err() || fault == Fault::Cut {
                return;
            }
        }
    };
    let write = async {
        while let Some((time, bytes)) = answers.recv().await {
            sleep_until(time).await;
            wait_while_held(&mut fault).await;
            if to_client.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(read, write);
}
