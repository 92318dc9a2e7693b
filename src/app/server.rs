//! The HTTP server: binds the listening sockets, accepts a bounded number of connections, enforces
//! their timeouts and closes them gracefully.

use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulConnection;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;
use tower::ServiceExt;

use super::client_connections::ClientConnections;
use super::connection::{Connection, ConnectionLimits, ConnectionPermit};
use super::h2_stall::{TrackedRequestBody, TrackedResponseBody, Tracking};
use super::h2_streams::{StreamExecutor, current_stream_progress};
use super::header_timer::HeaderTimer;
use super::stream_gate::StreamGate;
use crate::config::Settings;
use crate::http::{Gauge, Peer, UNREAD_BODY_BYTES};

/// Interval of the pings on an idle HTTP/2 connection, and the time to wait for the pong.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PONG_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections that wait for `accept`. The system caps the number.
const LISTEN_BACKLOG: u32 = 4_096;

/// Most concurrent requests of one HTTP/2 connection.
const MAX_CONCURRENT_STREAMS: u32 = 32;

/// The part of all request bodies of an HTTP/2 connection that a client may send before the server
/// reads them, in bytes. Over long distances it would limit the speed of uploads, but the proxy or
/// service that speaks HTTP/2 without TLS is near.
const HTTP2_WINDOW: u32 = UNREAD_BODY_BYTES as u32;

/// The least buffer that hyper accepts for HTTP/1.
const MIN_HTTP1_BUFFER_BYTES: usize = 8 << 10;

/// The bound sockets of a server.
#[derive(Debug)]
pub struct Listeners {
    /// The socket of all routes, including the metrics when they have no separate address.
    pub main: TcpListener,
    /// The socket of the metrics alone.
    pub metrics: Option<TcpListener>,
}

/// An address on which the server cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("{key}: cannot listen on {address}: {cause}")]
pub struct ListenError {
    key: &'static str,
    address: SocketAddr,
    cause: io::Error,
}

impl Listeners {
    /// Binds the addresses of the settings.
    ///
    /// # Errors
    /// The system refuses an address.
    pub async fn bind(settings: &Settings) -> Result<Listeners, ListenError> {
        let main = bind("listen", settings.listen)?;
        let metrics = match settings.metrics.listen {
            Some(address) => Some(bind("metrics.listen", address)?),
            None => None,
        };
        Ok(Listeners { main, metrics })
    }
}

impl From<TcpListener> for Listeners {
    fn from(main: TcpListener) -> Listeners {
        Listeners { main, metrics: None }
    }
}

fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, ListenError> {
    listen(address).map_err(|cause| ListenError { key, address, cause })
}

/// Listens with a backlog for bursts of new connections.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As in the standard library: a server that restarts may listen again at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// The counts of the open connections of a listener.
pub(super) struct ConnectionCounts {
    /// All of them.
    pub(super) open: Gauge,
    /// Those of each client.
    pub(super) by_client: ClientConnections,
    /// The HTTP/2 streams of all connections.
    pub(super) streams: Arc<StreamGate>,
}

/// Serves until `close` resolves, then completes the requests that are running.
pub(super) async fn serve(
    mut listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    counts: ConnectionCounts,
    close: impl Future<Output = ()>,
) {
    let permits = Arc::new(Semaphore::new(limits.max_connections));
    let (close_sender, close_receiver) = watch::channel(());
    let mut close = pin!(close);
    loop {
        let next = async {
            let permit = permits.clone().acquire_owned().await;
            // This `accept` retries after errors.
            (permit, Listener::accept(&mut listener).await)
        };
        let (permit, (stream, address)) = tokio::select! {
            next = next => next,
            () = &mut close => break,
        };
        // The semaphore is never closed, which would be the only error.
        let Ok(permit) = permit else { break };
        let peer = Peer::new(address.ip());
        let Some(client_connection) = counts.by_client.open(address.ip(), &peer) else {
            tracing::debug!("closed a connection: its client has too many");
            continue;
        };
        // Answers are small and written in one piece: Nagle's algorithm would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = error.to_string(), "could not set TCP_NODELAY");
        }
        let (streams, router) =
            (StreamExecutor::new(limits.stall_timeout, counts.streams.clone()), router.clone());
        let connection_permit = ConnectionPermit {
            _permit: permit,
            _client_connection: client_connection,
            _gauge_guard: counts.open.increment(),
        };
        let connection =
            TokioIo::new(Connection::new(stream, connection_permit, streams.clone(), limits));
        let service =
            service_fn(move |request| handle_request(router.clone(), peer.clone(), request));
        let served = connection_builder(limits, streams.clone())
            .serve_connection_with_upgrades(connection, service)
            .into_owned();
        tokio::spawn(drive_connection(served, streams, limits, close_receiver.clone()));
    }
    drop((listener, close_receiver));
    // Without connections there is no receiver.
    let _ = close_sender.send(());
    close_sender.closed().await;
}

/// How long an HTTP/2 connection without a stream stays open after the GOAWAY frame at shutdown, so
/// that its client can read the frame.
const GOAWAY_TIMEOUT: Duration = Duration::from_secs(1);

/// Drives a connection to its end.
async fn drive_connection<C>(
    served: C,
    streams: StreamExecutor,
    limits: ConnectionLimits,
    mut close_receiver: watch::Receiver<()>,
) where
    C: GracefulConnection,
    C::Error: Display,
{
    let mut served = pin!(served);
    let ended = tokio::select! {
        biased;
        ended = &mut served => ended,
        _ = close_receiver.changed() => {
            served.as_mut().graceful_shutdown();
            let close_timeout = async {
                sleep(GOAWAY_TIMEOUT).await;
                streams.wait_until_idle_for(GOAWAY_TIMEOUT).await;
            };
            tokio::select! {
                ended = served => ended,
                // An HTTP/2 client without a stream that does not answer the GOAWAY frame.
                () = close_timeout => Ok(()),
            }
        }
        () = streams.wait_until_idle_for(limits.header_timeout) => {
            tracing::debug!("closing a connection without requests");
            served.as_mut().graceful_shutdown();
            let close_timeout = async {
                sleep(limits.stall_timeout).await;
                streams.wait_until_idle_for(Duration::ZERO).await;
            };
            tokio::select! {
                ended = served => ended,
                // A client that does not answer the GOAWAY frame is not waited for.
                () = close_timeout => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = error.to_string(), "connection failed");
    }
}

/// Handles one request.
async fn handle_request(
    router: Router,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<TrackedResponseBody>, Infallible> {
    let progress = current_stream_progress();
    let mut request =
        request.map(|body| Body::new(TrackedRequestBody::new(body, progress.clone())));
    request.extensions_mut().insert(peer);
    let mut response = router.oneshot(request).await?;
    let tracking = Tracking { progress, _reservation: response.extensions_mut().remove() };
    Ok(response.map(|body| TrackedResponseBody::new(body, tracking)))
}

fn connection_builder(
    limits: ConnectionLimits,
    streams: StreamExecutor,
) -> Builder<StreamExecutor> {
    let mut builder = Builder::new(streams);
    builder
        .http1()
        .timer(HeaderTimer::new(limits.header_timeout))
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.max_head_bytes.max(MIN_HTTP1_BUFFER_BYTES));
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PONG_TIMEOUT)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .max_header_list_size(u32::try_from(limits.max_head_bytes).unwrap_or(u32::MAX))
        .initial_stream_window_size(HTTP2_WINDOW)
        .initial_connection_window_size(HTTP2_WINDOW);
    builder
}
