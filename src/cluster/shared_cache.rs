//! The analyses that the nodes of an [`EngineGroup`](super::keys::EngineGroup) share: a hash for
//! each position, with a field for each [`context`](EntryKey::context_bytes).
//!
//! A value is the version of its layout, the depth, and the record with its checksum. A deeper
//! analysis is never replaced by a shallower one. Reads have a limit. Neither reads nor
//! writes are repeated, because the cache may forget anything.

mod counters;
mod value;
mod writer;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use redis::cmd;

use self::counters::Counters;
use self::value::{Decoded, MAX_VALUE_BYTES, decode};
use self::writer::Change;
pub(super) use self::writer::{Queue, Writer};
use super::breaker::Breaker;
use super::command_error::CommandError;
use super::connection::Connection;
use super::keys::Keys;
use super::refusal_log::RefusalLog;
use crate::analysis::{ReadLimit, SharedCacheCounts, SharedWrite};
use crate::store::{EntryKey, Record};

/// A read that takes longer has no result.
const SHORT_LIMIT: Duration = Duration::from_millis(5);

/// The same for a long search.
const LONG_LIMIT: Duration = Duration::from_millis(50);

/// Reads fields. One that is too long is read as an empty text, so that it never travels.
///
/// `KEYS`: the position's hash. `ARGV`: the longest value in bytes, then the fields.
const READ: &str = "
local values = {}
for i = 2, #ARGV do
  if redis.call('HSTRLEN', KEYS[1], ARGV[i]) <= tonumber(ARGV[1]) then
    values[i - 1] = redis.call('HGET', KEYS[1], ARGV[i])
  else
    values[i - 1] = ''
  end
end
return values";

/// The cache.
#[derive(Debug)]
pub(super) struct SharedCache {
    connection: Arc<Connection>,
    keys: Keys,
    breaker: Breaker,
    /// For reads with the long limit, which are not skipped because shorter ones were late.
    patient_breaker: Breaker,
    queue: Queue,
    counters: Arc<Counters>,
    refusals: RefusalLog,
}

impl SharedCache {
    /// The cache, which reads by this connection, and the writer of its changes.
    pub(super) fn new(
        connection: Arc<Connection>,
        write_connection: Arc<Connection>,
        keys: Keys,
    ) -> (SharedCache, Writer) {
        let counters = Arc::<Counters>::default();
        let (queue, writer) = writer::new(write_connection, keys.clone(), counters.clone());
        let cache = SharedCache {
            connection,
            keys,
            breaker: Breaker::default(),
            patient_breaker: Breaker::default(),
            queue,
            counters,
            refusals: RefusalLog::new("the cluster's server refuses reads of the shared cache"),
        };
        (cache, writer)
    }

    /// What the cache has answered and taken.
    pub(super) fn counts(&self) -> SharedCacheCounts {
        self.counters.counts()
    }

    /// The records under these keys, which are of one position; none if the cache has not answered
    /// in time.
    pub(super) async fn read(&self, keys: &[EntryKey], limit: ReadLimit) -> Vec<Record> {
        let Some(EntryKey { zobrist_key, position, .. }) = keys.first() else { return Vec::new() };
        let (breaker, limit) = match limit {
            ReadLimit::Short => (&self.breaker, SHORT_LIMIT),
            ReadLimit::Long => (&self.patient_breaker, LONG_LIMIT),
        };
        if !self.connection.is_connected() || !breaker.allows() {
            self.counters.skipped_reads.fetch_add(1, Ordering::Relaxed);
            return Vec::new();
        }
        let position = EntryKey::position_bytes(*zobrist_key, position);
        let key = self.keys.analyses(&position);
        let contexts: Vec<_> = keys.iter().map(EntryKey::context_bytes).collect();
        let mut command = cmd("EVAL");
        command.arg(READ).arg(1).arg(&key).arg(MAX_VALUE_BYTES).arg(&contexts);
        match self.connection.run::<Vec<Option<Vec<u8>>>>(&command, limit).await {
            Ok(values) => {
                breaker.record(true);
                self.refusals.note_success();
                self.counters.reads.fetch_add(1, Ordering::Relaxed);
                self.records(&key, &position, contexts, values)
            }
            Err(error) => {
                self.note_failed_read(&key, &error, breaker);
                Vec::new()
            }
        }
    }

    /// The records among the values of these contexts.
    fn records(
        &self,
        key: &[u8],
        position: &[u8],
        contexts: Vec<Vec<u8>>,
        values: Vec<Option<Vec<u8>>>,
    ) -> Vec<Record> {
        let mut records = Vec::new();
        for (context, value) in contexts.into_iter().zip(values) {
            let Some(value) = value else { continue };
            match decode(position, &context, &value) {
                Decoded::Record(record) => records.push(*record),
                Decoded::OtherLayout => {}
                Decoded::Damaged => {
                    self.discard(Change::Remove { key: key.to_vec(), context, value });
                }
            }
        }
        records
    }

    /// Counts a read without an answer. Only a slow or missing server opens the breaker.
    fn note_failed_read(&self, key: &[u8], error: &CommandError, breaker: &Breaker) {
        match error.server_code() {
            Some("WRONGTYPE") => self.discard(Change::Delete { key: key.to_vec() }),
            Some(_) => {
                self.counters.skipped_reads.fetch_add(1, Ordering::Relaxed);
                self.refusals.note_refusal(error);
            }
            None => {
                self.counters.late_reads.fetch_add(1, Ordering::Relaxed);
                breaker.record(false);
            }
        }
    }

    /// Takes a record that is to be written soon. Never waits.
    pub(super) fn write(&self, record: Record, kind: SharedWrite) {
        if !self.queue.push(Change::Write(Box::new(record), kind)) {
            self.counters.dropped_writes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Resolves when all changes so far were sent or dropped.
    pub(super) async fn flush(&self) {
        self.queue.flush().await;
    }

    /// Counts a record that is not valid, and removes it.
    pub(super) fn discard_record(&self, record: &Record) {
        self.discard(Change::Remove {
            key: self.keys.analyses_of(&record.key),
            context: record.key.context_bytes(),
            value: value::encode(record),
        });
    }

    /// Counts what has no meaning for this node, and removes it.
    fn discard(&self, removal: Change) {
        if self.counters.invalid.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                server = self.connection.address(),
                "the shared cache has an analysis that is damaged or not legal; it is ignored, and \
                 further ones are only counted"
            );
        }
        // A removal without a place in the queue follows the next read.
        self.queue.push(removal);
    }
}
