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
pub(super) struct Reader {
    state: Mutex<State>,
    /// It has something to take, and nothing else to do.
    changed: Notify,
}

struct State {
    /// Bytes of the answer that were given away and are not sent yet.
    untaken: usize,
    /// Since when nothing was taken.
    since: Instant,
    /// The request's own body is still to come: who writes need not read yet.
    is_asking: bool,
    /// Who waits until all is taken.
    end: Option<Waker>,
}

impl State {
    fn is_due(&self) -> bool {
        self.untaken > 0 && !self.is_asking
    }
}

impl Reader {
    /// One that still asks.
    pub(super) fn new() -> Reader {
        let state = State { untaken: 0, since: Instant::now(), is_asking: true, end: None };
        Reader { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Resolves when it has taken nothing for so long although there was something to take.
    pub(super) async fn stalled(&self, stall: Duration) {
        loop {
            let since = {
                let state = self.lock();
                state.is_due().then_some(state.since)
            };
            match since.map(|since| since + stall) {
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
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        let was_due = state.is_due();
        change(&mut state);
        if !was_due && state.is_due() {
            state.since = Instant::now();
            self.changed.notify_one();
        }
    }

    fn give(&self, bytes: usize) {
        self.change(|state| state.untaken += bytes);
    }

    fn take(&self, bytes: usize) {
        let mut state = self.lock();
        state.untaken -= bytes;
        state.since = Instant::now();
        let end = if state.untaken == 0 { state.end.take() } else { None };
        drop(state);
        end.into_iter().for_each(Waker::wake);
    }

    fn has_asked(&self) {
        self.change(|state| state.is_asking = false);
    }

    fn has_all(&self) -> bool {
        self.lock().untaken == 0
    }

    fn poll_all(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.untaken == 0 {
            return Poll::Ready(());
        }
        state.end = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The body of a request.
pub(super) struct Question {
    body: Incoming,
    /// Where the request has a stream of its own, until all of it has come.
    reader: Option<Arc<Reader>>,
}

impl Question {
    pub(super) fn new(body: Incoming, reader: Option<Arc<Reader>>) -> Question {
        let mut question = Question { body, reader };
        if question.body.is_end_stream() {
            question.end();
        }
        question
    }

    fn end(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.has_asked();
        }
    }
}

impl HttpBody for Question {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.end();
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

impl Drop for Question {
    fn drop(&mut self) {
        self.end();
    }
}

/// The body of an answer.
pub(super) struct Answer {
    body: Body,
    is_over: bool,
    /// Where the answer has a stream of its own.
    reader: Option<Arc<Reader>>,
}

impl Answer {
    pub(super) fn new(body: Body, reader: Option<Arc<Reader>>) -> Answer {
        Answer { body, is_over: false, reader }
    }
}

impl HttpBody for Answer {
    type Data = Piece;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, axum::Error>>> {
        if !self.is_over {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(frame) => {
                    let reader = &self.reader;
                    let frame = frame
                        .map(|frame| frame.map_data(|bytes| Piece::new(bytes, reader.clone())));
                    return Poll::Ready(Some(frame));
                }
                None => self.is_over = true,
            }
        }
        // A stream that has ended on our side can't be reset any more: it ends when all of it is
        // sent.
        match &self.reader {
            Some(reader) => reader.poll_all(context).map(|()| None),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        let has_all = self.reader.as_ref().is_none_or(|reader| reader.has_all());
        has_all && (self.is_over || self.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes of an answer, on their way.
pub(super) struct Piece {
    bytes: Bytes,
    reader: Option<Arc<Reader>>,
}

impl Piece {
    fn new(bytes: Bytes, reader: Option<Arc<Reader>>) -> Piece {
        if let Some(reader) = &reader {
            reader.give(bytes.len());
        }
        Piece { bytes, reader }
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(reader) = &self.reader {
            reader.take(count);
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader
            && !self.bytes.is_empty()
        {
            reader.take(self.bytes.len());
        }
    }
}

#[cfg(test)]
impl Reader {
    /// Has asked all, and is given what it never takes.
    pub(super) fn stand_still(&self) {
        self.has_asked();
        self.give(1);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const STALL: Duration = Duration::from_secs(10);

    async fn is_stalled(reader: &Reader, after: Duration) -> bool {
        tokio::time::timeout(after, reader.stalled(STALL)).await.is_ok()
    }

    fn given(reader: &Arc<Reader>, bytes: &'static [u8]) -> Piece {
        Piece::new(Bytes::from_static(bytes), Some(reader.clone()))
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_nothing_to_take_is_never_late() {
        let reader = Arc::new(Reader::new());
        reader.has_asked();
        assert!(!is_stalled(&reader, 10 * STALL).await);
        let mut piece = given(&reader, b"text");
        piece.advance(4);
        assert!(!is_stalled(&reader, 10 * STALL).await);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_for_so_long_is_late() {
        let reader = Arc::new(Reader::new());
        reader.has_asked();
        let begun = Instant::now();
        let mut piece = given(&reader, b"text");
        assert!(!is_stalled(&reader, STALL / 2).await);
        piece.advance(1);
        reader.stalled(STALL).await;
        assert_eq!(begun.elapsed().as_secs(), 15, "a byte buys time");
    }

    #[tokio::test(start_paused = true)]
    async fn who_still_asks_has_time() {
        let reader = Arc::new(Reader::new());
        let _piece = given(&reader, b"text");
        assert!(!is_stalled(&reader, 10 * STALL).await);
        let begun = Instant::now();
        reader.has_asked();
        reader.stalled(STALL).await;
        assert_eq!(begun.elapsed().as_secs(), 10);
    }

    #[tokio::test]
    async fn an_answer_ends_when_all_of_it_is_taken() {
        let reader = Arc::new(Reader::new());
        let mut answer = Answer::new(Body::from("text"), Some(reader.clone()));
        let frame = poll_fn(|context| Pin::new(&mut answer).poll_frame(context)).await;
        let mut piece =
            frame.and_then(Result::ok).and_then(|frame| frame.into_data().ok()).expect("data");
        assert!(!answer.is_end_stream());
        let ended = tokio::spawn(async move {
            let end = poll_fn(|context| Pin::new(&mut answer).poll_frame(context)).await;
            end.is_none() && answer.is_end_stream()
        });
        piece.advance(3);
        tokio::task::yield_now().await;
        assert!(!ended.is_finished());
        drop(piece);
        assert!(ended.await.expect("no panic"));
    }
}
