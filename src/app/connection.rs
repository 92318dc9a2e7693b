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

/// So many bytes tell one version of HTTP from another; before them nothing else looks at the clock.
const PREFACE: usize = 24;

/// A connection that ends when its other side does not begin to speak, or takes nothing for too long.
pub(super) struct Connection {
    stream: TcpStream,
    stall: Duration,
    heard: usize,
    /// Runs until the other side has begun to speak.
    silent: Pin<Box<Sleep>>,
    /// Runs while there is something to send and the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Its place among the connections, which it has after an upgrade as well.
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// The other side has to begin within `head`, and may take nothing for `stall`.
    pub(super) fn new(stream: TcpStream, place: OwnedSemaphorePermit, stall: Duration, head: Duration) -> Connection {
        Connection { stream, stall, heard: 0, silent: Box::pin(sleep(head)), stalled: None, _place: place }
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
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let heard = buffer.filled().len() - before;
        self.heard = self.heard.saturating_add(heard);
        if heard > 0 {
            // Who still speaks need not listen yet.
            self.stalled = None;
        }
        if read.is_pending() && self.heard < PREFACE {
            ready!(self.silent.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_unless_stalled(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_unless_stalled(context, |stream, context| stream.poll_write_vectored(context, slices))
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
