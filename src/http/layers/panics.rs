//! The net under panics.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// The future has panicked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panicked;

/// Polls a future to its end.
///
/// # Errors
/// When it panics. The panic hook has logged that by then, with the request's id.
pub(super) async fn unless_panic<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| {
        // After a panic the future is never polled again, only dropped.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_payload) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}
