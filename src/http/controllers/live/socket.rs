//! The WebSocket of a client: its messages, pings, idle time and close handshake.

use std::error::Error as _;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};

use crate::http::App;

/// The maximum length of a message in bytes.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The number of consecutive invalid messages that closes the connection.
const MAX_INVALID_MESSAGES: u32 = 3;

/// The maximum time of a close handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A WebSocket and the rules that close it.
pub(crate) struct ClientSocket<'a> {
    app: &'a App,
    socket: WebSocket,
    /// The number of invalid messages since the last valid one.
    invalid_messages: u32,
    next_ping_at: Instant,
    /// The last ping is unanswered. The pong must arrive before the next ping.
    is_pong_due: bool,
    /// The time of the last message of the client or the end of its last search.
    last_active_at: Instant,
}

/// The next event of a socket. [`ClientSocket::handle_event`] handles it.
pub(crate) enum SocketEvent {
    Received(Option<Result<Message, axum::Error>>),
    PingDue,
    Idle,
    Shutdown,
}

/// A message of the client.
pub(crate) enum ClientFrame {
    Text(Utf8Bytes),
    /// A binary message, which no route takes.
    Binary,
}

/// `Err` if the connection must close.
pub(crate) type SocketResult<T = ()> = Result<T, CloseReason>;

impl<'a> ClientSocket<'a> {
    pub(crate) fn new(app: &'a App, socket: WebSocket) -> ClientSocket<'a> {
        let now = Instant::now();
        ClientSocket {
            app,
            socket,
            invalid_messages: 0,
            next_ping_at: now + app.caps().live_ping,
            is_pong_due: false,
            last_active_at: now,
        }
    }

    /// The next event. With a running search the socket is not idle, and a shutdown waits for the
    /// last message of the search. Cancel safe.
    pub(crate) async fn next_event(&mut self, is_running: bool) -> SocketEvent {
        let ClientSocket { app, socket, next_ping_at, last_active_at, .. } = self;
        tokio::select! {
            frame = socket.recv() => SocketEvent::Received(frame),
            () = sleep_until(*next_ping_at) => SocketEvent::PingDue,
            () = sleep_until(*last_active_at + app.caps().live_idle), if !is_running => {
                SocketEvent::Idle
            }
            // The shutdown stops a running search, and its last message is sent first.
            () = app.shutting_down(), if !is_running => SocketEvent::Shutdown,
        }
    }

    /// Handles an event. Returns the message of the client, if the event is one.
    pub(crate) async fn handle_event(
        &mut self,
        event: SocketEvent,
    ) -> SocketResult<Option<ClientFrame>> {
        match event {
            SocketEvent::Received(frame) => self.handle_frame(frame),
            SocketEvent::PingDue if self.is_pong_due => Err(CloseReason::NoPong),
            SocketEvent::PingDue => {
                self.is_pong_due = true;
                self.next_ping_at = Instant::now() + self.app.caps().live_ping;
                self.send_frame(Message::Ping(Default::default())).await.map(|()| None)
            }
            SocketEvent::Idle => Err(CloseReason::Idle),
            SocketEvent::Shutdown => Err(CloseReason::Shutdown),
        }
    }

    fn handle_frame(
        &mut self,
        frame: Option<Result<Message, axum::Error>>,
    ) -> SocketResult<Option<ClientFrame>> {
        match frame {
            None | Some(Ok(Message::Close(_))) => Err(CloseReason::ClientLeft),
            Some(Err(error)) => Err(close_reason_of(&error)),
            Some(Ok(Message::Pong(_))) => {
                self.is_pong_due = false;
                Ok(None)
            }
            // The WebSocket library answers pings.
            Some(Ok(Message::Ping(_))) => Ok(None),
            Some(Ok(Message::Binary(bytes))) if bytes.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Message::Text(text))) if text.len() > MAX_MESSAGE_BYTES => {
                Err(CloseReason::TooLong)
            }
            Some(Ok(Message::Binary(_))) => {
                self.mark_active();
                Ok(Some(ClientFrame::Binary))
            }
            Some(Ok(Message::Text(text))) => {
                self.mark_active();
                Ok(Some(ClientFrame::Text(text)))
            }
        }
    }

    /// Starts the idle time anew, after the end of a search.
    pub(crate) fn mark_active(&mut self) {
        self.last_active_at = Instant::now();
    }

    /// Ends a series of invalid messages.
    pub(crate) fn count_valid_message(&mut self) {
        self.invalid_messages = 0;
    }

    /// Counts an invalid message. Too many of them in a row close the connection.
    pub(crate) fn count_invalid_message(&mut self) -> SocketResult {
        self.invalid_messages += 1;
        if self.invalid_messages < MAX_INVALID_MESSAGES {
            Ok(())
        } else {
            Err(CloseReason::InvalidMessages)
        }
    }

    /// Sends a message.
    pub(crate) async fn send_json(&mut self, message: &impl Serialize) -> SocketResult {
        match serde_json::to_string(message) {
            Ok(text) => self.send_frame(Message::Text(Utf8Bytes::from(text))).await,
            Err(error) => {
                tracing::error!(error = error.to_string(), "cannot serialize a line");
                Ok(())
            }
        }
    }

    /// Waits until the socket accepts the frame. In the meantime newer results of a search replace
    /// older ones.
    async fn send_frame(&mut self, frame: Message) -> SocketResult {
        self.socket.send(frame).await.map_err(|_| CloseReason::ClientLeft)
    }

    /// Closes the socket.
    pub(crate) async fn close(mut self, reason: CloseReason) {
        tracing::debug!(ending = ?reason, "live connection closed");
        let close_handshake = async {
            if let Some(close) = reason.close_message() {
                self.socket.send(close).await?;
            }
            // The WebSocket library answers the client's close frame during the next read.
            while let Some(Ok(_)) = self.socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        // A client that takes no part in the handshake in time has disconnected.
        let _ = timeout(CLOSE_TIMEOUT, close_handshake).await;
    }
}

/// The close reason of a socket error: the client has disconnected, or broken the protocol. The
/// WebSocket library can still send a close frame after the latter.
fn close_reason_of(error: &axum::Error) -> CloseReason {
    use tungstenite::Error;
    use tungstenite::error::ProtocolError;

    match error.source().and_then(|error| error.downcast_ref()) {
        Some(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
            CloseReason::ClientLeft
        }
        Some(Error::Protocol(_)) => CloseReason::ProtocolError,
        Some(Error::Utf8(_)) => CloseReason::NotUtf8,
        Some(Error::Capacity(_)) => CloseReason::TooLong,
        _ => CloseReason::ClientLeft,
    }
}

/// The reason for the close of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The client has closed the socket or disconnected.
    ClientLeft,
    /// The server is shutting down.
    Shutdown,
    /// Three consecutive messages were invalid.
    InvalidMessages,
    /// The client did not answer a ping in time.
    NoPong,
    /// The client has broken the WebSocket protocol.
    ProtocolError,
    /// A text is not UTF-8.
    NotUtf8,
    /// A message exceeds the maximum length.
    TooLong,
    /// The client has been silent for too long and has no running analysis.
    Idle,
}

impl CloseReason {
    /// The close frame for the client; `None` if it has closed or disconnected. Codes below 4000
    /// are those of RFC 6455, section 7.4.1.
    fn close_message(self) -> Option<Message> {
        let (code, reason) = match self {
            CloseReason::ClientLeft => return None,
            CloseReason::Shutdown => (1001, "the server is shutting down"),
            CloseReason::ProtocolError => (1002, "the frame breaks the WebSocket protocol"),
            CloseReason::NotUtf8 => (1007, "the text is not UTF-8"),
            CloseReason::InvalidMessages => (1008, "three invalid messages in a row"),
            CloseReason::NoPong => (1008, "no pong before the next ping"),
            CloseReason::TooLong => (1009, "a message is longer than 64 KiB"),
            CloseReason::Idle => (4000, "idle"),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })))
    }
}
