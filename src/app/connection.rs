//! A connection whose other side has to say something, and to take what it is sent.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::h2_streams::Streams;
use crate::http::GaugeGuard;

/// What HTTP/2 begins with (RFC 9113, section 3.4). So many bytes tell one version of HTTP from
/// another; before them nothing else looks at the clock.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a connection holds for as long as it lasts, after an upgrade as well.
pub(super) struct ConnectionPermit {
    /// Its place among the connections.
    pub(super) _permit: OwnedSemaphorePermit,
    /// It is counted.
    pub(super) _gauge_guard: GaugeGuard,
}

/// A connection that ends when its other side does not begin to speak, or takes nothing for too
/// long.
pub(super) struct Connection {
    stream: TcpStream,
    stall_timeout: Duration,
    /// Bytes of the beginning that have come; more than those of a preface are not counted.
    preface_bytes: usize,
    /// What has come is how HTTP/2 begins.
    is_http2_preface: bool,
    streams: Streams,
    /// Runs until the other side has begun to speak.
    handshake_timeout: Pin<Box<Sleep>>,
    /// Runs while there is something to send and the other side takes nothing.
    write_timeout: Option<Pin<Box<Sleep>>>,
    _permit: ConnectionPermit,
}

impl Connection {
    /// The other side has to begin within `head`, and may take nothing for `stall`.
    pub(super) fn new(
        stream: TcpStream,
        permit: ConnectionPermit,
        streams: Streams,
        stall_timeout: Duration,
        header_timeout: Duration,
    ) -> Connection {
        Connection {
            stream,
            stall_timeout,
            preface_bytes: 0,
            is_http2_preface: true,
            streams,
            handshake_timeout: Box::pin(sleep(header_timeout)),
            write_timeout: None,
            _permit: permit,
        }
    }

    /// Looks at the beginning, for the version of HTTP.
    fn check_preface(&mut self, bytes: &[u8]) {
        let expected = HTTP2_PREFACE.iter().skip(self.preface_bytes);
        let compared = bytes.len().min(expected.len());
        self.is_http2_preface &= expected.zip(bytes).all(|(expected, byte)| expected == byte);
        self.preface_bytes += compared;
        if compared > 0 && self.preface_bytes == HTTP2_PREFACE.len() && self.is_http2_preface {
            self.streams.start_http2();
        }
    }

    /// Writes, or gives up when the other side has taken nothing for too long.
    fn poll_write_with_timeout<T>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.stream), context);
        if written.is_ready() {
            self.write_timeout = None;
            return written;
        }
        let stall_timeout = self.stall_timeout;
        let write_timeout =
            self.write_timeout.get_or_insert_with(|| Box::pin(sleep(stall_timeout)));
        ready!(write_timeout.as_mut().poll(context));
        tracing::info!("a connection whose other side took nothing was closed");
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let received = &buffer.filled()[before..];
        if !received.is_empty() {
            self.check_preface(received);
            // Who still speaks need not listen yet.
            self.write_timeout = None;
        }
        if read.is_pending() && self.preface_bytes < HTTP2_PREFACE.len() {
            ready!(self.handshake_timeout.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_with_timeout(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_with_timeout(context, |stream, context| {
            stream.poll_write_vectored(context, slices)
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_with_timeout(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_with_timeout(context, |stream, context| stream.poll_shutdown(context))
    }
}
