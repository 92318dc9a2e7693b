//! The streams of an HTTP/2 connection: what works on each, and when there are none.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::rt::Executor;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::reader::Reader;

tokio::task_local! {
    /// The reader of the stream that a task works on.
    static READER: Arc<Reader>;
}

/// The streams of one connection. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(super) struct Streams {
    shared: Arc<Shared>,
    /// One whose reader takes nothing for so long is reset.
    stall: Duration,
}

struct Shared {
    state: Mutex<State>,
    /// There is none any more.
    emptied: Notify,
}

struct State {
    /// The connection speaks HTTP/2.
    is_spoken: bool,
    open: usize,
    /// When the last one has ended, or HTTP/2 has begun.
    since: Instant,
}

impl Streams {
    /// None yet, of a connection that has not said anything.
    pub(super) fn new(stall: Duration) -> Streams {
        let state = State { is_spoken: false, open: 0, since: Instant::now() };
        Streams {
            shared: Arc::new(Shared { state: Mutex::new(state), emptied: Notify::new() }),
            stall,
        }
    }

    /// The connection speaks HTTP/2.
    pub(super) fn begin(&self) {
        let mut state = self.shared.lock();
        state.is_spoken = true;
        state.since = Instant::now();
        self.shared.emptied.notify_one();
    }

    /// Resolves when a connection of HTTP/2 has had no stream for so long.
    pub(super) async fn none_for(&self, time: Duration) {
        loop {
            let since = {
                let state = self.shared.lock();
                (state.is_spoken && state.open == 0).then_some(state.since)
            };
            match since.map(|since| since + time) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => sleep_until(end).await,
                // A notice that comes before this is kept.
                None => self.shared.emptied.notified().await,
            }
        }
    }
}

/// The reader of the stream that this is called for; `None` where a connection has no streams.
pub(super) fn reader() -> Option<Arc<Reader>> {
    READER.try_with(Arc::clone).ok()
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, work: F) {
        let open = Open::of(self.shared.clone());
        let (reader, stall) = (Arc::new(Reader::new()), self.stall);
        let work = READER.scope(reader.clone(), work);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = work => {}
                // Dropping the work resets the stream.
                () = reader.stalled(stall) => tracing::info!("a stream whose reader took nothing was reset"),
            }
            drop(open);
        });
    }
}

/// A stream that is open.
struct Open(Arc<Shared>);

impl Open {
    fn of(shared: Arc<Shared>) -> Open {
        shared.lock().open += 1;
        Open(shared)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open -= 1;
        if state.open == 0 {
            state.since = Instant::now();
            self.0.emptied.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    const TIME: Duration = Duration::from_secs(30);

    async fn is_empty(streams: &Streams) -> bool {
        tokio::time::timeout(10 * TIME, streams.none_for(TIME)).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_connection_with_streams_can_lack_them() {
        let streams = Streams::new(TIME);
        assert!(!is_empty(&streams).await);
        streams.begin();
        assert!(is_empty(&streams).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_without_streams_begins_with_the_last_ones_end() {
        let streams = Streams::new(TIME);
        streams.begin();
        let first = Open::of(streams.shared.clone());
        let second = Open::of(streams.shared.clone());
        drop(first);
        assert!(!is_empty(&streams).await);
        let begun = Instant::now();
        drop(second);
        streams.none_for(TIME).await;
        assert_eq!(begun.elapsed(), TIME);
    }

    #[tokio::test(start_paused = true)]
    async fn work_on_a_stream_ends_when_its_reader_takes_nothing() {
        let streams = Streams::new(TIME);
        let (told, end) = tokio::sync::oneshot::channel::<()>();
        streams.execute(async move {
            let _held = told;
            let reader = reader().expect("it is a stream's");
            reader.stand_still();
            pending::<()>().await;
        });
        assert!(end.await.is_err(), "dropped");
        assert!(reader().is_none(), "here there is no stream");
    }
}
