//! The file of the game-review jobs.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redb::backends::InMemoryBackend;
use redb::{
    Builder, Database, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction,
};

use super::game_record::GameRecord;
use super::job_book::{
    AppendError, Changes, Claim, InsertError, JobBook, LogPosition, MAX_TOMBSTONES, NewJob,
    Snapshot,
};
use super::job_record::{JobEnd, JobId, JobRecord, PositionEval};
use super::reopening_db::ReopeningDb;
use crate::store::bytes::DecodeError;
use crate::store::error::{OpenError, StoreError};
use crate::store::open::{QuarantinePolicy, StoreFile};

/// The name of the jobs' file in the folder `store.path`.
pub const JOBS_FILE: &str = "jobs.redb";

/// The layout version of keys and values. A file with another version is not read.
const LAYOUT_VERSION: u8 = 1;

/// Size of redb's page cache for this file.
const CACHE_BYTES: usize = 8 << 20;

/// Maximum memory of an open file in bytes: the page cache, and as much again for a commit.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

/// Maximum number of quarantined files of each kind. They hold acknowledged jobs, so none is
/// overwritten.
const MAX_QUARANTINED: u32 = 10;

/// The name of the table without which a file holds no jobs.
const JOBS_NAME: &str = "jobs";
const JOBS: TableDefinition<u128, &[u8]> = TableDefinition::new(JOBS_NAME);
/// Games by job and number.
const GAME_RECORDS: TableDefinition<(u128, u32), &[u8]> = TableDefinition::new("sheets");
/// The PGN text of each parsed game.
const GAME_TEXTS: TableDefinition<(u128, u32), &str> = TableDefinition::new("texts");
/// Evaluations by job and position number.
const EVALS: TableDefinition<(u128, u64), &[u8]> = TableDefinition::new("findings");
/// Request digest and job by the digest of client and idempotency key.
const IDEMPOTENCY_KEYS: TableDefinition<[u8; 32], ([u8; 32], u128)> = TableDefinition::new("keys");
/// Ids of deleted, evicted and expired jobs, in the order of removal.
const TOMBSTONES: TableDefinition<u64, u128> = TableDefinition::new("gone");

/// The stored jobs. One process uses the file exclusively.
#[derive(Debug)]
pub struct JobFile {
    db: ReopeningDb,
}

impl JobFile {
    /// Opens or creates the file in a folder and compares the checksum of every page. A damaged
    /// file, or one with another layout or other tables, is quarantined and never overwritten. An
    /// empty file is used like a missing one.
    ///
    /// # Errors
    /// Fails when another process uses the file, when the folder or the file cannot be used, and
    /// when the maximum number of quarantined files is reached.
    pub fn open(folder: &Path) -> Result<JobFile, OpenError> {
        Ok(JobFile { db: ReopeningDb::open(folder.join(JOBS_FILE), open)? })
    }

    /// Creates a store in memory. It runs the same code as a file, on redb's in-memory backend.
    ///
    /// # Errors
    /// Fails when redb cannot create the tables.
    pub fn in_memory() -> Result<JobFile, StoreError> {
        let database = Builder::new()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(InMemoryBackend::new())?;
        create_tables(&database)?;
        Ok(JobFile { db: ReopeningDb::in_memory(database) })
    }

    /// `true` when the jobs survive the process.
    pub fn is_persistent(&self) -> bool {
        self.db.path().is_some()
    }

    /// Returns all jobs in no particular order. A job that cannot be decoded is logged and left
    /// out.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn jobs(&self) -> Result<Vec<JobRecord>, StoreError> {
        self.db.read(|transaction| {
            let (jobs, evals) = (transaction.open_table(JOBS)?, transaction.open_table(EVALS)?);
            let mut records = Vec::new();
            for entry in jobs.iter()? {
                let (id, value) = entry?;
                let id = JobId(id.value());
                match JobRecord::decode(id, count_evals(&evals, id)?, value.value()) {
                    Ok(record) => records.push(record),
                    Err(error) => {
                        tracing::error!(job = %id, "ignored a stored job that is {error}")
                    }
                }
            }
            Ok(records)
        })
    }

    /// Returns the ids of removed jobs, the oldest first.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn tombstones(&self) -> Result<Vec<JobId>, StoreError> {
        self.db.read(|transaction| {
            let tombstones = transaction.open_table(TOMBSTONES)?;
            tombstones.iter()?.map(|entry| Ok(JobId(entry?.1.value()))).collect()
        })
    }
}

impl JobBook for JobFile {
    fn is_shared(&self) -> bool {
        false
    }

    fn disk_bytes(&self) -> u64 {
        self.db.path().and_then(|path| fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    fn now_ms(&self) -> Result<u64, StoreError> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let (jobs, tombstones) = (self.jobs()?, self.tombstones()?);
        Ok(Snapshot { position: LogPosition::default(), jobs, tombstones })
    }

    fn changes(&self, _since: LogPosition, _wait: Duration) -> Result<Changes, StoreError> {
        Ok(Changes::Next(Vec::new()))
    }

    fn find_by_idempotency_key(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<([u8; 32], JobId)>, StoreError> {
        self.db.read(|transaction| {
            let entry = transaction.open_table(IDEMPOTENCY_KEYS)?.get(key)?;
            Ok(entry.map(|entry| entry.value()).map(|(digest, id)| (digest, JobId(id))))
        })
    }

    fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError> {
        self.db.read(|transaction| {
            let Some(value) = transaction.open_table(JOBS)?.get(id.0)? else { return Ok(None) };
            let positions_done = count_evals(&transaction.open_table(EVALS)?, id)?;
            JobRecord::decode(id, positions_done, value.value()).map(Some).map_err(damaged)
        })
    }

    fn game_record(&self, id: JobId, number: u32) -> Result<Option<GameRecord>, StoreError> {
        self.db.read(|transaction| {
            let value = transaction.open_table(GAME_RECORDS)?.get((id.0, number))?;
            value.map(|value| GameRecord::decode(value.value()).map_err(damaged)).transpose()
        })
    }

    fn text(&self, id: JobId, number: u32) -> Result<Option<String>, StoreError> {
        self.db.read(|transaction| {
            let value = transaction.open_table(GAME_TEXTS)?.get((id.0, number))?;
            Ok(value.map(|text| text.value().to_owned()))
        })
    }

    fn evals(&self, id: JobId, first: u64, count: u64) -> Result<Vec<PositionEval>, StoreError> {
        self.db.read(|transaction| {
            let range = transaction
                .open_table(EVALS)?
                .range((id.0, first)..(id.0, first.saturating_add(count)))?;
            range.map(|entry| PositionEval::decode(entry?.1.value()).map_err(damaged)).collect()
        })
    }

    fn upload_games(&self, _job: &NewJob<'_>) -> Result<(), StoreError> {
        // One transaction takes them all.
        Ok(())
    }

    fn insert(
        &self,
        job: &NewJob<'_>,
        evicted: &[JobId],
        _as_of: LogPosition,
    ) -> Result<(), InsertError> {
        let NewJob { record, request_digest, games } = job;
        let JobId(id) = record.id;
        self.db.write(|transaction| {
            evicted.iter().try_for_each(|id| remove(transaction, *id))?;
            transaction.open_table(JOBS)?.insert(id, record.encode().as_slice())?;
            if let Some(key) = record.idempotency_key {
                transaction.open_table(IDEMPOTENCY_KEYS)?.insert(key, (*request_digest, id))?;
            }
            let (mut records, mut texts) =
                (transaction.open_table(GAME_RECORDS)?, transaction.open_table(GAME_TEXTS)?);
            for (number, game) in (0_u32..).zip(games) {
                records.insert((id, number), game.record)?;
                if let Some(text) = game.text {
                    texts.insert((id, number), text)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn claim(&self, id: JobId) -> Result<Option<Claim>, StoreError> {
        // No other process uses the file.
        Ok(Some(Claim { id, fence: 0 }))
    }

    fn renew(&self, _claim: Claim) -> Result<(), StoreError> {
        Ok(())
    }

    fn release(&self, _claim: Claim) -> Result<(), StoreError> {
        Ok(())
    }

    fn unclaimed(&self, ids: &[JobId]) -> Result<Vec<JobId>, StoreError> {
        Ok(ids.to_vec())
    }

    fn append(
        &self,
        Claim { id, .. }: Claim,
        first: u64,
        evals: &[PositionEval],
        end: Option<JobEnd>,
    ) -> Result<(), AppendError> {
        let exists = self.db.write(|transaction| {
            let mut jobs = transaction.open_table(JOBS)?;
            let Some(record) =
                jobs.get(id.0)?.map(|value| JobRecord::decode(id, first, value.value()))
            else {
                return Ok(false);
            };
            if end.is_some() {
                let record = JobRecord { end, ..record.map_err(damaged)? };
                jobs.insert(id.0, record.encode().as_slice())?;
            }
            let mut table = transaction.open_table(EVALS)?;
            for (number, eval) in (first..).zip(evals) {
                table.insert((id.0, number), eval.encode().as_slice())?;
            }
            Ok(true)
        })?;
        if exists { Ok(()) } else { Err(AppendError::Gone) }
    }

    fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.db.write(|transaction| ids.iter().try_for_each(|id| remove(transaction, *id)))
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        self.db.check_writable()
    }
}

fn open(path: &Path) -> Result<Database, OpenError> {
    StoreFile {
        path: path.to_owned(),
        description: "the game-review jobs",
        tables: &[JOBS_NAME],
        layout: LAYOUT_VERSION,
        cache_bytes: CACHE_BYTES,
        quarantine: QuarantinePolicy::KeepAtMost(MAX_QUARANTINED),
        prepare: &create_tables,
    }
    .open()
}

fn create_tables(database: &Database) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    drop((
        transaction.open_table(JOBS)?,
        transaction.open_table(GAME_RECORDS)?,
        transaction.open_table(GAME_TEXTS)?,
    ));
    drop((
        transaction.open_table(EVALS)?,
        transaction.open_table(IDEMPOTENCY_KEYS)?,
        transaction.open_table(TOMBSTONES)?,
    ));
    transaction.commit()?;
    Ok(())
}

/// The number of stored evaluations of a job. They have no gaps, so the last key gives it.
fn count_evals(
    evals: &impl ReadableTable<(u128, u64), &'static [u8]>,
    JobId(id): JobId,
) -> Result<u64, StoreError> {
    let last = evals.range((id, 0)..=(id, u64::MAX))?.next_back().transpose()?;
    Ok(last.map_or(0, |(key, _)| key.value().1 + 1))
}

/// Removes everything that belongs to a job and adds a tombstone. An unknown job is ignored.
fn remove(transaction: &WriteTransaction, job_id: JobId) -> Result<(), StoreError> {
    let JobId(id) = job_id;
    let mut evals = transaction.open_table(EVALS)?;
    let positions_done = count_evals(&evals, job_id)?;
    let Some(record) = transaction
        .open_table(JOBS)?
        .remove(id)?
        .map(|value| JobRecord::decode(job_id, positions_done, value.value()))
    else {
        return Ok(());
    };
    if let Some(key) = record.map_err(damaged)?.idempotency_key {
        transaction.open_table(IDEMPOTENCY_KEYS)?.remove(key)?;
    }
    transaction.open_table(GAME_RECORDS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    transaction.open_table(GAME_TEXTS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    evals.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
    let mut tombstones = transaction.open_table(TOMBSTONES)?;
    let next = tombstones.last()?.map_or(0, |(number, _)| number.value() + 1);
    tombstones.insert(next, id)?;
    while tombstones.len()? > MAX_TOMBSTONES as u64 && tombstones.pop_first()?.is_some() {}
    Ok(())
}

fn damaged(error: DecodeError) -> StoreError {
    StoreError::Failed(error.to_string())
}
