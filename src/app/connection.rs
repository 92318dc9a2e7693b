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

use super::streams::Streams;
use crate::http::Inside;

/// What HTTP/2 begins with (RFC 9113, section 3.4). So many bytes tell one version of HTTP from
/// another; before them nothing else looks at the clock.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a connection holds for as long as it lasts, after an upgrade as well.
pub(super) struct Seat {
    /// Its place among the connections.
    pub(super) _place: OwnedSemaphorePermit,
    /// It is counted.
    pub(super) _inside: Inside,
}

/// A connection that ends when its other side does not begin to speak, or takes nothing for too
/// long.
pub(super) struct Connection {
    stream: TcpStream,
    stall: Duration,
    /// Bytes of the beginning that have come; more than those of a preface are not counted.
    heard: usize,
    /// What has come is how HTTP/2 begins.
    is_preface: bool,
    streams: Streams,
    /// Runs until the other side has begun to speak.
    silent: Pin<Box<Sleep>>,
    /// Runs while there is something to send and the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    _seat: Seat,
}

impl Connection {
    /// The other side has to begin within `head`, and may take nothing for `stall`.
    pub(super) fn new(
        stream: TcpStream,
        seat: Seat,
        streams: Streams,
        stall: Duration,
        head: Duration,
    ) -> Connection {
        Connection {
            stream,
            stall,
            heard: 0,
            is_preface: true,
            streams,
            silent: Box::pin(sleep(head)),
            stalled: None,
            _seat: seat,
        }
    }

    /// Looks at the beginning, for the version of HTTP.
    fn hear(&mut self, bytes: &[u8]) {
        let expected = PREFACE.iter().skip(self.heard);
        let compared = bytes.len().min(expected.len());
        self.is_preface &= expected.zip(bytes).all(|(expected, byte)| expected == byte);
        self.heard += compared;
        if compared > 0 && self.heard == PREFACE.len() && self.is_preface {
            self.streams.begin();
        }
    }

    /// Writes, or gives up when the other side has taken nothing for too long.
    fn poll_unless_stalled<T>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.stream), context);
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(stalled.as_mut().poll(context));
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
        let heard = &buffer.filled()[before..];
        if !heard.is_empty() {
            self.hear(heard);
            // Who still speaks need not listen yet.
            self.stalled = None;
        }
        if read.is_pending() && self.heard < PREFACE.len() {
            ready!(self.silent.as_mut().poll(context));
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
        self.poll_unless_stalled(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_unless_stalled(context, |stream, context| {
            stream.poll_write_vectored(context, slices)
        })
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_unless_stalled(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_unless_stalled(context, |stream, context| stream.poll_shutdown(context))
    }
}
