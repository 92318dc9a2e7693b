//! The executor of an HTTP/2 connection's streams: their tasks, and the time since the last one
//! ended.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::h2_stall::StreamProgress;
use super::stream_gate::{GateWait, StreamGate};

tokio::task_local! {
    /// The client's progress on the stream of the current task.
    static STREAM_PROGRESS: Arc<StreamProgress>;
}

/// The executor that runs the streams of one connection as tasks. Clones share the state.
#[derive(Clone)]
pub(super) struct StreamExecutor {
    shared: Arc<Shared>,
    /// Time after which a stream whose client reads nothing is reset.
    stall_timeout: Duration,
    /// The count of the streams of all connections.
    gate: Arc<StreamGate>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when the last stream has ended.
    emptied: Notify,
}

struct State {
    /// The connection uses HTTP/2.
    is_http2: bool,
    open_streams: usize,
    /// Time when the last stream ended, or HTTP/2 started.
    idle_since: Instant,
}

impl StreamExecutor {
    /// An executor for a new connection, whose protocol is not known yet.
    pub(super) fn new(stall_timeout: Duration, gate: Arc<StreamGate>) -> StreamExecutor {
        let state = State { is_http2: false, open_streams: 0, idle_since: Instant::now() };
        StreamExecutor {
            shared: Arc::new(Shared { state: Mutex::new(state), emptied: Notify::new() }),
            stall_timeout,
            gate,
        }
    }

    /// A wait of the connection while too many streams are open.
    pub(super) fn gate_wait(&self) -> GateWait {
        GateWait::new(self.gate.clone())
    }

    /// Notes that the connection uses HTTP/2.
    pub(super) fn start_http2(&self) {
        let mut state = self.shared.lock();
        state.is_http2 = true;
        state.idle_since = Instant::now();
        self.shared.emptied.notify_one();
    }

    /// Resolves when an HTTP/2 connection has had no stream for this time.
    pub(super) async fn wait_until_idle_for(&self, duration: Duration) {
        loop {
            let since = {
                let state = self.shared.lock();
                (state.is_http2 && state.open_streams == 0).then_some(state.idle_since)
            };
            match since.map(|since| since + duration) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => sleep_until(end).await,
                // A notification that comes earlier is kept.
                None => self.shared.emptied.notified().await,
            }
        }
    }
}

/// The client's progress on the current stream. It is `None` for HTTP/1.
pub(super) fn current_stream_progress() -> Option<Arc<StreamProgress>> {
    STREAM_PROGRESS.try_with(Arc::clone).ok()
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, work: F) {
        let open_stream = (OpenStream::new(self.shared.clone()), self.gate.enter());
        let (progress, stall_timeout) = (Arc::new(StreamProgress::new()), self.stall_timeout);
        let work = STREAM_PROGRESS.scope(progress.clone(), work);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = work => {}
                // Dropping the work resets the stream.
                () = progress.wait_for_stall(stall_timeout) => {
                    tracing::info!("reset a stream: the client read nothing");
                }
            }
            drop(open_stream);
        });
    }
}

/// An open stream, counted until it is dropped.
struct OpenStream(Arc<Shared>);

impl OpenStream {
    fn new(shared: Arc<Shared>) -> OpenStream {
        shared.lock().open_streams += 1;
        OpenStream(shared)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open_streams -= 1;
        if state.open_streams == 0 {
            state.idle_since = Instant::now();
            self.0.emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    const TIME: Duration = Duration::from_secs(30);

    async fn becomes_idle(streams: &StreamExecutor) -> bool {
        tokio::time::timeout(10 * TIME, streams.wait_until_idle_for(TIME)).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn only_an_http2_connection_can_be_idle() {
        let streams = StreamExecutor::new(TIME, StreamGate::new(8));
        assert!(!becomes_idle(&streams).await);
        streams.start_http2();
        assert!(becomes_idle(&streams).await);
    }

    #[tokio::test(start_paused = true)]
    async fn idle_time_starts_when_the_last_stream_ends() {
        let streams = StreamExecutor::new(TIME, StreamGate::new(8));
        streams.start_http2();
        let first = OpenStream::new(streams.shared.clone());
        let second = OpenStream::new(streams.shared.clone());
        drop(first);
        assert!(!becomes_idle(&streams).await);
        let started = Instant::now();
        drop(second);
        streams.wait_until_idle_for(TIME).await;
        assert_eq!(started.elapsed(), TIME);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_stream_ends_its_task() {
        let streams = StreamExecutor::new(TIME, StreamGate::new(8));
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        streams.execute(async move {
            let _sender = sender;
            let progress = current_stream_progress().expect("the task belongs to a stream");
            progress.simulate_stall();
            pending::<()>().await;
        });
        assert!(receiver.await.is_err(), "dropped");
        assert!(current_stream_progress().is_none(), "outside the task there is no stream");
    }
}
