//! The changes of the shared cache: a bounded queue, and the task that sends them in batches by a
//! connection of its own, so that reads do not wait for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use redis::{Pipeline, RedisResult};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use super::counters::Counters;
use super::value::{MAX_VALUE_BYTES, encode};
use crate::analysis::SharedWrite;
use crate::cluster::command_error::{COMMAND_LIMIT, CommandError};
use crate::cluster::connection::Connection;
use crate::cluster::keys::Keys;
use crate::cluster::refusal_log::RefusalLog;
use crate::store::Record;

/// How long the first change of a batch waits for others.
const DELAY: Duration = Duration::from_millis(20);

/// The longest time for which a flush waits.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

/// The time after a batch that failed, or was refused completely, before the next attempt.
const PAUSE: Duration = Duration::from_secs(1);

/// The most changes that wait, and that are sent at once.
const MAX_WAITING: usize = 4_096;
const MAX_BATCH: usize = 64;

/// How long the server keeps a position after its last write.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The most contexts of a position, besides those without a history and a clock.
const MAX_CONTEXTS: usize = 64;

/// Writes a value unless the old one is deeper, or as deep as a checkpoint, or of a newer layout,
/// or the position has too many contexts. Contexts without a history and a clock always have a
/// place. Returns 1 if it wrote.
///
/// `KEYS`: the position's hash. `ARGV`: the field, the value, how long it is kept in milliseconds,
/// the most fields, 1 for a checkpoint or 0.
const WRITE: &str = "
local old = redis.call('HGET', KEYS[1], ARGV[1])
if old and #old >= 2 then
  local old_layout, old_depth = string.byte(old, 1, 2)
  local layout, depth = string.byte(ARGV[2], 1, 2)
  if old_layout > layout then return 0 end
  if old_layout == layout and old_depth >= depth + 1 - tonumber(ARGV[5]) then return 0 end
elseif string.byte(ARGV[1], 1) ~= 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1";

/// Removes a field if it still has this value, or, if that is empty, if it is too long. Another
/// node may have written a better one.
///
/// `KEYS`: the position's hash. `ARGV`: the field, the value, the longest value in bytes.
const REMOVE: &str = "
local is_same = redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2]
local is_too_long = redis.call('HSTRLEN', KEYS[1], ARGV[1]) > tonumber(ARGV[3])
if is_same or (ARGV[2] == '' and is_too_long) then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0";

/// A change that waits to be sent.
#[derive(Debug)]
pub(super) enum Change {
    Write(Box<Record>, SharedWrite),
    /// A field that cannot be read would keep its place from others. Its value is empty if it is
    /// too long to be read.
    Remove {
        key: Vec<u8>,
        context: Vec<u8>,
        value: Vec<u8>,
    },
    /// A key that is no hash.
    Delete {
        key: Vec<u8>,
    },
    /// All changes before this one were sent or dropped.
    Flush(oneshot::Sender<()>),
}

/// The queue before the [`Writer`].
#[derive(Debug)]
pub(crate) struct Queue(mpsc::Sender<Change>);

impl Queue {
    /// Adds a change; `false` if there is no place. Never waits.
    pub(super) fn push(&self, change: Change) -> bool {
        self.0.try_send(change).is_ok()
    }

    /// Resolves when all changes so far were sent or dropped, or after [`FLUSH_LIMIT`].
    pub(super) async fn flush(&self) {
        let (sent, is_sent) = oneshot::channel();
        let flushed = async {
            if self.0.send(Change::Flush(sent)).await.is_ok() {
                // The writer has ended if the sender is gone.
                let _ = is_sent.await;
            }
        };
        if timeout(FLUSH_LIMIT, flushed).await.is_err() {
            tracing::debug!("the last analyses were not shared");
        }
    }
}

/// The sender of changes.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Arc<Connection>,
    keys: Keys,
    changes: mpsc::Receiver<Change>,
    counters: Arc<Counters>,
    refusals: RefusalLog,
}

/// A queue and its writer.
pub(super) fn new(
    connection: Arc<Connection>,
    keys: Keys,
    counters: Arc<Counters>,
) -> (Queue, Writer) {
    let (sender, changes) = mpsc::channel(MAX_WAITING);
    let refusals = RefusalLog::new("the cluster's server refuses writes of the shared cache");
    (Queue(sender), Writer { connection, keys, changes, counters, refusals })
}

impl Writer {
    /// Sends changes in batches until the queue is dropped.
    pub(crate) async fn run(mut self) {
        let mut batch = Vec::with_capacity(MAX_BATCH);
        while self.changes.recv_many(&mut batch, MAX_BATCH).await > 0 {
            let is_flush = |change: &Change| matches!(change, Change::Flush(_));
            if batch.len() < MAX_BATCH && !batch.iter().any(is_flush) {
                sleep(DELAY).await;
            }
            while batch.len() < MAX_BATCH
                && let Ok(change) = self.changes.try_recv()
            {
                batch.push(change);
            }
            self.send(&batch).await;
            for change in batch.drain(..) {
                if let Change::Flush(sent) = change {
                    // Its receiver no longer waits if this took too long.
                    let _ = sent.send(());
                }
            }
        }
    }

    /// Sends a batch. One that fails is dropped, because the cache may forget anything.
    async fn send(&self, batch: &[Change]) {
        let mut commands = Pipeline::with_capacity(batch.len());
        batch.iter().for_each(|change| self.add(&mut commands, change));
        if commands.is_empty() {
            return;
        }
        let writes = batch.iter().filter(|change| matches!(change, Change::Write(..))).count();
        match self.run_all(&mut commands).await {
            Ok(results) => {
                let written = results.iter().filter(|result| matches!(result, Ok(1))).count();
                self.counters.writes.fetch_add(written as u64, Ordering::Relaxed);
                self.note_refusals(&results).await;
            }
            Err(error) => {
                tracing::debug!(error = error.to_string(), writes, "analyses were not shared");
                self.counters.dropped_writes.fetch_add(writes as u64, Ordering::Relaxed);
                self.connection.disconnect();
                sleep(PAUSE).await;
            }
        }
    }

    async fn run_all(
        &self,
        commands: &mut Pipeline,
    ) -> Result<Vec<RedisResult<i64>>, CommandError> {
        if !self.connection.is_connected() {
            self.connection.connect().await?;
        }
        self.connection.run_all(commands.ignore_errors(), COMMAND_LIMIT).await
    }

    /// Counts the changes that the server has refused, and logs the first. A server that refuses
    /// all of them is left alone for a while.
    async fn note_refusals(&self, results: &[RedisResult<i64>]) {
        let mut refusals = results.iter().filter_map(|result| result.as_ref().err());
        let count = refusals.clone().count();
        self.counters.dropped_writes.fetch_add(count as u64, Ordering::Relaxed);
        let Some(error) = refusals.next() else { return self.refusals.note_success() };
        self.refusals.note_refusal(error);
        if count < results.len() {
            return;
        }
        if error.code() == Some("READONLY") {
            // Another server takes the writes by now.
            self.connection.disconnect();
        }
        sleep(PAUSE).await;
    }

    fn add(&self, commands: &mut Pipeline, change: &Change) {
        match change {
            Change::Write(record, kind) => {
                let is_checkpoint = *kind == SharedWrite::Checkpoint;
                commands
                    .cmd("EVAL")
                    .arg(WRITE)
                    .arg(1)
                    .arg(self.keys.analyses_of(&record.key))
                    .arg(record.key.context_bytes())
                    .arg(encode(record))
                    .arg(KEPT.as_millis() as u64)
                    .arg(MAX_CONTEXTS)
                    .arg(u8::from(is_checkpoint));
            }
            Change::Remove { key, context, value } => {
                let command = commands.cmd("EVAL").arg(REMOVE).arg(1).arg(key);
                command.arg(context).arg(value).arg(MAX_VALUE_BYTES);
            }
            Change::Delete { key } => {
                // The answer of EVAL is 0, as no other count may look like a write.
                commands.cmd("EVAL").arg("redis.call('DEL', KEYS[1]) return 0").arg(1).arg(key);
            }
            Change::Flush(_) => {}
        }
    }
}
