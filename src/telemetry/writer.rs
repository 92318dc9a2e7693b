//! The log writer: a bounded buffer of lines, written to stdout by its own thread.
//!
//! A slow reader of stdout never delays a request. Lines are copied under a short lock and written
//! in batches, without a system call or a wake-up per line. docs/decisions/log-writer.md compares
//! it with `tracing-appender`.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes that may wait. Further lines are dropped; their number is logged.
const CAPACITY: usize = 4 << 20;
/// Longest time until a waiting line is written.
const BATCH_TIME: Duration = Duration::from_millis(5);
/// Waiting bytes from which the thread writes without a further delay.
const BATCH_BYTES: usize = 256 << 10;
/// Longest time that the end of the process waits for the last lines to be written.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The sending end of the buffer. Clones share it.
#[derive(Clone, Debug)]
pub struct LogWriter {
    shared: Arc<Shared>,
}

/// A guard of the writer's thread. Dropping it waits until all lines are written, for
/// one second at most, and ends the thread.
#[derive(Debug)]
pub struct LogWriterGuard {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<WriterState>,
    wake: Condvar,
    finished: Condvar,
}

#[derive(Debug, Default)]
struct WriterState {
    bytes: Vec<u8>,
    dropped: u64,
    writer_sleeps: bool,
    closing: bool,
    is_finished: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WriterState> {
        // No code that holds the lock can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogWriter {
    /// Starts the thread that writes to `writer`.
    ///
    /// # Errors
    /// The system refuses the thread.
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<(LogWriter, LogWriterGuard)> {
        let shared = Arc::new(Shared::default());
        let thread_shared = Arc::clone(&shared);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || run_writer(&thread_shared, writer))?;
        Ok((LogWriter { shared: Arc::clone(&shared) }, LogWriterGuard { shared }))
    }

    /// Appends one line, which includes its line feed, or drops it when the buffer is full.
    pub fn write_line(&self, line: &[u8]) {
        let mut state = self.shared.lock();
        if state.bytes.len() + line.len() > CAPACITY {
            state.dropped += 1;
            return;
        }
        state.bytes.extend_from_slice(line);
        let must_wake = state.writer_sleeps;
        state.writer_sleeps = false;
        drop(state);
        if must_wake {
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for LogWriterGuard {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        self.shared.wake.notify_one();
        // A stalled reader of stdout must not keep the process alive.
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while !state.is_finished {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self
                .shared
                .finished
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

fn run_writer(shared: &Shared, mut writer: impl Write) {
    let mut batch = Vec::new();
    while let Some(dropped) = wait_for_batch(shared, &mut batch) {
        // A closed stdout leaves no place to report the error. The server goes on without a log.
        let _gone = writer.write_all(&batch).and_then(|()| writer.flush());
        batch.clear();
        if dropped > 0 {
            tracing::warn!(lines = dropped, "log lines were dropped: stdout is read too slowly");
        }
    }
    shared.lock().is_finished = true;
    shared.finished.notify_all();
}

/// Waits for lines and moves them into `batch`. Returns the number of lines dropped since the last
/// call, or `None` when all lines are written and the guard is dropped.
fn wait_for_batch(shared: &Shared, batch: &mut Vec<u8>) -> Option<u64> {
    let mut state = shared.lock();
    while state.bytes.is_empty() && state.dropped == 0 {
        if state.closing {
            return None;
        }
        state.writer_sleeps = true;
        state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    if state.bytes.len() < BATCH_BYTES && !state.closing {
        state =
            shared.wake.wait_timeout(state, BATCH_TIME).unwrap_or_else(PoisonError::into_inner).0;
    }
    std::mem::swap(batch, &mut state.bytes);
    Some(std::mem::take(&mut state.dropped))
}

#[cfg(test)]
mod tests;
