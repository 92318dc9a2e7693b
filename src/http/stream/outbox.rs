//! The lines that wait for their reader: few, and not for long.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::StreamRules;
use super::line::{Line, Weight};

/// Where lines are put. Once it is dropped the reader gets what waits, and then the end.
pub(crate) struct Outbox {
    shared: Arc<Shared>,
    rules: StreamRules,
}

/// What the reader takes them from: the body of a response.
pub(crate) struct Lines(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// The reader has taken a line or has gone, or the first line after an empty time has come.
    changed: Notify,
}

struct State {
    waiting: VecDeque<Line>,
    /// Those of all that wait.
    bytes: usize,
    /// Since when there has been something to take, without anything being taken.
    untaken: Option<Instant>,
    /// The reader may still have to write before it reads.
    patient: bool,
    reader: Option<Waker>,
    ending: Ending,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// More may come.
    Open,
    /// Nothing more comes.
    Ended,
    /// The reader takes nothing: what waits is not for it any more.
    Cut,
    /// The reader has gone.
    Gone,
}

/// An outbox and what it is read by.
pub(crate) fn outbox(rules: StreamRules) -> (Outbox, Lines) {
    let state = State {
        waiting: VecDeque::new(),
        bytes: 0,
        untaken: None,
        patient: false,
        reader: None,
        ending: Ending::Open,
    };
    let shared = Arc::new(Shared { state: Mutex::new(state), changed: Notify::new() });
    (Outbox { shared: shared.clone(), rules }, Lines(shared))
}

impl State {
    fn push(&mut self, line: Line) {
        self.bytes += line.bytes.len();
        self.waiting.push_back(line);
    }

    /// Takes out the line at this place.
    fn take(&mut self, place: usize) -> Option<Line> {
        let line = self.waiting.remove(place)?;
        self.bytes -= line.bytes.len();
        Some(line)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, ending: Ending) {
        let mut state = self.lock();
        if state.ending == Ending::Open {
            state.ending = ending;
        }
        if state.ending == Ending::Cut {
            // Nobody takes it, and nobody else counts it from now on.
            state.waiting = VecDeque::new();
            state.bytes = 0;
        }
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }
}

impl Outbox {
    /// Puts a line in. In a full outbox the oldest one that may give way does; without any, the new
    /// one if it may.
    pub(crate) fn put(&self, line: Line) {
        let mut state = self.shared.lock();
        if state.ending != Ending::Open {
            return;
        }
        if state.waiting.len() >= self.rules.buffer {
            match state.waiting.iter().position(|line| line.weight == Weight::Passing) {
                Some(oldest) => drop(state.take(oldest)),
                None if line.weight == Weight::Passing => return,
                None => {}
            }
        }
        state.push(line);
        let is_first = state.untaken.is_none();
        state.untaken.get_or_insert_with(Instant::now);
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
        if is_first {
            self.shared.changed.notify_waiters();
        }
    }

    /// Puts a line in that was written just now; one that could not be is told to the log.
    pub(crate) fn put_written(&self, line: serde_json::Result<Line>) {
        match line {
            Ok(line) => self.put(line),
            Err(error) => tracing::error!(error = error.to_string(), "a line could not be written"),
        }
    }

    /// The bytes of the lines that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.shared.lock().bytes
    }

    /// Resolves when one more line has room, or nobody takes any.
    pub(crate) async fn room(&self) {
        self.until(|state| state.waiting.len() < self.rules.buffer).await;
    }

    /// Resolves when the lines that wait have fewer bytes, or nobody takes any.
    pub(crate) async fn bytes_below(&self, bytes: usize) {
        self.until(|state| state.bytes < bytes).await;
    }

    async fn until(&self, is_so: impl Fn(&State) -> bool) {
        loop {
            // Made before the look, so that nothing is missed in between.
            let changed = self.shared.changed.notified();
            let is_over = {
                let state = self.shared.lock();
                state.ending != Ending::Open || is_so(&state)
            };
            if is_over {
                return;
            }
            changed.await;
        }
    }

    /// From now on the reader may take its time, or no longer.
    pub(crate) fn be_patient(&self, patient: bool) {
        let mut state = self.shared.lock();
        state.patient = patient;
        state.untaken = (!state.waiting.is_empty()).then(Instant::now);
        drop(state);
        self.shared.changed.notify_waiters();
    }

    /// Resolves when the reader has gone, or has taken nothing for too long; in that case it is cut
    /// off.
    pub(crate) async fn deserted(&self) {
        loop {
            // Made before the look, so that nothing is missed in between.
            let changed = self.shared.changed.notified();
            let untaken = match &*self.shared.lock() {
                State { ending: Ending::Gone | Ending::Cut, .. } => return,
                State { patient: true, .. } => None,
                state => state.untaken,
            };
            match untaken.map(|since| since + self.rules.stall) {
                Some(stall) if stall <= Instant::now() => {
                    tracing::info!("a reader took nothing and was cut off");
                    return self.shared.end(Ending::Cut);
                }
                Some(stall) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(stall) => {}
                },
                None => changed.await,
            }
        }
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.shared.end(Ending::Ended);
    }
}

impl HttpBody for Lines {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut state = self.0.lock();
        if state.ending == Ending::Cut {
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut))));
        }
        let Some(line) = state.take(0) else {
            if state.ending == Ending::Ended {
                return Poll::Ready(None);
            }
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        state.untaken = (!state.waiting.is_empty()).then(Instant::now);
        drop(state);
        self.0.changed.notify_waiters();
        Poll::Ready(Some(Ok(Frame::data(line.bytes))))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.0.end(Ending::Gone);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;
    use crate::http::stream::Form;

    const RULES: StreamRules = StreamRules {
        heartbeat: Duration::from_secs(5),
        stall: Duration::from_secs(10),
        buffer: 3,
    };

    fn passing(text: &str) -> Line {
        Line::passing(Form::NdJson, "info", None, &text).unwrap()
    }

    fn lasting(text: &str) -> Line {
        Line::lasting(Form::NdJson, "end", None, &text).unwrap()
    }

    async fn read(lines: &mut Lines) -> Option<io::Result<String>> {
        let frame = poll_fn(|context| Pin::new(&mut *lines).poll_frame(context)).await?;
        Some(frame.map(|frame| {
            String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap().trim().to_owned()
        }))
    }

    async fn rest(mut lines: Lines) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(line) = read(&mut lines).await {
            all.push(line.unwrap());
        }
        all
    }

    #[tokio::test]
    async fn in_a_full_outbox_older_passing_lines_give_way() {
        let (outbox, lines) = outbox(RULES);
        outbox.put(lasting("first"));
        for number in ["1", "2", "3", "4"] {
            outbox.put(passing(number));
        }
        outbox.put(lasting("last"));
        drop(outbox);
        assert_eq!(rest(lines).await, ["\"first\"", "\"4\"", "\"last\""]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_cut_off() {
        let (outbox, mut lines) = outbox(RULES);
        let begun = Instant::now();
        let quiet = tokio::time::timeout(Duration::from_secs(60), outbox.deserted()).await;
        assert!(quiet.is_err(), "where nothing is to be taken nobody is late");
        outbox.put(passing("1"));
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert_eq!(read(&mut lines).await.unwrap().unwrap(), "\"1\"");
        outbox.put(passing("2"));
        outbox.deserted().await;
        assert_eq!(begun.elapsed().as_secs(), 60 + 9 + 10);
        assert_eq!(outbox.bytes(), 0, "what nobody takes is not kept");
        assert!(lines.0.lock().waiting.is_empty());
        assert!(read(&mut lines).await.unwrap().is_err(), "a cut stream does not look complete");
    }

    #[tokio::test]
    async fn who_asks_for_room_waits_until_a_line_was_taken() {
        let (outbox, mut lines) = outbox(RULES);
        ["1", "2"].iter().for_each(|text| outbox.put(lasting(text)));
        outbox.room().await;
        outbox.put(lasting("3"));
        let waiting = tokio::spawn(async move {
            outbox.room().await;
            outbox
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        read(&mut lines).await.unwrap().unwrap();
        let outbox = waiting.await.unwrap();
        outbox.put(lasting("4"));
        drop(lines);
        outbox.room().await;
    }

    #[tokio::test]
    async fn bytes_are_counted_until_they_are_taken_or_give_way() {
        let (outbox, mut lines) = outbox(RULES);
        ["1", "2", "3"].iter().for_each(|text| outbox.put(passing(text)));
        assert_eq!(outbox.bytes(), 3 * "\"1\"\n".len());
        outbox.put(passing("4"));
        assert_eq!(outbox.bytes(), 3 * "\"1\"\n".len());
        outbox.bytes_below(13).await;
        let waiting = tokio::spawn(async move { outbox.bytes_below(1).await });
        for _ in 0..3 {
            assert!(!waiting.is_finished());
            read(&mut lines).await.unwrap().unwrap();
        }
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn a_reader_that_goes_is_missed_at_once() {
        let (outbox, lines) = outbox(RULES);
        let gone = tokio::spawn(async move { outbox.deserted().await });
        tokio::task::yield_now().await;
        drop(lines);
        gone.await.unwrap();
    }
}
