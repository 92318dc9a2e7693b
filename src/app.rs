//! The composition root: settings become a running server, and a signal ends it in good order.

mod shutdown;

use std::future::{Future, IntoFuture};
use std::io;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::config::Settings;
use crate::http::{self, App, Caps, Readiness};

pub use shutdown::Signals;

/// Serves until `shutdown` is done, then ends in good order: `/readyz` fails at once, running searches are told to stop and answer
/// with what they have, new ones are refused, the listener stays open for `shutdown.drain_ms`; and whatever is still under
/// way after `shutdown.grace_ms` is dropped.
///
/// # Errors
/// When the listener breaks.
pub async fn serve(settings: &Settings, listener: TcpListener, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    let app = App::new(caps(settings));
    let router = http::router(app.clone());
    // Answers are small and written at once: waiting for more to send would only hold them up.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = error.to_string(), "TCP_NODELAY could not be set");
        }
    });
    let (close, closed) = tokio::sync::oneshot::channel::<()>();
    let serving = axum::serve(listener, router).with_graceful_shutdown(async {
        // Both mean the same: told to close, or nobody is left to tell.
        let _ = closed.await;
    });
    let serving = tokio::spawn(serving.into_future());
    app.set_readiness(Readiness::Ready);

    shutdown.await;
    let told = tokio::time::Instant::now();
    tracing::info!(drain_ms = settings.shutdown.drain_ms, grace_ms = settings.shutdown.grace_ms, "shutting down");
    app.set_readiness(Readiness::ShuttingDown);
    tokio::time::sleep_until(told + settings.shutdown.drain()).await;
    drop(close);
    match tokio::time::timeout_at(told + settings.shutdown.grace(), serving).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => Err(io::Error::other(error)),
        Err(_late) => {
            tracing::warn!("the grace time is over: what is still under way is dropped");
            Ok(())
        }
    }
}

/// What the routes need to know of the settings.
fn caps(settings: &Settings) -> Caps {
    let limits = &settings.limits;
    Caps {
        depth: limits.depth,
        nodes: limits.nodes,
        movetime: Duration::from_millis(limits.movetime_ms),
        default_movetime: Duration::from_millis(settings.search.default_movetime_ms),
        mate: limits.mate,
        moves: limits.moves,
        body_bytes: limits.body_bytes,
        body_timeout: Duration::from_millis(settings.http.body_timeout_ms),
        perft_depth: limits.perft_depth,
        perft_max: Duration::from_millis(settings.perft.max_ms),
        cors_origins: settings.http.cors_origins.clone(),
        memory_bound_mb: settings.memory_bound_mb(),
        memory_max_mb: settings.memory.max_mb,
    }
}
