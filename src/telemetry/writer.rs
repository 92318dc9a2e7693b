//! Where log lines go: a bounded buffer that a thread of its own writes out, so that a slow reader
//! of stdout never holds up a request. Lines are copied under a short lock and written in batches:
//! no system call and no wake-up a line.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that may wait; beyond it lines are dropped, counted, and the count is logged.
const CAPACITY: usize = 4 << 20;
/// A batch is written when it is this old …
const BATCH_TIME: Duration = Duration::from_millis(5);
/// … or this big.
const BATCH_BYTES: usize = 256 << 10;
/// How long the end of the process waits for the last lines to be taken.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The writing end. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LogWriter {
    shared: Arc<Shared>,
}

/// Ends the writer's thread when dropped, and waits until all lines are written, a second at most.
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
        // Nothing that can panic happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogWriter {
    /// A sink that writes into `writer`.
    ///
    /// # Errors
    /// When the thread can't be started.
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<(LogWriter, LogWriterGuard)> {
        let shared = Arc::new(Shared::default());
        let thread_shared = Arc::clone(&shared);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || run_writer(&thread_shared, writer))?;
        Ok((LogWriter { shared: Arc::clone(&shared) }, LogWriterGuard { shared }))
    }

    /// Hands over one line, its line feed included.
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
        // A reader that takes nothing any more may not keep the process alive.
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
        // A stdout that is gone can't be complained to; the server goes on without a log.
        let _gone = writer.write_all(&batch).and_then(|()| writer.flush());
        batch.clear();
        if dropped > 0 {
            tracing::warn!(lines = dropped, "log lines were dropped: stdout is read too slowly");
        }
    }
    shared.lock().is_finished = true;
    shared.finished.notify_all();
}

/// Takes what waits; how many lines were dropped since the last time, or `None` when all is written
/// and the guard has gone.
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
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A reader that takes nothing until it is told to.
    struct GatedWriter {
        open: mpsc::Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for GatedWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _closed = self.open.recv();
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn dropping_the_guard_writes_every_line() {
        let (open, gate) = mpsc::channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let (log_writer, guard) =
            LogWriter::new(GatedWriter { open: gate, written: Arc::clone(&written) }).unwrap();
        drop(open);
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let log_writer = log_writer.clone();
                thread::spawn(move || (0..1_000).for_each(|_| log_writer.write_line(b"line\n")))
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        drop(guard);
        assert_eq!(written.lock().unwrap().len(), 4 * 1_000 * 5);
    }

    #[test]
    fn a_stalled_stdout_does_not_keep_the_process_alive() {
        let (open, gate) = mpsc::channel();
        let (log_writer, guard) =
            LogWriter::new(GatedWriter { open: gate, written: Arc::default() }).unwrap();
        log_writer.write_line(b"line\n");
        let dropped_at = Instant::now();
        drop(guard);
        assert!(
            (SHUTDOWN_TIMEOUT..4 * SHUTDOWN_TIMEOUT).contains(&dropped_at.elapsed()),
            "{:?}",
            dropped_at.elapsed()
        );
        drop(open);
    }

    #[test]
    fn a_stalled_stdout_blocks_nobody_and_memory_stays_bounded() {
        let (open, gate) = mpsc::channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let (log_writer, guard) =
            LogWriter::new(GatedWriter { open: gate, written: Arc::clone(&written) }).unwrap();
        let line = vec![b'x'; 1 << 20];
        (0..20).for_each(|_| log_writer.write_line(&line));
        assert!(log_writer.shared.lock().bytes.len() <= CAPACITY);
        drop(open);
        drop(guard);
        assert!(written.lock().unwrap().len() >= CAPACITY, "what was not dropped is written");
    }
}
