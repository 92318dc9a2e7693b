//! A TCP connection with limits on how long the client may stay silent or read too little.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::Buf;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::client_connections::ClientConnection;
use super::h2_streams::StreamExecutor;
use super::read_rate::ReadRate;
use super::refused_head::RefusedHead;
use super::stream_gate::GateWait;
use crate::http::GaugeGuard;

/// The client preface of HTTP/2 (RFC 9113, section 3.4). Its bytes distinguish the HTTP versions.
/// Until they have arrived no other timeout runs.
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The first byte of a TLS handshake (RFC 8446, section 5.1). No request begins with it.
const TLS_HANDSHAKE: u8 = 0x16;

/// The limits of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// Most concurrent connections. Further clients wait until one has ended.
    pub(super) max_connections: usize,
    /// Longest time until the head of a request has arrived, counted from the last response. In
    /// HTTP/2 it is the longest time without a request.
    pub(super) header_timeout: Duration,
    /// Time in which a client must read enough of what waits for it. Otherwise the connection ends,
    /// or in HTTP/2 the one stream.
    pub(super) stall_timeout: Duration,
    /// Most bytes of the head of a request.
    pub(super) max_head_bytes: usize,
}

/// The resources of a connection, held until its end and also after an upgrade.
pub(super) struct ConnectionPermit {
    /// Its permit among the concurrent connections.
    pub(super) _permit: OwnedSemaphorePermit,
    /// Its count among the connections of its client.
    pub(super) _client_connection: ClientConnection,
    /// Its count in the gauge of open connections.
    pub(super) _gauge_guard: GaugeGuard,
}

/// A connection that ends when its client sends nothing at first, or reads too slowly.
pub(super) struct Connection {
    stream: TcpStream,
    stall_timeout: Duration,
    /// Bytes received so far, counted up to the length of the preface.
    preface_bytes: usize,
    /// `true` while the bytes received match the preface of HTTP/2.
    is_http2_preface: bool,
    /// The client has begun a TLS handshake.
    is_tls: bool,
    streams: StreamExecutor,
    /// The wait of an HTTP/2 connection while too many streams are open.
    gate_wait: GateWait,
    /// Runs until the client has sent its first bytes.
    handshake_timeout: Pin<Box<Sleep>>,
    max_head_bytes: usize,
    /// What is left of the response to a head that hyper refuses.
    refusal: Option<Bytes>,
    /// Exists while there are bytes to send that the client does not take at once.
    blocked_write: Option<BlockedWrite>,
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
            is_tls: false,
            gate_wait: streams.gate_wait(),
            streams,
            handshake_timeout: Box::pin(sleep(limits.header_timeout)),
            max_head_bytes: limits.max_head_bytes,
            refusal: None,
            blocked_write: None,
            _permit: permit,
        }
    }

    /// Compares the first bytes with the preface of HTTP/2 and with TLS.
    fn check_preface(&mut self, bytes: &[u8]) {
        self.is_tls |= self.preface_bytes == 0 && bytes.first() == Some(&TLS_HANDSHAKE);
        let expected = HTTP2_PREFACE.iter().skip(self.preface_bytes);
        let compared = bytes.len().min(expected.len());
        self.is_http2_preface &= expected.zip(bytes).all(|(expected, byte)| expected == byte);
        self.preface_bytes += compared;
        if compared > 0 && self.preface_bytes == HTTP2_PREFACE.len() && self.is_http2_preface {
            self.streams.start_http2();
        }
    }

    /// Passes the result of a write of `offered` bytes on, or fails when the client has read too
    /// little for too long.
    fn poll_not_stalled(
        &mut self,
        context: &mut Context<'_>,
        offered: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let stall_timeout = self.stall_timeout;
        match written {
            Poll::Ready(Ok(bytes)) if bytes < offered => {
                self.blocked_write
                    .get_or_insert_with(|| BlockedWrite::new(stall_timeout))
                    .add(bytes);
                written
            }
            Poll::Ready(_) => {
                self.blocked_write = None;
                written
            }
            Poll::Pending => {
                let blocked =
                    self.blocked_write.get_or_insert_with(|| BlockedWrite::new(stall_timeout));
                ready!(blocked.poll_stalled(context, stall_timeout));
                tracing::info!("closed a connection: the client read too little");
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

/// A write that waits for the client.
struct BlockedWrite {
    rate: ReadRate,
    timeout: Pin<Box<Sleep>>,
}

impl BlockedWrite {
    fn new(stall_timeout: Duration) -> BlockedWrite {
        BlockedWrite { rate: ReadRate::start(), timeout: Box::pin(sleep(stall_timeout)) }
    }

    fn add(&mut self, bytes: usize) {
        self.rate.add(bytes);
    }

    /// Resolves when the client is too slow.
    fn poll_stalled(&mut self, context: &mut Context<'_>, stall_timeout: Duration) -> Poll<()> {
        loop {
            ready!(self.timeout.as_mut().poll(context));
            if !self.rate.next_window(stall_timeout) {
                return Poll::Ready(());
            }
            self.timeout.as_mut().reset(self.rate.deadline(stall_timeout));
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.preface_bytes == HTTP2_PREFACE.len() && self.is_http2_preface {
            ready!(self.gate_wait.poll_open(context));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let received = &buffer.filled()[before..];
        if !received.is_empty() {
            self.check_preface(received);
            // A client that is still sending need not read yet.
            if let Some(blocked) = &mut self.blocked_write {
                blocked.add(received.len());
            }
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
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let offered = slices.iter().map(|slice| slice.len()).sum();
        if let Some(refused) = RefusedHead::from_response(slices) {
            self.refusal = Some(refused.response(self.max_head_bytes, self.is_tls));
            return Poll::Ready(Ok(offered));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.poll_not_stalled(context, offered, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(mut refusal) = self.refusal.take() {
            let written = Pin::new(&mut self.stream).poll_write(context, &refusal);
            let written = self.poll_not_stalled(context, refusal.len(), written);
            refusal.advance(if let Poll::Ready(Ok(bytes)) = written { bytes } else { 0 });
            self.refusal = (!refusal.is_empty()).then_some(refusal);
            ready!(written)?;
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
