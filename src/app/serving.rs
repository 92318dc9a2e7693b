//! The connections: so many at once, none without end, and all of them brought to an end in good order.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::connection::Connection;
use crate::http::{Gauge, Peer};

/// How often an HTTP/2 connection without traffic is asked whether it is still there, and how long it may take over the answer.
const PING_EVERY: Duration = Duration::from_secs(20);
const PONG_WITHIN: Duration = Duration::from_secs(10);

/// So many requests of one HTTP/2 connection are under way at most.
const STREAMS_OF_A_CONNECTION: u32 = 64;

/// What connections have to keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// So many at once; who comes then waits until one has ended.
    pub(super) connections: usize,
    /// So long the head of a request may take, counted from the last answer.
    pub(super) head: Duration,
    /// One whose other side takes nothing for so long ends.
    pub(super) stall: Duration,
}

/// Serves until told to close; then answers what is under way. Open connections are counted in `open`.
pub(super) async fn serve(
    mut listener: TcpListener,
    router: Router,
    rules: Rules,
    open: Gauge,
    close: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(rules.connections));
    let connections = GracefulShutdown::new();
    let builder = builder(rules);
    let mut close = pin!(close);
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            // Faults of `accept` are waited out there.
            (place, Listener::accept(&mut listener).await)
        };
        let (place, (stream, address)) = tokio::select! {
            next = next => next,
            () = &mut close => break,
        };
        // The semaphore is never closed, which would be the only error.
        let Ok(place) = place else { break };
        // Answers are small and written at once: waiting for more to send would only hold them up.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = error.to_string(), "TCP_NODELAY could not be set");
        }
        let service = router.clone().map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(Peer(address)));
            request.map(Body::new)
        });
        let connection = TokioIo::new(Connection::new(stream, place, rules.stall, rules.head));
        let served = builder.serve_connection_with_upgrades(connection, TowerToHyperService::new(service)).into_owned();
        let served = connections.watch(served);
        let inside = open.enter();
        tokio::spawn(async move {
            if let Err(error) = served.await {
                tracing::debug!(error = error.to_string(), "a connection broke off");
            }
            drop(inside);
        });
    }
    drop(listener);
    connections.shutdown().await;
}

fn builder(rules: Rules) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(rules.head);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PONG_WITHIN)
        .max_concurrent_streams(STREAMS_OF_A_CONNECTION);
    builder
}
