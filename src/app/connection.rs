//! A TCP connection with limits on how long the client may stay silent or read nothing.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::h2_streams::StreamExecutor;
use crate::http::GaugeGuard;

/// The client preface of HTTP/2 (RFC 9113, section 3.4). Its bytes distinguish the HTTP versions.
/// Until they have arrived no other timeout runs.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The limits of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// Most concurrent connections. Further clients wait until one has ended.
    pub(super) max_connections: usize,
    /// Longest time until the head of a request has arrived, counted from the last response. In
    /// HTTP/2 it is the longest time without a request.
    pub(super) header_timeout: Duration,
    /// Longest time in which the client reads nothing. After it the connection ends, or in HTTP/2
    /// the one stream.
    pub(super) stall_timeout: Duration,
}

/// The resources of a connection, held until its end and also after an upgrade.
pub(super) struct ConnectionPermit {
    /// Its permit among the concurrent connections.
    pub(super) _permit: OwnedSemaphorePermit,
    /// Its count in the gauge of open connections.
    pub(super) _gauge_guard: GaugeGuard,
}

/// A connection that ends when its client sends nothing at first, or reads nothing for too long.
pub(super) struct Connection {
    stream: TcpStream,
    stall_timeout: Duration,
    /// Bytes received so far, counted up to the length of the preface.
    preface_bytes: usize,
    /// `true` while the bytes received match the preface of HTTP/2.
    is_http2_preface: bool,
    streams: StreamExecutor,
    /// Runs until the client has sent its first bytes.
    handshake_timeout: Pin<Box<Sleep>>,
    /// Runs while there are bytes to send and the client reads none.
    write_timeout: Option<Pin<Box<Sleep>>>,
    _permit: ConnectionPermit,
}

impl Connection {
    /// Wraps a socket. The client must start within the header timeout.
    pub(super) fn new(
        stream: TcpStream,
        permit: ConnectionPermit,
        streams: StreamExecutor,
        limits: ConnectionLimits,
    ) -> Connection {
        Connection {
            stream,
            stall_timeout: limits.stall_timeout,
            preface_bytes: 0,
            is_http2_preface: true,
            streams,
            handshake_timeout: Box::pin(sleep(limits.header_timeout)),
            write_timeout: None,
            _permit: permit,
        }
    }

    /// Compares the first bytes with the preface of HTTP/2.
    fn check_preface(&mut self, bytes: &[u8]) {
        let expected = HTTP2_PREFACE.iter().skip(self.preface_bytes);
        let compared = bytes.len().min(expected.len());
        self.is_http2_preface &= expected.zip(bytes).all(|(expected, byte)| expected == byte);
        self.preface_bytes += compared;
        if compared > 0 && self.preface_bytes == HTTP2_PREFACE.len() && self.is_http2_preface {
            self.streams.start_http2();
        }
    }

    /// Writes, or fails when the client has read nothing for too long.
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
        tracing::info!("closed a connection: the client read nothing");
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
            // A client that is still sending need not read yet.
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
