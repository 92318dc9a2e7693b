//! Streaming responses of lines and of chunks.
//!
//! A [`ResponseFormat`] is negotiated with the client. The lines of a [`StreamWriter`] go through a
//! bounded buffer, which detects a stalled reader.

mod chunked;
mod content_negotiation;
mod line_buffer;
mod permits;

pub(crate) use chunked::{CHUNKED_BODY_BYTES, ChunkSource, chunked_body};
pub(crate) use content_negotiation::ResponseFormat;
pub use line_buffer::StreamOptions;
pub(crate) use line_buffer::{Delivery, END_EVENT_ID, Line, stream_text};
pub(crate) use permits::{ClientPermits, Permit, Permits, body_with_permit};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::http::access::Caller;
use crate::http::headers::X_ACCEL_BUFFERING;
use line_buffer::{LineBody, LineSender, line_channel};

/// A response of lines before its start.
pub(crate) struct StreamSetup {
    /// The stream options.
    pub(crate) options: StreamOptions,
    /// The format of the lines.
    pub(crate) format: ResponseFormat,
    /// The permit that the stream holds until its end.
    pub(crate) permit: Permit,
    /// The caller.
    pub(crate) caller: Caller,
}

/// The writing end of a response of lines. When it is dropped, the reader still gets the queued
/// lines, then the end.
pub(crate) struct StreamWriter {
    format: ResponseFormat,
    sender: LineSender,
    caller: Caller,
    _permit: Permit,
}

impl StreamSetup {
    /// Starts the response with the preamble of its format.
    pub(crate) fn open(self) -> (StreamWriter, Response) {
        let StreamSetup { options, format, permit, caller } = self;
        let (sender, body) = line_channel(options);
        if let Some(line) = Line::preamble(format) {
            sender.send(line);
        }
        let writer = StreamWriter { format, sender, caller, _permit: permit };
        (writer, streaming_response(format, body))
    }
}

impl StreamWriter {
    /// The caller.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Serializes a line and queues it.
    pub(crate) fn send(
        &self,
        delivery: Delivery,
        event: &str,
        id: Option<&str>,
        payload: &impl Serialize,
    ) {
        self.send_line(Line::new(self.format, delivery, event, id, payload));
    }

    /// Queues a line. A line that could not be serialized is logged and skipped.
    pub(crate) fn send_line(&self, line: serde_json::Result<Line>) {
        match line {
            Ok(line) => self.sender.send(line),
            Err(error) => {
                tracing::error!(error = error.to_string(), "line could not be serialized")
            }
        }
    }

    /// The total size of the queued lines, in bytes.
    pub(crate) fn queued_bytes(&self) -> usize {
        self.sender.bytes()
    }

    /// Resolves when the buffer has space for a line, or when the stream is closed.
    pub(crate) async fn wait_for_capacity(&self) {
        self.sender.wait_for_capacity().await;
    }

    /// Resolves when the queued lines have fewer bytes, or when the stream is closed.
    pub(crate) async fn wait_bytes_below(&self, bytes: usize) {
        self.sender.wait_bytes_below(bytes).await;
    }

    /// Pauses or resumes the timer that disconnects a stalled reader.
    pub(crate) fn set_stall_timer_paused(&self, paused: bool) {
        self.sender.set_stall_timer_paused(paused);
    }

    /// Resolves when the reader has left, or was disconnected because it stalled.
    pub(crate) async fn closed(&self) {
        self.sender.closed().await;
    }
}

fn streaming_response(format: ResponseFormat, body: LineBody) -> Response {
    let mut response = Body::new(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, format.content_type());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
