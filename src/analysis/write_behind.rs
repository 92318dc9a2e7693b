//! What is stored goes to disk in batches, by a thread of its own: no search waits for the disk.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::chess::forms::Packed;
use crate::store::{Record, Store, StoreError};

/// Who stores waits for the next batch when so many analyses wait for the disk, unless the disk
/// fails.
const CAPACITY: usize = 8_192;

/// The most analyses that ever wait for the disk.
pub(super) const MOST_WAITING: usize = CAPACITY + SLACK;

/// What those bring in addition who have seen room at the same time.
const SLACK: usize = CAPACITY / 16;

/// After so many batches that failed one after the other the store counts as failing.
const FAILING: u32 = 3;

/// How much an analysis is worth keeping.
pub(super) type Worth = dyn Fn(&Record) -> f32 + Send;

/// The store behind its queue.
#[derive(Debug)]
pub(super) struct WriteBehind {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    /// An analysis is on disk this long after it was stored: half of it it waits, the rest is for a
    /// batch under way and its own.
    flush: Duration,
    waiting: Mutex<Waiting>,
    /// Something has come, gone, or was asked for.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    records: HashMap<u64, Vec<Arc<Record>>>,
    count: usize,
    /// When the batch is due; `None` when nothing waits.
    due: Option<Instant>,
    /// Batches that failed since the last one that did not.
    failures: u32,
    /// Analyses that were not kept because the queue was full and stayed so.
    dropped: u64,
    /// How often somebody asked for a flush, and up to which of them that was done.
    flushes: u64,
    flushed: u64,
    closing: bool,
}

impl WriteBehind {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system grants no more threads.
    pub(super) fn start(
        store: Arc<dyn Store>,
        flush: Duration,
        worth: Box<Worth>,
    ) -> io::Result<WriteBehind> {
        let shared =
            Arc::new(Shared { store, flush, waiting: Mutex::default(), changed: Condvar::new() });
        let writer = std::thread::Builder::new().name("store".to_owned()).spawn({
            let shared = shared.clone();
            move || shared.write_all(&*worth)
        })?;
        Ok(WriteBehind { shared, writer: Some(writer) })
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.shared.store
    }

    /// Waits while the queue is full, as long as that helps, and no longer than a batch may take: a
    /// disk that hangs holds up nobody for good.
    pub(super) fn wait_for_room(&self) {
        let is_full = |waiting: &mut Waiting| waiting.count >= CAPACITY && waiting.failures == 0;
        let (changed, flush) = (&self.shared.changed, self.shared.flush);
        drop(
            changed
                .wait_timeout_while(self.shared.lock(), flush, is_full)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    /// Queues an analysis, in place of an older one of its place; what there is no room for is in
    /// memory alone. Never waits.
    pub(super) fn push(&self, record: Record) {
        let mut waiting = self.shared.lock();
        if waiting.count >= MOST_WAITING {
            waiting.dropped += 1;
            return;
        }
        let same_key = waiting.records.entry(record.place.key).or_default();
        match same_key.iter_mut().find(|other| other.place == record.place) {
            Some(older) => *older = Arc::new(record),
            None => {
                same_key.push(Arc::new(record));
                waiting.count += 1;
            }
        }
        let is_first = waiting.due.is_none();
        waiting.due.get_or_insert_with(|| Instant::now() + self.shared.flush / 2);
        if is_first || waiting.count == CAPACITY / 2 {
            self.shared.changed.notify_all();
        }
    }

    /// All that is kept of a position, what still waits included.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub(super) fn read(&self, key: u64, position: &Packed) -> Result<Vec<Arc<Record>>, StoreError> {
        // In this order: what is written between the two is found twice, not never.
        let mut records = self.waiting_for(key, position);
        let newer = records.len();
        for record in self.shared.store.read(key, position)? {
            if records[..newer].iter().all(|newer| newer.place != record.place) {
                records.push(Arc::new(record));
            }
        }
        Ok(records)
    }

    /// What waits of a position.
    pub(super) fn waiting_for(&self, key: u64, position: &Packed) -> Vec<Arc<Record>> {
        let waiting = self.shared.lock();
        let records = waiting.records.get(&key).into_iter().flatten();
        records.filter(|record| record.place.position == *position).cloned().collect()
    }

    /// Waits until all that was stored so far is on disk, or the disk has refused it.
    pub(super) fn flush(&self) {
        let mut waiting = self.shared.lock();
        waiting.flushes += 1;
        let mine = waiting.flushes;
        self.shared.changed.notify_all();
        while waiting.flushed < mine && !waiting.closing {
            waiting = self.shared.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// `true` when the disk has refused several batches one after the other, up to now.
    pub(super) fn is_failing(&self) -> bool {
        self.shared.lock().failures >= FAILING
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.shared.lock().count
    }
}

impl Drop for WriteBehind {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the thread that writes the store has panicked");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread.
    fn write_all(&self, worth: &Worth) {
        while let Some((batch, flush)) = self.next_batch() {
            let written = if batch.is_empty() { Ok(()) } else { self.store.write(&batch, worth) };
            let mut waiting = self.lock();
            match written {
                Ok(()) => waiting.remove(&batch, self.flush),
                Err(error) => waiting.failed(&error, self.flush),
            }
            waiting.flushed = flush;
            self.changed.notify_all();
            if waiting.closing && (waiting.count == 0 || waiting.failures > 0) {
                return waiting.give_up();
            }
        }
    }

    /// Waits until there is something to write: all that waits, and the number of flushes that it
    /// answers. `None` at the end.
    fn next_batch(&self) -> Option<(Vec<Arc<Record>>, u64)> {
        let mut waiting = self.lock();
        loop {
            let now = Instant::now();
            let is_due = waiting.due.is_some_and(|due| due <= now);
            let is_much = waiting.count >= CAPACITY / 2 && waiting.failures == 0;
            if is_due
                || is_much
                || waiting.flushes > waiting.flushed
                || (waiting.closing && waiting.count > 0)
            {
                let batch = waiting.records.values().flatten().cloned().collect();
                return Some((batch, waiting.flushes));
            }
            if waiting.closing {
                return None;
            }
            waiting = match waiting.due {
                Some(due) => {
                    let (waiting, _) = self
                        .changed
                        .wait_timeout(waiting, due - now)
                        .unwrap_or_else(PoisonError::into_inner);
                    waiting
                }
                None => self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Waiting {
    /// Takes out what was written, unless something newer has come in its place.
    fn remove(&mut self, batch: &[Arc<Record>], flush: Duration) {
        for written in batch {
            let Some(same_key) = self.records.get_mut(&written.place.key) else { continue };
            let before = same_key.len();
            same_key.retain(|record| !Arc::ptr_eq(record, written));
            self.count -= before - same_key.len();
            if same_key.is_empty() {
                self.records.remove(&written.place.key);
            }
        }
        if self.failures > 0 {
            tracing::info!("the store is written again");
        }
        if self.dropped > 0 {
            tracing::warn!(
                analyses = self.dropped,
                "the store was too slow for all that was found: some are in memory alone"
            );
        }
        (self.failures, self.dropped) = (0, 0);
        self.due = (self.count > 0).then(|| Instant::now() + flush / 2);
    }

    fn failed(&mut self, error: &StoreError, flush: Duration) {
        self.failures = self.failures.saturating_add(1);
        if self.failures == 1 {
            let error = error.to_string();
            tracing::error!(
                error,
                "the store cannot be written; answers go on, and it is tried again and again"
            );
        }
        self.due = Some(Instant::now() + flush);
    }

    /// At the end.
    fn give_up(&self) {
        if self.count > 0 {
            tracing::error!(
                analyses = self.count,
                "the store cannot be written: the newest analyses are lost"
            );
        }
    }
}
