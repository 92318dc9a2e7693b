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
    /// A future, polled to its end or to its panic; none at all when making it has panicked.
    pub(super) struct CatchPanic<F> {
        #[pin]
        future: Option<F>,
    }
}

impl<F> CatchPanic<F> {
    /// The future that this makes.
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
        assert!(CatchPanic::new(|| async { panic!("on its way") }).await.is_err());
        assert!(CatchPanic::new(|| -> Ready<()> { panic!("before its way") }).await.is_err());
    }
}
