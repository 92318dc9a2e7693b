//! An HTTP/2 client that controls its flow-control windows.

use std::time::Duration;

use axum::body::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use reqwest::Method;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Server;

/// The limit of every wait, which allows for a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection to a server.
pub(crate) struct Http2Client {
    sender: SendRequest<Bytes>,
    /// The task that drives the connection.
    pub(crate) ended: JoinHandle<Result<(), h2::Error>>,
    /// Sets the windows of all streams, also of later ones; `None` once used.
    window: Option<oneshot::Sender<u32>>,
}

impl Http2Client {
    /// Connects with an initial window of `window` bytes for each response.
    pub(crate) async fn connect(server: &Server, window: u32) -> Http2Client {
        let stream = TcpStream::connect(server.address).await.unwrap();
        let (requests, mut connection) =
            h2::client::Builder::new().initial_window_size(window).handshake(stream).await.unwrap();
        let (window_sender, mut new_window) = oneshot::channel();
        let ended = tokio::spawn(async move {
            tokio::select! {
                ended = &mut connection => return ended,
                Ok(window) = &mut new_window => connection.set_initial_window_size(window)?,
            }
            connection.await
        });
        Http2Client { sender: requests.ready().await.unwrap(), ended, window: Some(window_sender) }
    }

    /// Opens the windows of all streams to `window` bytes. Call it once.
    pub(crate) fn open_windows(&mut self, window: u32) {
        self.window.take().expect("the windows are opened once").send(window).unwrap();
    }

    /// Sends the head of a request without its body.
    pub(crate) async fn send_head(
        &mut self,
        method: Method,
        path: &str,
        kind: &str,
        end_of_stream: bool,
    ) -> (ResponseFuture, SendStream<Bytes>) {
        let request = axum::http::Request::builder().method(method).uri(format!("http://x{path}"));
        let request = request.header("content-type", kind).body(()).unwrap();
        self.sender = self.sender.clone().ready().await.unwrap();
        self.sender.send_request(request, end_of_stream).unwrap()
    }

    /// Posts a body and expects 200; returns the response body.
    pub(crate) async fn post(&mut self, path: &str, kind: &str, body: String) -> RecvStream {
        let (answer, mut request) = self.send_head(Method::POST, path, kind, false).await;
        request.send_data(body.into(), true).unwrap();
        expect_ok_body(path, answer).await
    }

    /// Gets a path and expects 200; returns the response body.
    pub(crate) async fn get(&mut self, path: &str) -> RecvStream {
        let (answer, _) = self.send_head(Method::GET, path, "*/*", true).await;
        expect_ok_body(path, answer).await
    }
}

/// Waits for the head of a response and expects 200.
pub(crate) async fn expect_ok_body(path: &str, answer: ResponseFuture) -> RecvStream {
    let answer = timeout(TIMEOUT, answer).await.expect("a response head in time").unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.into_body()
}

/// The bytes of a body, and the error that ends it.
pub(crate) async fn read_to_end(body: &mut RecvStream) -> (Vec<u8>, Option<h2::Error>) {
    let mut all = Vec::new();
    let read = async {
        while let Some(data) = body.data().await {
            match data {
                Ok(data) => {
                    body.flow_control().release_capacity(data.len()).unwrap();
                    all.extend_from_slice(&data);
                }
                Err(error) => return Some(error),
            }
        }
        None
    };
    let end = timeout(TIMEOUT, read).await.expect("the body ends");
    (all, end)
}

/// The error that ends a body. The reader takes no bytes, so the window stays as it is.
pub(crate) async fn wait_for_reset(body: &mut RecvStream) -> Option<h2::Error> {
    let read = async {
        while let Some(data) = body.data().await {
            if let Err(error) = data {
                return Some(error);
            }
        }
        None
    };
    timeout(TIMEOUT, read).await.expect("the body ends")
}
