//! Connections as they are served: sent at once, with their address, and not for readers who take nothing.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

use crate::http::Peer;

/// A listener whose connections end when their other side takes nothing for too long.
pub(super) struct Doorkeeper {
    listener: TcpListener,
    stall: Duration,
}

impl Doorkeeper {
    pub(super) fn new(listener: TcpListener, stall: Duration) -> Doorkeeper {
        Doorkeeper { listener, stall }
    }
}

impl Listener for Doorkeeper {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // Faults of `accept` are waited out there.
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Answers are small and written at once: waiting for more to send would only hold them up.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = error.to_string(), "TCP_NODELAY could not be set");
        }
        (Connection { stream, stall: self.stall, stalled: None }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Doorkeeper>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Doorkeeper>) -> Peer {
        Peer(*stream.remote_addr())
    }
}

/// A connection.
pub(super) struct Connection {
    stream: TcpStream,
    stall: Duration,
    /// Runs while there is something to send and the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Connection {
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
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
