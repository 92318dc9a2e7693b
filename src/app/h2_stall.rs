//! Who reads the answer of an HTTP/2 stream, and whether it takes anything.
//!
//! A stream has a window of its own: one that is shut holds its answer back while the connection
//! itself goes on, so that nothing is to be seen there. Hyper then asks the answer's body for no
//! more of it, and what h2 has of it waits. So what is given away is followed until it is sent:
//! each piece tells when bytes of it were.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Buf, Frame, Incoming, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The other side of one stream.
pub(super) struct StreamProgress {
    state: Mutex<State>,
    /// It has something to take, and nothing else to do.
    changed: Notify,
}

struct State {
    /// Bytes of the answer that were given away and are not sent yet.
    unsent_bytes: usize,
    /// Since when nothing was taken.
    last_progress: Instant,
    /// The request's own body is still to come: who writes need not read yet.
    is_receiving_request: bool,
    /// Who waits until all is taken.
    drain_waker: Option<Waker>,
}

impl State {
    fn is_blocked_on_client(&self) -> bool {
        self.unsent_bytes > 0 && !self.is_receiving_request
    }
}

impl StreamProgress {
    /// One that still asks.
    pub(super) fn new() -> StreamProgress {
        let state = State {
            unsent_bytes: 0,
            last_progress: Instant::now(),
            is_receiving_request: true,
            drain_waker: None,
        };
        StreamProgress { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Resolves when it has taken nothing for so long although there was something to take.
    pub(super) async fn wait_for_stall(&self, stall_timeout: Duration) {
        loop {
            let since = {
                let state = self.lock();
                state.is_blocked_on_client().then_some(state.last_progress)
            };
            match since.map(|since| since + stall_timeout) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => sleep_until(end).await,
                // A notice that comes before this is kept.
                None => self.changed.notified().await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what it has to do, and starts the clock where there was nothing to do.
    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        let was_blocked = state.is_blocked_on_client();
        change(&mut state);
        if !was_blocked && state.is_blocked_on_client() {
            state.last_progress = Instant::now();
            self.changed.notify_one();
        }
    }

    fn add_unsent(&self, bytes: usize) {
        self.update(|state| state.unsent_bytes += bytes);
    }

    fn mark_sent(&self, bytes: usize) {
        let mut state = self.lock();
        state.unsent_bytes -= bytes;
        state.last_progress = Instant::now();
        let waker = if state.unsent_bytes == 0 { state.drain_waker.take() } else { None };
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    fn finish_request(&self) {
        self.update(|state| state.is_receiving_request = false);
    }

    fn is_drained(&self) -> bool {
        self.lock().unsent_bytes == 0
    }

    fn poll_drained(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.unsent_bytes == 0 {
            return Poll::Ready(());
        }
        state.drain_waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The body of a request.
pub(super) struct TrackedRequest {
    body: Incoming,
    /// Where the request has a stream of its own, until all of it has come.
    progress: Option<Arc<StreamProgress>>,
}

impl TrackedRequest {
    pub(super) fn new(body: Incoming, progress: Option<Arc<StreamProgress>>) -> TrackedRequest {
        let mut request = TrackedRequest { body, progress };
        if request.body.is_end_stream() {
            request.finish();
        }
        request
    }

    fn finish(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish_request();
        }
    }
}

impl HttpBody for TrackedRequest {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.finish();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedRequest {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The body of an answer.
pub(super) struct TrackedBody {
    body: Body,
    is_body_done: bool,
    /// Where the answer has a stream of its own.
    progress: Option<Arc<StreamProgress>>,
}

impl TrackedBody {
    pub(super) fn new(body: Body, progress: Option<Arc<StreamProgress>>) -> TrackedBody {
        TrackedBody { body, is_body_done: false, progress }
    }
}

impl HttpBody for TrackedBody {
    type Data = TrackedChunk;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<TrackedChunk>, axum::Error>>> {
        if !self.is_body_done {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(frame) => {
                    let progress = &self.progress;
                    let frame = frame.map(|frame| {
                        frame.map_data(|bytes| TrackedChunk::new(bytes, progress.clone()))
                    });
                    return Poll::Ready(Some(frame));
                }
                None => self.is_body_done = true,
            }
        }
        // A stream that has ended on our side can't be reset any more: it ends when all of it is
        // sent.
        match &self.progress {
            Some(progress) => progress.poll_drained(context).map(|()| None),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        let is_drained = self.progress.as_ref().is_none_or(|progress| progress.is_drained());
        is_drained && (self.is_body_done || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of an answer, on their way.
pub(super) struct TrackedChunk {
    bytes: Bytes,
    progress: Option<Arc<StreamProgress>>,
}

impl TrackedChunk {
    fn new(bytes: Bytes, progress: Option<Arc<StreamProgress>>) -> TrackedChunk {
        if let Some(progress) = &progress {
            progress.add_unsent(bytes.len());
        }
        TrackedChunk { bytes, progress }
    }
}

impl Buf for TrackedChunk {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(progress) = &self.progress {
            progress.mark_sent(count);
        }
    }
}

impl Drop for TrackedChunk {
    fn drop(&mut self) {
        if let Some(progress) = &self.progress
            && !self.bytes.is_empty()
        {
            progress.mark_sent(self.bytes.len());
        }
    }
}

#[cfg(test)]
impl StreamProgress {
    /// Has asked all, and is given what it never takes.
    pub(super) fn simulate_stall(&self) {
        self.finish_request();
        self.add_unsent(1);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const STALL: Duration = Duration::from_secs(10);

    async fn stalls_within(progress: &StreamProgress, duration: Duration) -> bool {
        tokio::time::timeout(duration, progress.wait_for_stall(STALL)).await.is_ok()
    }

    fn tracked_chunk(progress: &Arc<StreamProgress>, bytes: &'static [u8]) -> TrackedChunk {
        TrackedChunk::new(Bytes::from_static(bytes), Some(progress.clone()))
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_with_nothing_unsent_never_stalls() {
        let progress = Arc::new(StreamProgress::new());
        progress.finish_request();
        assert!(!stalls_within(&progress, 10 * STALL).await);
        let mut chunk = tracked_chunk(&progress, b"text");
        chunk.advance(4);
        assert!(!stalls_within(&progress, 10 * STALL).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_stalls() {
        let progress = Arc::new(StreamProgress::new());
        progress.finish_request();
        let started = Instant::now();
        let mut chunk = tracked_chunk(&progress, b"text");
        assert!(!stalls_within(&progress, STALL / 2).await);
        chunk.advance(1);
        progress.wait_for_stall(STALL).await;
        assert_eq!(started.elapsed().as_secs(), 15, "a byte buys time");
    }

    #[tokio::test(start_paused = true)]
    async fn an_unfinished_request_never_stalls() {
        let progress = Arc::new(StreamProgress::new());
        let _chunk = tracked_chunk(&progress, b"text");
        assert!(!stalls_within(&progress, 10 * STALL).await);
        let started = Instant::now();
        progress.finish_request();
        progress.wait_for_stall(STALL).await;
        assert_eq!(started.elapsed().as_secs(), 10);
    }

    #[tokio::test]
    async fn a_response_ends_when_all_of_it_is_sent() {
        let progress = Arc::new(StreamProgress::new());
        let mut body = TrackedBody::new(Body::from("text"), Some(progress.clone()));
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        let mut chunk =
            frame.and_then(Result::ok).and_then(|frame| frame.into_data().ok()).expect("data");
        assert!(!body.is_end_stream());
        let ended = tokio::spawn(async move {
            let end = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
            end.is_none() && body.is_end_stream()
        });
        chunk.advance(3);
        tokio::task::yield_now().await;
        assert!(!ended.is_finished());
        drop(chunk);
        assert!(ended.await.expect("no panic"));
    }
}
