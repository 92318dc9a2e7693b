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
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The writing end. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sink {
    shared: Arc<Shared>,
}

/// Ends the writer's thread when dropped, and waits until all lines are written, a second at most.
#[derive(Debug)]
pub struct SinkGuard {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    wake: Condvar,
    finished: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    dropped: u64,
    writer_sleeps: bool,
    closing: bool,
    is_finished: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic happens under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink {
    /// A sink that writes into `writer`.
    ///
    /// # Errors
    /// When the thread can't be started.
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<(Sink, SinkGuard)> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("log".to_owned()).spawn(move || write_out(&theirs, writer))?;
        Ok((Sink { shared: Arc::clone(&shared) }, SinkGuard { shared }))
    }

    /// Hands over one line, its line feed included.
    pub fn write_line(&self, line: &[u8]) {
        let mut waiting = self.shared.lock();
        if waiting.bytes.len() + line.len() > CAPACITY {
            waiting.dropped += 1;
            return;
        }
        waiting.bytes.extend_from_slice(line);
        let is_wake_up = waiting.writer_sleeps;
        waiting.writer_sleeps = false;
        drop(waiting);
        if is_wake_up {
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for SinkGuard {
    fn drop(&mut self) {
        let mut waiting = self.shared.lock();
        waiting.closing = true;
        self.shared.wake.notify_one();
        // A reader that takes nothing any more may not keep the process alive.
        let last = Instant::now() + LAST_WORDS;
        while !waiting.is_finished {
            let left = last.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            waiting = self
                .shared
                .finished
                .wait_timeout(waiting, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

fn write_out(shared: &Shared, mut writer: impl Write) {
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
    let mut waiting = shared.lock();
    while waiting.bytes.is_empty() && waiting.dropped == 0 {
        if waiting.closing {
            return None;
        }
        waiting.writer_sleeps = true;
        waiting = shared.wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
    }
    if waiting.bytes.len() < BATCH_BYTES && !waiting.closing {
        waiting =
            shared.wake.wait_timeout(waiting, BATCH_TIME).unwrap_or_else(PoisonError::into_inner).0;
    }
    std::mem::swap(batch, &mut waiting.bytes);
    Some(std::mem::take(&mut waiting.dropped))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A reader that takes nothing until it is told to.
    struct Gate {
        open: mpsc::Receiver<()>,
        taken: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _closed = self.open.recv();
            self.taken.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_there_after_the_guard_has_gone() {
        let (open, gate) = mpsc::channel();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (sink, guard) = Sink::new(Gate { open: gate, taken: Arc::clone(&taken) }).unwrap();
        drop(open);
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let sink = sink.clone();
                thread::spawn(move || (0..1_000).for_each(|_| sink.write_line(b"line\n")))
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        drop(guard);
        assert_eq!(taken.lock().unwrap().len(), 4 * 1_000 * 5);
    }

    #[test]
    fn a_reader_that_takes_nothing_does_not_keep_the_process_alive() {
        let (open, gate) = mpsc::channel();
        let (sink, guard) = Sink::new(Gate { open: gate, taken: Arc::default() }).unwrap();
        sink.write_line(b"line\n");
        let told = Instant::now();
        drop(guard);
        assert!((LAST_WORDS..4 * LAST_WORDS).contains(&told.elapsed()), "{:?}", told.elapsed());
        drop(open);
    }

    #[test]
    fn a_reader_that_takes_nothing_holds_up_nobody_and_costs_a_bounded_memory() {
        let (open, gate) = mpsc::channel();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (sink, guard) = Sink::new(Gate { open: gate, taken: Arc::clone(&taken) }).unwrap();
        let line = vec![b'x'; 1 << 20];
        (0..20).for_each(|_| sink.write_line(&line));
        assert!(sink.shared.lock().bytes.len() <= CAPACITY);
        drop(open);
        drop(guard);
        assert!(taken.lock().unwrap().len() >= CAPACITY, "what was not dropped is written");
    }
}
