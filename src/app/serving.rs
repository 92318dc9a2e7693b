//! The connections: so many at once, none without end, and all of them brought to an end in good
//! order.

use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
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
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::sleep;
use tower::ServiceExt;

use super::alarm::Alarm;
use super::connection::{Connection, Seat};
use super::reader::{Answer, Question};
use super::streams::{Streams, reader};
use crate::http::{Gauge, Peer};

/// How often an HTTP/2 connection without traffic is asked whether it is still there, and how long
/// it may take over the answer.
const PING_EVERY: Duration = Duration::from_secs(20);
const PONG_WITHIN: Duration = Duration::from_secs(10);

/// So many requests of one HTTP/2 connection are under way at most.
const STREAMS_OF_A_CONNECTION: u32 = 64;

/// What connections have to keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// So many at once; who comes then waits until one has ended.
    pub(super) connections: usize,
    /// So long the head of a request may take, counted from the last answer; in HTTP/2, so long
    /// there may be no request at all.
    pub(super) head: Duration,
    /// One whose other side takes nothing for so long ends; of HTTP/2 the one stream.
    pub(super) stall: Duration,
}

/// Serves until told to close; then answers what is under way. Open connections are counted in
/// `open`.
pub(super) async fn serve(
    mut listener: TcpListener,
    router: Router,
    rules: Rules,
    open: Gauge,
    close: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(rules.connections));
    let (tell, told) = watch::channel(());
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
        let (streams, router) = (Streams::new(rules.stall), router.clone());
        let seat = Seat { _place: place, _inside: open.enter() };
        let connection =
            TokioIo::new(Connection::new(stream, seat, streams.clone(), rules.stall, rules.head));
        let peer = Peer::new(address.ip());
        let service = service_fn(move |request| answer(router.clone(), peer.clone(), request));
        let served = builder(rules, streams.clone())
            .serve_connection_with_upgrades(connection, service)
            .into_owned();
        tokio::spawn(hold(served, streams, rules, told.clone()));
    }
    drop((listener, told));
    // Without connections nobody is told.
    let _ = tell.send(());
    tell.closed().await;
}

/// Holds a connection to its end.
async fn hold<C>(served: C, streams: Streams, rules: Rules, mut told: watch::Receiver<()>)
where
    C: GracefulConnection,
    C::Error: Display,
{
    let mut served = pin!(served);
    let ended = tokio::select! {
        biased;
        ended = &mut served => ended,
        _ = told.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
        () = streams.none_for(rules.head) => {
            tracing::debug!("a connection without requests is closed");
            served.as_mut().graceful_shutdown();
            let patience = async {
                sleep(rules.stall).await;
                streams.none_for(Duration::ZERO).await;
            };
            tokio::select! {
                ended = served => ended,
                // Who does not answer the farewell is not waited for.
                () = patience => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = error.to_string(), "a connection broke off");
    }
}

/// Answers one request.
async fn answer(
    router: Router,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<Answer>, Infallible> {
    let reader = reader();
    let mut request = request.map(|body| Body::new(Question::new(body, reader.clone())));
    request.extensions_mut().insert(peer);
    let response = router.oneshot(request).await?;
    Ok(response.map(|body| Answer::new(body, reader)))
}

fn builder(rules: Rules, streams: Streams) -> Builder<Streams> {
    let mut builder = Builder::new(streams);
    builder.http1().timer(Alarm::new(rules.head)).header_read_timeout(rules.head);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PONG_WITHIN)
        .max_concurrent_streams(STREAMS_OF_A_CONNECTION);
    builder
}
