//! The write queue of the store: a separate thread writes analyses in batches. Searches
//! wait for the disk only while the queue is full.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::chess::encodings::PackedPosition;
use crate::store::{Record, Store, StoreError};

/// The length of the queue at which a worker waits for the next batch before it stores, unless the
/// disk fails.
const CAPACITY: usize = 8_192;

/// The most analyses that wait for the disk.
pub(super) const MAX_WAITING: usize = CAPACITY + SLACK;

/// The excess from workers that see free capacity at the same time.
const SLACK: usize = CAPACITY / 16;

/// After this many failed batches in a row the store counts as failing.
const FAILING_AFTER: u32 = 3;

/// The eviction score of a record: the store evicts records with a low score first.
pub(super) type EvictionScoreFn = dyn Fn(&Record) -> f32 + Send;

/// The store behind its write queue.
#[derive(Debug)]
pub(in crate::analysis) struct WriteBehind {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<dyn Store>,
    /// The longest time from a stored analysis to its write. A record waits at most half of this
    /// interval. The other half is reserved for the running write and the record's own write.
    flush_interval: Duration,
    waiting: Mutex<WaitingRecords>,
    /// Signals every change of `waiting`.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WaitingRecords {
    records: HashMap<u64, Vec<Arc<Record>>>,
    count: usize,
    /// When the next batch is due; `None` if no analysis waits.
    due: Option<Instant>,
    /// Failed batches since the last success.
    failures: u32,
    /// Analyses that were not queued because the queue was full.
    dropped: u64,
    /// Flushes requested, and the last of them that is done.
    flushes_requested: u64,
    flushes_done: u64,
    closing: bool,
}

impl WriteBehind {
    /// Starts the writer thread.
    ///
    /// # Errors
    /// The system grants no more threads.
    pub(super) fn start(
        store: Arc<dyn Store>,
        flush_interval: Duration,
        eviction_score: Box<EvictionScoreFn>,
    ) -> io::Result<WriteBehind> {
        let shared = Arc::new(Shared {
            store,
            flush_interval,
            waiting: Mutex::default(),
            changed: Condvar::new(),
        });
        let writer = std::thread::Builder::new().name("store".to_owned()).spawn({
            let shared = shared.clone();
            move || shared.write_all(&*eviction_score)
        })?;
        Ok(WriteBehind { shared, writer: Some(writer) })
    }

    pub(in crate::analysis) fn store(&self) -> &dyn Store {
        &*self.shared.store
    }

    /// Waits while the queue is full and the disk works, and at most as long as a batch may take.
    /// So a disk that hangs blocks no worker forever.
    pub(super) fn wait_for_capacity(&self) {
        let is_full =
            |waiting: &mut WaitingRecords| waiting.count >= CAPACITY && waiting.failures == 0;
        let (changed, flush_interval) = (&self.shared.changed, self.shared.flush_interval);
        drop(
            changed
                .wait_timeout_while(self.shared.lock(), flush_interval, is_full)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    /// Queues a record and replaces an older one with its key. A full queue drops the record, which
    /// then is in memory only. Never waits.
    pub(super) fn push(&self, record: Record) {
        let mut waiting = self.shared.lock();
        if waiting.count >= MAX_WAITING {
            waiting.dropped += 1;
            return;
        }
        let same_key = waiting.records.entry(record.key.zobrist_key).or_default();
        match same_key.iter_mut().find(|other| other.key == record.key) {
            Some(older) => *older = Arc::new(record),
            None => {
                same_key.push(Arc::new(record));
                waiting.count += 1;
            }
        }
        let is_first = waiting.due.is_none();
        waiting.due.get_or_insert_with(|| Instant::now() + self.shared.flush_interval / 2);
        if is_first || waiting.count == CAPACITY / 2 {
            self.shared.changed.notify_all();
        }
    }

    /// The records of a position, including those that wait to be written.
    ///
    /// # Errors
    /// The store cannot be read now.
    pub(super) fn read(
        &self,
        key: u64,
        position: &PackedPosition,
    ) -> Result<Vec<Arc<Record>>, StoreError> {
        // In this order, so that a record written in between is found twice rather than never.
        let mut records = self.waiting_for(key, position);
        let newer = records.len();
        for record in self.shared.store.read(key, position)? {
            if records[..newer].iter().all(|newer| newer.key != record.key) {
                records.push(Arc::new(record));
            }
        }
        Ok(records)
    }

    /// The records of a position that wait to be written.
    pub(super) fn waiting_for(&self, key: u64, position: &PackedPosition) -> Vec<Arc<Record>> {
        let waiting = self.shared.lock();
        let records = waiting.records.get(&key).into_iter().flatten();
        records.filter(|record| record.key.position == *position).cloned().collect()
    }

    /// Waits until the disk has written or refused all records so far.
    pub(in crate::analysis) fn flush(&self) {
        let mut waiting = self.shared.lock();
        waiting.flushes_requested += 1;
        let flush_number = waiting.flushes_requested;
        self.shared.changed.notify_all();
        while waiting.flushes_done < flush_number && !waiting.closing {
            waiting = self.shared.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// `true` while the last batches, several in a row, have failed.
    pub(in crate::analysis) fn is_failing(&self) -> bool {
        self.shared.lock().failures >= FAILING_AFTER
    }

    /// How many records wait.
    pub(in crate::analysis) fn waiting(&self) -> usize {
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
            tracing::error!("the store writer thread has panicked");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, WaitingRecords> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The main loop of the writer thread.
    fn write_all(&self, eviction_score: &EvictionScoreFn) {
        while let Some((batch, flush_number)) = self.next_batch() {
            let written =
                if batch.is_empty() { Ok(()) } else { self.store.write(&batch, eviction_score) };
            let mut waiting = self.lock();
            match written {
                Ok(()) => waiting.remove(&batch, self.flush_interval),
                Err(error) => waiting.record_failure(&error, self.flush_interval),
            }
            waiting.flushes_done = flush_number;
            self.changed.notify_all();
            if waiting.closing && (waiting.count == 0 || waiting.failures > 0) {
                return waiting.log_lost_records();
            }
        }
    }

    /// Waits until a batch is due. Returns all waiting records and the number of the last flush
    /// that they answer; `None` at the end.
    fn next_batch(&self) -> Option<(Vec<Arc<Record>>, u64)> {
        let mut waiting = self.lock();
        loop {
            let now = Instant::now();
            let is_due = waiting.due.is_some_and(|due| due <= now);
            let is_half_full = waiting.count >= CAPACITY / 2 && waiting.failures == 0;
            if is_due
                || is_half_full
                || waiting.flushes_requested > waiting.flushes_done
                || (waiting.closing && waiting.count > 0)
            {
                let batch = waiting.records.values().flatten().cloned().collect();
                return Some((batch, waiting.flushes_requested));
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

impl WaitingRecords {
    /// Removes the written records, except those that newer ones have replaced.
    fn remove(&mut self, batch: &[Arc<Record>], flush_interval: Duration) {
        for written in batch {
            let Some(same_key) = self.records.get_mut(&written.key.zobrist_key) else { continue };
            let before = same_key.len();
            same_key.retain(|record| !Arc::ptr_eq(record, written));
            self.count -= before - same_key.len();
            if same_key.is_empty() {
                self.records.remove(&written.key.zobrist_key);
            }
        }
        if self.failures > 0 {
            tracing::info!("the store can be written again");
        }
        if self.dropped > 0 {
            tracing::warn!(
                analyses = self.dropped,
                "the store was too slow: some analyses are in memory only"
            );
        }
        (self.failures, self.dropped) = (0, 0);
        self.due = (self.count > 0).then(|| Instant::now() + flush_interval / 2);
    }

    fn record_failure(&mut self, error: &StoreError, flush_interval: Duration) {
        self.failures = self.failures.saturating_add(1);
        if self.failures == 1 {
            let error = error.to_string();
            tracing::error!(
                error,
                "the store cannot be written; requests are still answered and the write is retried"
            );
        }
        self.due = Some(Instant::now() + flush_interval);
    }

    /// Logs the records that the end of the thread loses.
    fn log_lost_records(&self) {
        if self.count > 0 {
            tracing::error!(
                analyses = self.count,
                "the store cannot be written: the newest analyses are lost"
            );
        }
    }
}
