//! A bounded buffer between the writer of lines and the response body that sends them.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use http_body::Frame;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::content_negotiation::ResponseFormat;

/// The options of streaming responses.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions {
    /// Maximum time without a line.
    pub heartbeat: Duration,
    /// A client that does not read for this time is disconnected.
    pub stall: Duration,
    /// Maximum number of queued lines.
    pub buffer: usize,
}

/// Reconnection time that an event stream announces to its client, in milliseconds.
const RETRY_MS: u32 = 2_000;

/// A serialized line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    bytes: Bytes,
    delivery: Delivery,
}

/// Whether a full buffer may drop a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The line may be dropped for a newer one.
    Droppable,
    /// The line is always delivered.
    Required,
}

/// The event id of the last line. A client that reconnects with it has received everything.
pub(crate) const END_EVENT_ID: &str = "end";

impl Line {
    /// Serializes a payload in this format.
    ///
    /// # Errors
    /// Fails if the payload cannot be serialized.
    pub(crate) fn new(
        format: ResponseFormat,
        delivery: Delivery,
        event: &str,
        id: Option<&str>,
        payload: &impl Serialize,
    ) -> serde_json::Result<Line> {
        Ok(Line { bytes: serialize_line(format, event, id, payload)?, delivery })
    }

    /// The text before the first line, if the format has one.
    pub(super) fn preamble(format: ResponseFormat) -> Option<Line> {
        let bytes = Bytes::from(format!("retry: {RETRY_MS}\n\n"));
        (format == ResponseFormat::Sse).then_some(Line { bytes, delivery: Delivery::Required })
    }
}

/// The text of a whole stream, from its lines with their members `type` and `seq`.
pub(crate) fn stream_text(
    format: ResponseFormat,
    lines: &[serde_json::Value],
) -> serde_json::Result<String> {
    let mut text = Line::preamble(format).map_or_else(Vec::new, |line| line.bytes.to_vec());
    for line in lines {
        let event = line["type"].as_str().unwrap_or_default();
        let id = line["seq"].as_u64().map(|seq| seq.to_string());
        let id = if event == "end" { Some(END_EVENT_ID) } else { id.as_deref() };
        text.extend_from_slice(&serialize_line(format, event, id, line)?);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn serialize_line(
    format: ResponseFormat,
    event: &str,
    id: Option<&str>,
    payload: &impl Serialize,
) -> serde_json::Result<Bytes> {
    let mut text = Vec::with_capacity(512);
    if format == ResponseFormat::Sse {
        text.extend_from_slice(format!("event: {event}\n").as_bytes());
        if let Some(id) = id {
            text.extend_from_slice(format!("id: {id}\n").as_bytes());
        }
        text.extend_from_slice(b"data: ");
    }
    // serde_json writes compact JSON without line breaks.
    serde_json::to_writer(&mut text, payload)?;
    text.extend_from_slice(if format == ResponseFormat::Sse { b"\n\n" } else { b"\n" });
    Ok(Bytes::from(text))
}

/// The writing end of the buffer. After its drop the reader gets the queued lines, then the end.
pub(super) struct LineSender {
    shared: Arc<Shared>,
    options: StreamOptions,
}

/// The reading end of the buffer: the body of a response.
pub(super) struct LineBody(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Notified when the reader takes a line or leaves, and when a line enters an empty buffer.
    changed: Notify,
}

struct State {
    queued: VecDeque<Line>,
    /// The total size of the queued lines.
    bytes: usize,
    /// The time since which lines are queued and none has been taken.
    unread_since: Option<Instant>,
    /// Set while the reader may still be writing its request, before it reads.
    is_stall_timer_paused: bool,
    reader_waker: Option<Waker>,
    close_state: CloseState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CloseState {
    /// More lines may come.
    Open,
    /// No more lines come; the queued ones are still sent.
    Finished,
    /// The reader stalled, and its queued lines are dropped.
    Stalled,
    /// The reader has left.
    Disconnected,
}

/// Creates the two ends of a buffer.
pub(super) fn line_channel(options: StreamOptions) -> (LineSender, LineBody) {
    let state = State {
        queued: VecDeque::new(),
        bytes: 0,
        unread_since: None,
        is_stall_timer_paused: false,
        reader_waker: None,
        close_state: CloseState::Open,
    };
    let shared = Arc::new(Shared { state: Mutex::new(state), changed: Notify::new() });
    (LineSender { shared: shared.clone(), options }, LineBody(shared))
}

impl State {
    fn push(&mut self, line: Line) {
        self.bytes += line.bytes.len();
        self.queued.push_back(line);
    }

    /// Removes the line at this index.
    fn remove(&mut self, index: usize) -> Option<Line> {
        let line = self.queued.remove(index)?;
        self.bytes -= line.bytes.len();
        Some(line)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, close_state: CloseState) {
        let mut state = self.lock();
        if state.close_state == CloseState::Open {
            state.close_state = close_state;
        }
        if state.close_state == CloseState::Stalled {
            // The lines will never be read, so their memory is released and no longer counted.
            state.queued = VecDeque::new();
            state.bytes = 0;
        }
        let waker = state.reader_waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }
}

impl LineSender {
    /// Queues a line. A full buffer drops its oldest droppable line. If it has none, a droppable
    /// new line is dropped and a required one is queued above the limit.
    pub(super) fn send(&self, line: Line) {
        let mut state = self.shared.lock();
        if state.close_state != CloseState::Open {
            return;
        }
        if state.queued.len() >= self.options.buffer {
            match state.queued.iter().position(|line| line.delivery == Delivery::Droppable) {
                Some(oldest) => drop(state.remove(oldest)),
                None if line.delivery == Delivery::Droppable => return,
                None => {}
            }
        }
        state.push(line);
        let is_first = state.unread_since.is_none();
        state.unread_since.get_or_insert_with(Instant::now);
        let waker = state.reader_waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        if is_first {
            self.shared.changed.notify_waiters();
        }
    }

    /// The total size of the queued lines, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.shared.lock().bytes
    }

    /// Resolves when the buffer has space for a line, or is closed.
    pub(super) async fn wait_for_capacity(&self) {
        self.wait_until(|state| state.queued.len() < self.options.buffer).await;
    }

    /// Resolves when the queued lines have fewer bytes, or the buffer is closed.
    pub(super) async fn wait_bytes_below(&self, bytes: usize) {
        self.wait_until(|state| state.bytes < bytes).await;
    }

    async fn wait_until(&self, condition: impl Fn(&State) -> bool) {
        loop {
            // Created before the state is read, so that no notification is missed.
            let changed = self.shared.changed.notified();
            let is_over = {
                let state = self.shared.lock();
                state.close_state != CloseState::Open || condition(&state)
            };
            if is_over {
                return;
            }
            changed.await;
        }
    }

    /// Pauses or resumes the timer that disconnects a stalled reader.
    pub(super) fn set_stall_timer_paused(&self, paused: bool) {
        let mut state = self.shared.lock();
        state.is_stall_timer_paused = paused;
        state.unread_since = (!state.queued.is_empty()).then(Instant::now);
        drop(state);
        self.shared.changed.notify_waiters();
    }

    /// Resolves when the reader has left, or has taken nothing for too long. In that case it is
    /// disconnected.
    pub(super) async fn closed(&self) {
        loop {
            // Created before the state is read, so that no notification is missed.
            let changed = self.shared.changed.notified();
            let unread_since = match &*self.shared.lock() {
                State { close_state: CloseState::Disconnected | CloseState::Stalled, .. } => return,
                State { is_stall_timer_paused: true, .. } => None,
                state => state.unread_since,
            };
            match unread_since.map(|since| since + self.options.stall) {
                Some(deadline) if deadline <= Instant::now() => {
                    tracing::info!("stalled reader was disconnected");
                    return self.shared.close(CloseState::Stalled);
                }
                Some(deadline) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(deadline) => {}
                },
                None => changed.await,
            }
        }
    }
}

impl Drop for LineSender {
    fn drop(&mut self) {
        self.shared.close(CloseState::Finished);
    }
}

impl HttpBody for LineBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut state = self.0.lock();
        if state.close_state == CloseState::Stalled {
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut))));
        }
        let Some(line) = state.remove(0) else {
            if state.close_state == CloseState::Finished {
                return Poll::Ready(None);
            }
            state.reader_waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        state.unread_since = (!state.queued.is_empty()).then(Instant::now);
        drop(state);
        self.0.changed.notify_waiters();
        Poll::Ready(Some(Ok(Frame::data(line.bytes))))
    }
}

impl Drop for LineBody {
    fn drop(&mut self) {
        self.0.close(CloseState::Disconnected);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;
    use crate::http::stream::ResponseFormat;

    #[test]
    fn a_line_is_an_object_or_an_event() {
        let object = serde_json::json!({ "type": "info", "seq": 3 });
        let text = |format| {
            String::from_utf8(
                Line::new(format, Delivery::Droppable, "info", Some("3"), &object)
                    .unwrap()
                    .bytes
                    .to_vec(),
            )
            .unwrap()
        };
        assert_eq!(text(ResponseFormat::NdJson), "{\"type\":\"info\",\"seq\":3}\n");
        assert_eq!(
            text(ResponseFormat::Sse),
            "event: info\nid: 3\ndata: {\"type\":\"info\",\"seq\":3}\n\n"
        );
        assert!(Line::preamble(ResponseFormat::NdJson).is_none());
    }

    const OPTIONS: StreamOptions = StreamOptions {
        heartbeat: Duration::from_secs(5),
        stall: Duration::from_secs(10),
        buffer: 3,
    };

    fn droppable(text: &str) -> Line {
        Line::new(ResponseFormat::NdJson, Delivery::Droppable, "info", None, &text).unwrap()
    }

    fn required(text: &str) -> Line {
        Line::new(ResponseFormat::NdJson, Delivery::Required, "end", None, &text).unwrap()
    }

    async fn read(lines: &mut LineBody) -> Option<io::Result<String>> {
        let frame = poll_fn(|context| Pin::new(&mut *lines).poll_frame(context)).await?;
        Some(frame.map(|frame| {
            String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap().trim().to_owned()
        }))
    }

    async fn rest(mut lines: LineBody) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(line) = read(&mut lines).await {
            all.push(line.unwrap());
        }
        all
    }

    #[tokio::test]
    async fn a_full_buffer_drops_the_oldest_droppable_line() {
        let (sender, lines) = line_channel(OPTIONS);
        sender.send(required("first"));
        for number in ["1", "2", "3", "4"] {
            sender.send(droppable(number));
        }
        sender.send(required("last"));
        drop(sender);
        assert_eq!(rest(lines).await, ["\"first\"", "\"4\"", "\"last\""]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_reader_is_cut_off() {
        let (sender, mut lines) = line_channel(OPTIONS);
        let started = Instant::now();
        let idle = tokio::time::timeout(Duration::from_secs(60), sender.closed()).await;
        assert!(idle.is_err(), "without queued lines no reader is stalled");
        sender.send(droppable("1"));
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert_eq!(read(&mut lines).await.unwrap().unwrap(), "\"1\"");
        sender.send(droppable("2"));
        sender.closed().await;
        assert_eq!(started.elapsed().as_secs(), 60 + 9 + 10);
        assert_eq!(sender.bytes(), 0, "unread lines are dropped");
        assert!(lines.0.lock().queued.is_empty());
        assert!(read(&mut lines).await.unwrap().is_err(), "a cut stream ends with an error");
    }

    #[tokio::test]
    async fn waiting_for_capacity_ends_when_a_line_is_read() {
        let (sender, mut lines) = line_channel(OPTIONS);
        ["1", "2"].iter().for_each(|text| sender.send(required(text)));
        sender.wait_for_capacity().await;
        sender.send(required("3"));
        let waiting = tokio::spawn(async move {
            sender.wait_for_capacity().await;
            sender
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        read(&mut lines).await.unwrap().unwrap();
        let sender = waiting.await.unwrap();
        sender.send(required("4"));
        drop(lines);
        sender.wait_for_capacity().await;
    }

    #[tokio::test]
    async fn bytes_are_counted_until_lines_are_read_or_dropped() {
        let (sender, mut lines) = line_channel(OPTIONS);
        ["1", "2", "3"].iter().for_each(|text| sender.send(droppable(text)));
        assert_eq!(sender.bytes(), 3 * "\"1\"\n".len());
        sender.send(droppable("4"));
        assert_eq!(sender.bytes(), 3 * "\"1\"\n".len());
        sender.wait_bytes_below(13).await;
        let waiting = tokio::spawn(async move { sender.wait_bytes_below(1).await });
        for _ in 0..3 {
            assert!(!waiting.is_finished());
            read(&mut lines).await.unwrap().unwrap();
        }
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn a_disconnected_reader_is_noticed_at_once() {
        let (sender, lines) = line_channel(OPTIONS);
        let closed = tokio::spawn(async move { sender.closed().await });
        tokio::task::yield_now().await;
        drop(lines);
        closed.await.unwrap();
    }
}
