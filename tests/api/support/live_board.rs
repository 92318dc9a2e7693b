//! A client of live boards.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Response;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::coverage;

/// The limit of every wait, which allows for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// An open live board.
pub(crate) struct LiveBoard {
    pub(crate) socket: WebSocketStream<TcpStream>,
    /// The response to the handshake.
    pub(crate) handshake: Response,
}

impl LiveBoard {
    pub(crate) async fn connect(address: SocketAddr) -> LiveBoard {
        LiveBoard::try_connect(address, "/v1/live", &[])
            .await
            .unwrap_or_else(|refused| panic!("{refused:?}"))
    }

    /// Connects to a path with these headers; the error is the status and body of a refusal.
    pub(crate) async fn try_connect(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<LiveBoard, (u16, Value)> {
        let mut request = format!("ws://{address}{path}").into_client_request().expect("a request");
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).expect("a header's value");
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        let route = path.split('?').next().unwrap_or_default();
        let stream = TcpStream::connect(address).await.expect("the server listens");
        match client_async(request, stream).await {
            Ok((socket, handshake)) => {
                coverage::record_response("GET", route, handshake.status().as_u16());
                Ok(LiveBoard { socket, handshake })
            }
            Err(Error::Http(response)) => {
                let status = response.status().as_u16();
                coverage::record_response("GET", route, status);
                let body = response.into_body().unwrap_or_default();
                Err((status, serde_json::from_slice(&body).unwrap_or_default()))
            }
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: impl Into<String>) {
        self.socket.send(Message::text(text.into())).await.expect("the server listens");
    }

    /// The next message, or the close frame.
    pub(crate) async fn receive(&mut self) -> Result<Value, Option<CloseFrame>> {
        loop {
            match timeout(TIMEOUT, self.socket.next()).await.expect("a message in time") {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text)
                        .unwrap_or_else(|error| panic!("{error}: {text}")));
                }
                Some(Ok(Message::Close(frame))) => return Err(frame),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    /// The next message.
    pub(crate) async fn next_message(&mut self) -> Value {
        self.receive().await.unwrap_or_else(|closed| panic!("the board was closed: {closed:?}"))
    }

    /// The next message of this type; others are skipped.
    pub(crate) async fn next_of_type(&mut self, kind: &str) -> Value {
        loop {
            let line = self.next_message().await;
            if line["type"] == kind {
                return line;
            }
        }
    }

    /// All messages up to the close, and the close code.
    pub(crate) async fn collect_until_closed(&mut self) -> (Vec<Value>, u16) {
        let mut lines = Vec::new();
        loop {
            match self.receive().await {
                Ok(line) => lines.push(line),
                Err(frame) => return (lines, frame.map_or(0, |frame| frame.code.into())),
            }
        }
    }
}
