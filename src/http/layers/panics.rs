//! The net under panics.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// The future has panicked. The panic hook has logged that by then, with the request's id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panicked;

pin_project! {
    /// A future, polled to its end or to its panic.
    pub(super) struct UnlessPanic<F> {
        #[pin]
        future: F,
    }
}

impl<F> UnlessPanic<F> {
    /// This future.
    pub(super) fn new(future: F) -> UnlessPanic<F> {
        UnlessPanic { future }
    }
}

impl<F: Future> Future for UnlessPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        // After a panic the future is never polled again, only dropped.
        match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_payload) => Poll::Ready(Err(Panicked)),
        }
    }
}
