//! Stall detection for an HTTP/2 stream whose client reads nothing.
//!
//! Each stream has its own flow-control window. An exhausted window blocks one response while the
//! connection keeps working, so the socket shows no stall. Hyper then stops polling the body, and
//! h2 buffers the unsent bytes. Therefore each chunk reports whenever some of its bytes are sent.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Buf, Frame, Incoming, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::read_rate::ReadRate;
use crate::http::Reservation;

/// The progress of the client of one stream.
pub(super) struct StreamProgress {
    state: Mutex<State>,
    /// Notified when the client has bytes to read and nothing left to send.
    changed: Notify,
}

struct State {
    /// Bytes of the response that were handed to hyper and are not sent yet.
    unsent_bytes: usize,
    /// What the client has taken since bytes wait for it.
    read_rate: ReadRate,
    /// The body of the request is still arriving. A client that is sending need not read yet.
    is_receiving_request: bool,
    /// Waker of the task that waits until all bytes are sent.
    drain_waker: Option<Waker>,
}

impl State {
    fn is_blocked_on_client(&self) -> bool {
        self.unsent_bytes > 0 && !self.is_receiving_request
    }
}

impl StreamProgress {
    /// The state at the start: the request is arriving.
    pub(super) fn new() -> StreamProgress {
        let state = State {
            unsent_bytes: 0,
            read_rate: ReadRate::start(),
            is_receiving_request: true,
            drain_waker: None,
        };
        StreamProgress { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Resolves when the client has read too little for this time although there were bytes to
    /// read.
    pub(super) async fn wait_for_stall(&self, stall_timeout: Duration) {
        loop {
            let deadline = {
                let mut state = self.lock();
                let is_blocked = state.is_blocked_on_client();
                let is_over = state.read_rate.deadline(stall_timeout) <= Instant::now();
                if is_blocked && is_over && !state.read_rate.next_window(stall_timeout) {
                    return;
                }
                is_blocked.then(|| state.read_rate.deadline(stall_timeout))
            };
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                // A notification that comes earlier is kept.
                None => self.changed.notified().await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state. Restarts the stall timer when the server starts to wait for the client.
    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        let was_blocked = state.is_blocked_on_client();
        change(&mut state);
        if !was_blocked && state.is_blocked_on_client() {
            state.read_rate = ReadRate::start();
            self.changed.notify_one();
        }
    }

    fn add_unsent(&self, bytes: usize) {
        self.update(|state| state.unsent_bytes += bytes);
    }

    fn mark_sent(&self, bytes: usize) {
        let mut state = self.lock();
        state.unsent_bytes -= bytes;
        state.read_rate.add(bytes);
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

/// The body of a request. It reports when it has arrived.
pub(super) struct TrackedRequestBody {
    body: Incoming,
    /// The progress of the request's HTTP/2 stream, until the whole body has arrived.
    progress: Option<Arc<StreamProgress>>,
}

impl TrackedRequestBody {
    pub(super) fn new(body: Incoming, progress: Option<Arc<StreamProgress>>) -> TrackedRequestBody {
        let mut request = TrackedRequestBody { body, progress };
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

impl HttpBody for TrackedRequestBody {
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

impl Drop for TrackedRequestBody {
    fn drop(&mut self) {
        self.finish();
    }
}

/// The body of a response, in tracked chunks.
pub(super) struct TrackedResponseBody {
    body: Body,
    is_body_done: bool,
    tracking: Tracking,
}

/// What follows the bytes of a response until they are sent.
#[derive(Clone)]
pub(super) struct Tracking {
    /// The progress of the response's HTTP/2 stream.
    pub(super) progress: Option<Arc<StreamProgress>>,
    /// The memory of the request.
    pub(super) _reservation: Option<Arc<Reservation>>,
}

impl TrackedResponseBody {
    pub(super) fn new(body: Body, tracking: Tracking) -> TrackedResponseBody {
        TrackedResponseBody { body, is_body_done: false, tracking }
    }
}

impl HttpBody for TrackedResponseBody {
    type Data = TrackedChunk;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<TrackedChunk>, axum::Error>>> {
        if !self.is_body_done {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(frame) => {
                    let tracking = &self.tracking;
                    let frame = frame.map(|frame| {
                        frame.map_data(|bytes| TrackedChunk::new(bytes, tracking.clone()))
                    });
                    return Poll::Ready(Some(frame));
                }
                None => self.is_body_done = true,
            }
        }
        // A stream that has ended on our side cannot be reset any more. So the body ends only when
        // all of it is sent.
        match &self.tracking.progress {
            Some(progress) => progress.poll_drained(context).map(|()| None),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        let progress = self.tracking.progress.as_ref();
        let is_drained = progress.is_none_or(|progress| progress.is_drained());
        is_drained && (self.is_body_done || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of a response. They report when they are sent.
pub(super) struct TrackedChunk {
    bytes: Bytes,
    tracking: Tracking,
}

impl TrackedChunk {
    fn new(bytes: Bytes, tracking: Tracking) -> TrackedChunk {
        if let Some(progress) = &tracking.progress {
            progress.add_unsent(bytes.len());
        }
        TrackedChunk { bytes, tracking }
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
        if let Some(progress) = &self.tracking.progress {
            progress.mark_sent(count);
        }
    }
}

impl Drop for TrackedChunk {
    fn drop(&mut self) {
        if let Some(progress) = &self.tracking.progress
            && !self.bytes.is_empty()
        {
            progress.mark_sent(self.bytes.len());
        }
    }
}

#[cfg(test)]
impl StreamProgress {
    /// Puts the stream into the state of a client that never reads its response.
    pub(super) fn simulate_stall(&self) {
        self.finish_request();
        self.add_unsent(1);
    }
}

#[cfg(test)]
mod tests;
