//! Middleware around every route.
//!
//! This file holds the future that catches panics.

mod auth_rate_limit;
mod cors;
mod request;
mod request_head;
mod trace;

pub(crate) use auth_rate_limit::AuthRateLimitLayer;
pub(crate) use cors::cors_layer;
pub(crate) use request::{RequestLayer, ServerTiming};

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// The future has panicked. The panic hook has already logged it with the request id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panicked;

pin_project! {
    /// A future that is polled until it ends or panics; `None` if its construction panicked.
    pub(super) struct CatchPanic<F> {
        #[pin]
        future: Option<F>,
    }
}

impl<F> CatchPanic<F> {
    /// Wraps the future that `make` constructs.
    pub(super) fn new(make: impl FnOnce() -> F) -> CatchPanic<F> {
        CatchPanic { future: catch_unwind(AssertUnwindSafe(make)).ok() }
    }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = self.project().future.as_pin_mut() else {
            return Poll::Ready(Err(Panicked));
        };
        // After a panic the future is never polled again, only dropped.
        match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_payload) => Poll::Ready(Err(Panicked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};

    use super::*;

    #[tokio::test]
    async fn panics_are_caught_while_a_future_is_built_and_polled() {
        assert_eq!(CatchPanic::new(|| ready(7)).await.ok(), Some(7));
        assert!(CatchPanic::new(|| async { panic!("while polled") }).await.is_err());
        assert!(CatchPanic::new(|| -> Ready<()> { panic!("while built") }).await.is_err());
    }
}
