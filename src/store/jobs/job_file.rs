//! The file of the jobs.

use std::fs;
use std::path::Path;

use redb::backends::InMemoryBackend;
use redb::{
    Builder, Database, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction,
};

use super::reopening_db::ReopeningDb;
use super::{GameRecord, JobEnd, JobId, JobRecord, PositionEval};
use crate::store::bytes::DecodeError;
use crate::store::open::{QuarantinePolicy, StoreFile};
use crate::store::{OpenError, StoreError};

/// The name of the jobs' file in the folder `store.path`.
pub const JOBS_FILE: &str = "jobs.redb";

/// The layout of keys and values. A file of another one is not read.
const LAYOUT_VERSION: u8 = 1;

/// What redb keeps of the file in our own memory.
const CACHE_BYTES: usize = 8 << 20;

/// What an open file comes to take in memory: the cache, and what a commit takes besides.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

/// So many jobs that are gone are known by name; an older one was never there.
pub const MAX_TOMBSTONES: usize = 50_000;

/// So many files that cannot be used stay beside it, of each kind: they hold jobs that were
/// acknowledged.
const MAX_QUARANTINED: u32 = 10;

const JOBS: TableDefinition<u128, &[u8]> = TableDefinition::new("jobs");
/// Games of a job, by number.
const GAME_RECORDS: TableDefinition<(u128, u32), &[u8]> = TableDefinition::new("sheets");
/// The text of each game that could be read.
const GAME_TEXTS: TableDefinition<(u128, u32), &str> = TableDefinition::new("texts");
/// What was found of the positions of a job, by number.
const EVALS: TableDefinition<(u128, u64), &[u8]> = TableDefinition::new("findings");
/// By the digest of a client's name for a job: the digest of what was asked under that name, and
/// the job.
const IDEMPOTENCY_KEYS: TableDefinition<[u8; 32], ([u8; 32], u128)> = TableDefinition::new("keys");
/// Jobs that are gone, in the order of their going.
const TOMBSTONES: TableDefinition<u64, u128> = TableDefinition::new("gone");

/// Where jobs are kept. One process has the file for itself.
#[derive(Debug)]
pub struct JobFile {
    db: ReopeningDb,
}

/// A job that is kept, with how many of its positions something was found of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// Its name.
    pub id: JobId,
    /// What is kept of it.
    pub record: JobRecord,
    /// Findings.
    pub positions_done: u64,
}

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The job is not there any more.
    #[error("the job is gone")]
    Gone,
    /// The store cannot be written. It is worth to try again later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl JobFile {
    /// Opens the file in a folder, or begins one. Every page is read and its checksum compared;
    /// what is damaged or has another layout is set aside, and what was set aside stays.
    ///
    /// # Errors
    /// When another process has the file, the folder or file cannot be used, or too many files were
    /// set aside already.
    pub fn open(folder: &Path) -> Result<JobFile, OpenError> {
        Ok(JobFile { db: ReopeningDb::open(folder.join(JOBS_FILE), open)? })
    }

    /// Keeps jobs in memory. The same code over pages of memory in place of those of a file, so
    /// that there is one way to be wrong.
    ///
    /// # Errors
    /// When redb refuses.
    pub fn in_memory() -> Result<JobFile, StoreError> {
        let database = Builder::new()
            .set_cache_size(CACHE_BYTES)
            .create_with_backend(InMemoryBackend::new())?;
        create_tables(&database)?;
        Ok(JobFile { db: ReopeningDb::in_memory(database) })
    }

    /// `true` when what is kept outlasts the process.
    pub fn is_persistent(&self) -> bool {
        self.db.path().is_some()
    }

    /// What the file takes on disk, in bytes.
    pub fn disk_bytes(&self) -> u64 {
        self.db.path().and_then(|path| fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    /// All jobs, in no order.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn jobs(&self) -> Result<Vec<StoredJob>, StoreError> {
        self.db.read(|transaction| {
            let (jobs, evals) = (transaction.open_table(JOBS)?, transaction.open_table(EVALS)?);
            let mut all = Vec::new();
            for entry in jobs.iter()? {
                let (id, record) = entry?;
                let id = id.value();
                let last = evals.range((id, 0)..=(id, u64::MAX))?.next_back().transpose()?;
                let positions_done = last.map_or(0, |(key, _)| key.value().1 + 1);
                match JobRecord::decode(record.value()) {
                    Ok(record) => all.push(StoredJob { id: JobId(id), record, positions_done }),
                    Err(error) => {
                        tracing::error!(job = %JobId(id), "what is kept of a job is {error}: it is not known any more")
                    }
                }
            }
            Ok(all)
        })
    }

    /// Jobs that are gone, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn tombstones(&self) -> Result<Vec<JobId>, StoreError> {
        self.db.read(|transaction| {
            let tombstones = transaction.open_table(TOMBSTONES)?;
            tombstones.iter()?.map(|entry| Ok(JobId(entry?.1.value()))).collect()
        })
    }

    /// What was asked under a client's name for a job, as a digest, and the job.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn find_by_idempotency_key(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<([u8; 32], JobId)>, StoreError> {
        self.db.read(|transaction| {
            let found =
                transaction.open_table(IDEMPOTENCY_KEYS)?.get(key)?.map(|entry| entry.value());
            Ok(found.map(|(digest, id)| (digest, JobId(id))))
        })
    }

    /// What is kept of a job; `None` of one that is not there.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError> {
        self.db.read(|transaction| {
            let record = transaction.open_table(JOBS)?.get(id.0)?;
            record.map(|record| JobRecord::decode(record.value()).map_err(damaged)).transpose()
        })
    }

    /// A game of a job; `None` when it is not there.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn game_record(&self, id: JobId, game: u32) -> Result<Option<GameRecord>, StoreError> {
        self.db.read(|transaction| {
            let record = transaction.open_table(GAME_RECORDS)?.get((id.0, game))?;
            record.map(|sheet| GameRecord::decode(sheet.value()).map_err(damaged)).transpose()
        })
    }

    /// The text of a game of a job; `None` of one that cannot be read.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn text(&self, id: JobId, game: u32) -> Result<Option<String>, StoreError> {
        self.db.read(|transaction| {
            Ok(transaction
                .open_table(GAME_TEXTS)?
                .get((id.0, game))?
                .map(|text| text.value().to_owned()))
        })
    }

    /// What was found of so many positions of a job, from that one on; fewer where fewer are kept.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn evals(
        &self,
        id: JobId,
        first: u64,
        count: u64,
    ) -> Result<Vec<PositionEval>, StoreError> {
        self.db.read(|transaction| {
            let range = transaction
                .open_table(EVALS)?
                .range((id.0, first)..(id.0, first.saturating_add(count)))?;
            range.map(|entry| PositionEval::decode(entry?.1.value()).map_err(damaged)).collect()
        })
    }

    /// Keeps a new job, with each game's [`Sheet`] as bytes and its text, and lets others go: all
    /// of it or, with an error, nothing. When this returns it is as lasting as it gets. `asked`
    /// stands for what was asked under the job's key.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn insert<'a>(
        &self,
        id: JobId,
        record: &JobRecord,
        request_digest: &[u8; 32],
        games: impl IntoIterator<Item = (&'a [u8], Option<&'a str>)>,
        evicted: &[JobId],
    ) -> Result<(), StoreError> {
        self.db.write(|transaction| {
            for other in evicted {
                remove(transaction, *other)?;
            }
            transaction.open_table(JOBS)?.insert(id.0, record.encode().as_slice())?;
            if let Some(key) = record.idempotency_key {
                transaction.open_table(IDEMPOTENCY_KEYS)?.insert(key, (*request_digest, id.0))?;
            }
            let (mut records, mut texts) =
                (transaction.open_table(GAME_RECORDS)?, transaction.open_table(GAME_TEXTS)?);
            for (number, (record_bytes, text)) in (0_u32..).zip(games) {
                records.insert((id.0, number), record_bytes)?;
                if let Some(text) = text {
                    texts.insert((id.0, number), text)?;
                }
            }
            Ok(())
        })
    }

    /// Keeps what was found of positions of a job, from the number `first` on, and how the job
    /// ended, if it has: all of it or, with an error, nothing. When this returns it is as lasting
    /// as it gets.
    ///
    /// # Errors
    /// [`Refusal::Gone`] when the job is not there, and when the store cannot be written.
    pub fn append(
        &self,
        id: JobId,
        first: u64,
        evals: &[PositionEval],
        end: Option<JobEnd>,
    ) -> Result<(), AppendError> {
        let is_there = self.db.write(|transaction| {
            let mut jobs = transaction.open_table(JOBS)?;
            let Some(record) = jobs.get(id.0)?.map(|record| JobRecord::decode(record.value()))
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
        if is_there { Ok(()) } else { Err(AppendError::Gone) }
    }

    /// Lets jobs go; their names are remembered. When this returns that is as lasting as it gets.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.db.write(|transaction| ids.iter().try_for_each(|id| remove(transaction, *id)))
    }

    /// Writes more than findings come to, and takes it out again: when this succeeds the disk takes
    /// what it is given.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        self.db.check_writable()
    }
}

fn open(path: &Path) -> Result<Database, OpenError> {
    let (path, description, quarantine) =
        (path.to_owned(), "the reviews of games", QuarantinePolicy::KeepAtMost(MAX_QUARANTINED));
    StoreFile {
        path,
        description,
        layout: LAYOUT_VERSION,
        cache_bytes: CACHE_BYTES,
        quarantine,
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

/// Takes out all that is kept of a job, and notes its name; one that is not there has no name to
/// note.
fn remove(transaction: &WriteTransaction, JobId(id): JobId) -> Result<(), StoreError> {
    let Some(record) =
        transaction.open_table(JOBS)?.remove(id)?.map(|record| JobRecord::decode(record.value()))
    else {
        return Ok(());
    };
    if let Some(key) = record.map_err(damaged)?.idempotency_key {
        transaction.open_table(IDEMPOTENCY_KEYS)?.remove(key)?;
    }
    transaction.open_table(GAME_RECORDS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    transaction.open_table(GAME_TEXTS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    transaction.open_table(EVALS)?.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
    let mut tombstones = transaction.open_table(TOMBSTONES)?;
    let next = tombstones.last()?.map_or(0, |(number, _)| number.value() + 1);
    tombstones.insert(next, id)?;
    while tombstones.len()? > MAX_TOMBSTONES as u64 && tombstones.pop_first()?.is_some() {}
    Ok(())
}

fn damaged(error: DecodeError) -> StoreError {
    StoreError::Failed(error.to_string())
}
