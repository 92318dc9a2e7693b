//! How a conversation ends.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};

/// Why there is nothing more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// The client has closed the socket, or is gone.
    ClientLeft,
    /// The server ends.
    Shutdown,
    /// Three messages in a row were bad.
    BadMessages,
    /// The client does not answer any more.
    NoPong,
    /// A message was too long.
    TooLong,
    /// The client has said nothing for long, and nothing is searched for it.
    Idle,
}

impl CloseReason {
    /// What the client is told of it; nothing when it is gone. Codes below 4000 are those of RFC
    /// 6455, 7.4.1.
    pub(super) fn close_message(self) -> Option<Message> {
        let (code, reason) = match self {
            CloseReason::ClientLeft => return None,
            CloseReason::Shutdown => (1001, "the server is shutting down"),
            CloseReason::BadMessages => (1008, "three bad messages in a row"),
            CloseReason::NoPong => (1008, "no pong came"),
            CloseReason::TooLong => (1009, "a message is longer than 64 KiB"),
            CloseReason::Idle => (4000, "idle"),
        };
        Some(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) })))
    }
}
