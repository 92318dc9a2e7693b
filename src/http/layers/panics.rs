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
    pub(super) struct UnlessPanic<F> {
        #[pin]
        future: Option<F>,
    }
}

impl<F> UnlessPanic<F> {
    /// The future that this makes.
    pub(super) fn of(make: impl FnOnce() -> F) -> UnlessPanic<F> {
        UnlessPanic { future: catch_unwind(AssertUnwindSafe(make)).ok() }
    }
}

impl<F: Future> Future for UnlessPanic<F> {
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
    async fn a_panic_is_caught_where_a_future_is_made_and_where_it_is_polled() {
        assert_eq!(UnlessPanic::of(|| ready(7)).await.ok(), Some(7));
        assert!(UnlessPanic::of(|| async { panic!("on its way") }).await.is_err());
        assert!(UnlessPanic::of(|| -> Ready<()> { panic!("before its way") }).await.is_err());
    }
}
