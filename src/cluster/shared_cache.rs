//! The analyses that the nodes of an [`EngineGroup`](super::keys::EngineGroup) share: a hash for
//! each position, with a field for each [`context`](EntryKey::context_bytes).
//!
//! A value is the version of this layout, the depth, and the record with its checksum. A deeper
//! analysis is never replaced by a shallower one. Reads have [`READ_LIMIT`], writes wait for up to
//! [`WRITE_DELAY`] to be sent together; neither is repeated, because the cache may forget anything.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::{Pipeline, cmd};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::sleep;

use super::breaker::Breaker;
use super::connection::Connection;
use super::keys::Keys;
use crate::analysis::SharedCacheCounts;
use crate::chess::encodings::PackedPosition;
use crate::store::{EntryKey, Record};

/// The version of a value.
const LAYOUT: u8 = 1;

/// A read that takes longer has no result.
const READ_LIMIT: Duration = Duration::from_millis(5);

/// How long the first record of a batch waits for others.
const WRITE_DELAY: Duration = Duration::from_millis(20);

/// The longest time until a batch is written.
const WRITE_LIMIT: Duration = Duration::from_secs(1);

/// The most records that wait to be written, and that are written at once.
const MAX_WAITING: usize = 4_096;
const MAX_BATCH: usize = 256;

/// How long the server keeps a position after its last write.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The most contexts of a position.
const MAX_CONTEXTS: usize = 64;

/// The longest value and context that are read, in bytes. A record with five long lines has about
/// 1,000.
const MAX_VALUE_BYTES: usize = 4_096;
const MAX_CONTEXT_BYTES: usize = 64;

/// Writes a value unless the old one is deeper or the position has too many contexts.
///
/// `KEYS`: the position's hash. `ARGV`: the field, the value, how long it is kept in milliseconds,
/// the most fields.
const WRITE: &str = "
local old = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if old then
  local is_comparable = string.byte(old, 1) == string.byte(ARGV[2], 1)
  if is_comparable and string.byte(old, 2) > string.byte(ARGV[2], 2) then return 0 end
elseif redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1";

/// Removes a field if it still has this value. Another node may have written a better one.
///
/// `KEYS`: the position's hash. `ARGV`: the field, the value.
const REMOVE: &str = "
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  redis.call('HDEL', KEYS[1], ARGV[1])
end";

/// The context and the value of a field.
type Field = (Vec<u8>, Vec<u8>);

/// Changes of the cache that wait to be sent.
#[derive(Debug)]
enum Change {
    Write(Box<Record>),
    /// A field that cannot be read would keep its place from others.
    Remove {
        key: Vec<u8>,
        field: Field,
    },
}

/// The cache, and the queue of its changes.
#[derive(Debug)]
pub(super) struct SharedCache {
    connection: Connection,
    keys: Keys,
    breaker: Breaker,
    changes: mpsc::Sender<Change>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    reads: AtomicU64,
    missed_reads: AtomicU64,
    invalid: AtomicU64,
    writes: AtomicU64,
    dropped_writes: AtomicU64,
}

/// The queue that [`SharedCache::write_all`] empties.
#[derive(Debug)]
pub(super) struct Changes(mpsc::Receiver<Change>);

impl SharedCache {
    pub(super) fn new(connection: Connection, keys: Keys) -> (SharedCache, Changes) {
        let (changes, waiting) = mpsc::channel(MAX_WAITING);
        let (breaker, counters) = (Breaker::default(), Counters::default());
        (SharedCache { connection, keys, breaker, changes, counters }, Changes(waiting))
    }

    /// What the cache has answered and taken.
    pub(super) fn counts(&self) -> SharedCacheCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { reads, missed_reads, invalid, writes, dropped_writes } = &self.counters;
        SharedCacheCounts {
            reads: count(reads),
            missed_reads: count(missed_reads),
            invalid: count(invalid),
            writes: count(writes),
            dropped_writes: count(dropped_writes),
        }
    }

    /// Every record of a position; none if the cache has not answered in time.
    pub(super) async fn read(&self, zobrist_key: u64, position: &PackedPosition) -> Vec<Record> {
        if !self.breaker.allows() {
            self.counters.missed_reads.fetch_add(1, Ordering::Relaxed);
            return Vec::new();
        }
        let position = EntryKey::position_bytes(zobrist_key, position);
        let key = self.keys.analyses(&position);
        let mut command = cmd("HGETALL");
        command.arg(&key);
        let answer = self.connection.run::<Vec<Field>>(&command, READ_LIMIT).await;
        self.breaker.record(answer.is_ok());
        let Ok(fields) = answer else {
            self.counters.missed_reads.fetch_add(1, Ordering::Relaxed);
            return Vec::new();
        };
        self.counters.reads.fetch_add(1, Ordering::Relaxed);
        let mut records = Vec::new();
        for (context, value) in fields.into_iter().take(MAX_CONTEXTS) {
            match decode(&position, &context, &value) {
                Some(record) => records.push(record),
                None => self.discard(&key, (context, value)),
            }
        }
        records
    }

    /// Takes a record that is to be written soon. Never waits.
    pub(super) fn write(&self, record: Record) {
        if self.changes.try_send(Change::Write(Box::new(record))).is_err() {
            self.counters.dropped_writes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a record that is not valid, and removes it.
    pub(super) fn discard_record(&self, record: &Record) {
        let EntryKey { zobrist_key, position, .. } = &record.key;
        let position = EntryKey::position_bytes(*zobrist_key, position);
        let field = (record.key.context_bytes(), encode(record));
        self.discard(&self.keys.analyses(&position), field);
    }

    /// Counts a record that has no meaning for this node, and removes it.
    fn discard(&self, key: &[u8], field: Field) {
        if self.counters.invalid.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                server = self.connection.address(),
                "the shared cache has an analysis that is damaged or of another program; it is \
                 ignored, and such ones are only counted from now on"
            );
        }
        let removal = Change::Remove { key: key.to_vec(), field };
        if let Err(TrySendError::Closed(_)) = self.changes.try_send(removal) {
            tracing::debug!("the node has left the cluster");
        }
    }

    /// Sends changes in batches until the cache is dropped.
    pub(super) async fn write_all(&self, mut changes: Changes) {
        let mut batch = Vec::with_capacity(MAX_BATCH);
        while changes.0.recv_many(&mut batch, MAX_BATCH).await > 0 {
            sleep(WRITE_DELAY).await;
            while batch.len() < MAX_BATCH
                && let Ok(change) = changes.0.try_recv()
            {
                batch.push(change);
            }
            self.write_batch(&batch).await;
            batch.clear();
        }
    }

    async fn write_batch(&self, batch: &[Change]) {
        let mut commands = Pipeline::with_capacity(batch.len());
        let mut writes = 0;
        for change in batch {
            match change {
                Change::Write(record) => {
                    self.add_write(&mut commands, record);
                    writes += 1;
                }
                Change::Remove { key, field: (context, value) } => {
                    commands.cmd("EVAL").arg(REMOVE).arg(1).arg(key).arg(context).arg(value);
                    commands.ignore();
                }
            }
        }
        let outcome = self.connection.run_all::<()>(&commands, WRITE_LIMIT).await;
        let counter = match outcome {
            Ok(()) => &self.counters.writes,
            Err(error) => {
                tracing::debug!(error = error.to_string(), writes, "analyses were not shared");
                &self.counters.dropped_writes
            }
        };
        counter.fetch_add(writes, Ordering::Relaxed);
    }

    fn add_write(&self, commands: &mut Pipeline, record: &Record) {
        let EntryKey { zobrist_key, position, .. } = &record.key;
        let position = EntryKey::position_bytes(*zobrist_key, position);
        commands
            .cmd("EVAL")
            .arg(WRITE)
            .arg(1)
            .arg(self.keys.analyses(&position))
            .arg(record.key.context_bytes())
            .arg(encode(record))
            .arg(KEPT.as_millis() as u64)
            .arg(MAX_CONTEXTS)
            .ignore();
    }
}

/// The value of a record.
fn encode(record: &Record) -> Vec<u8> {
    [&[LAYOUT, record.report.depth], &record.to_bytes()[..]].concat()
}

/// The record of a value under this position and context, if it is one of this layout.
fn decode(position: &[u8], context: &[u8], value: &[u8]) -> Option<Record> {
    if value.len() > MAX_VALUE_BYTES || context.len() > MAX_CONTEXT_BYTES {
        return None;
    }
    let (&[layout, depth], bytes) = value.split_first_chunk()?;
    let record = Record::from_bytes(position, context, bytes).ok()?;
    (layout == LAYOUT && depth == record.report.depth).then_some(record)
}
