//! The file of the jobs.

use std::fs;
use std::path::Path;

use redb::backends::InMemoryBackend;
use redb::{
    Builder, Database, ReadableTable, ReadableTableMetadata, TableDefinition, WriteTransaction,
};

use super::handle::Handle;
use super::{Ending, Finding, JobId, JobRecord, Sheet};
use crate::store::bytes::Unreadable;
use crate::store::opening::{Aside, StoreFile};
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
pub const MOST_GONE: usize = 50_000;

/// So many files that cannot be used stay beside it, of each kind: they hold jobs that were
/// acknowledged.
const MOST_ASIDE: u32 = 10;

const JOBS: TableDefinition<u128, &[u8]> = TableDefinition::new("jobs");
/// Games of a job, by number.
const SHEETS: TableDefinition<(u128, u32), &[u8]> = TableDefinition::new("sheets");
/// The text of each game that could be read.
const TEXTS: TableDefinition<(u128, u32), &str> = TableDefinition::new("texts");
/// What was found of the positions of a job, by number.
const FINDINGS: TableDefinition<(u128, u64), &[u8]> = TableDefinition::new("findings");
/// By the digest of a client's name for a job: the digest of what was asked under that name, and
/// the job.
const KEYS: TableDefinition<[u8; 32], ([u8; 32], u128)> = TableDefinition::new("keys");
/// Jobs that are gone, in the order of their going.
const GONE: TableDefinition<u64, u128> = TableDefinition::new("gone");

/// Where jobs are kept. One process has the file for itself.
#[derive(Debug)]
pub struct JobFile {
    handle: Handle,
}

/// A job that is kept, with how many of its positions something was found of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub id: JobId,
    /// What is kept of it.
    pub record: JobRecord,
    /// Findings.
    pub found: u64,
}

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
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
        Ok(JobFile { handle: Handle::open(folder.join(JOBS_FILE), open)? })
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
        make_tables(&database)?;
        Ok(JobFile { handle: Handle::in_memory(database) })
    }

    /// `true` when what is kept outlasts the process.
    pub fn lasts(&self) -> bool {
        self.handle.path().is_some()
    }

    /// What the file takes on disk, in bytes.
    pub fn bytes(&self) -> u64 {
        self.handle.path().and_then(|path| fs::metadata(path).ok()).map_or(0, |file| file.len())
    }

    /// All jobs, in no order.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn jobs(&self) -> Result<Vec<Kept>, StoreError> {
        self.handle.read(|transaction| {
            let (jobs, findings) = (transaction.open_table(JOBS)?, transaction.open_table(FINDINGS)?);
            let mut all = Vec::new();
            for entry in jobs.iter()? {
                let (id, record) = entry?;
                let id = id.value();
                let last = findings.range((id, 0)..=(id, u64::MAX))?.next_back().transpose()?;
                let found = last.map_or(0, |(key, _)| key.value().1 + 1);
                match JobRecord::decode(record.value()) {
                    Ok(record) => all.push(Kept { id: JobId(id), record, found }),
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
    pub fn gone(&self) -> Result<Vec<JobId>, StoreError> {
        self.handle.read(|transaction| {
            let gone = transaction.open_table(GONE)?;
            gone.iter()?.map(|entry| Ok(JobId(entry?.1.value()))).collect()
        })
    }

    /// What was asked under a client's name for a job, as a digest, and the job.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn keyed(&self, key: &[u8; 32]) -> Result<Option<([u8; 32], JobId)>, StoreError> {
        self.handle.read(|transaction| {
            let found = transaction.open_table(KEYS)?.get(key)?.map(|entry| entry.value());
            Ok(found.map(|(digest, id)| (digest, JobId(id))))
        })
    }

    /// What is kept of a job; `None` of one that is not there.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError> {
        self.handle.read(|transaction| {
            let record = transaction.open_table(JOBS)?.get(id.0)?;
            record.map(|record| JobRecord::decode(record.value()).map_err(damaged)).transpose()
        })
    }

    /// A game of a job; `None` when it is not there.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn sheet(&self, id: JobId, game: u32) -> Result<Option<Sheet>, StoreError> {
        self.handle.read(|transaction| {
            let sheet = transaction.open_table(SHEETS)?.get((id.0, game))?;
            sheet.map(|sheet| Sheet::decode(sheet.value()).map_err(damaged)).transpose()
        })
    }

    /// The text of a game of a job; `None` of one that cannot be read.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn text(&self, id: JobId, game: u32) -> Result<Option<String>, StoreError> {
        self.handle.read(|transaction| {
            Ok(transaction
                .open_table(TEXTS)?
                .get((id.0, game))?
                .map(|text| text.value().to_owned()))
        })
    }

    /// What was found of so many positions of a job, from that one on; fewer where fewer are kept.
    ///
    /// # Errors
    /// When the store cannot be read now.
    pub fn findings(&self, id: JobId, first: u64, count: u64) -> Result<Vec<Finding>, StoreError> {
        self.handle.read(|transaction| {
            let range = transaction
                .open_table(FINDINGS)?
                .range((id.0, first)..(id.0, first.saturating_add(count)))?;
            range.map(|entry| Finding::decode(entry?.1.value()).map_err(damaged)).collect()
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
        asked: &[u8; 32],
        games: impl IntoIterator<Item = (&'a [u8], Option<&'a str>)>,
        leaving: &[JobId],
    ) -> Result<(), StoreError> {
        self.handle.write(|transaction| {
            for other in leaving {
                remove(transaction, *other)?;
            }
            transaction.open_table(JOBS)?.insert(id.0, record.encode().as_slice())?;
            if let Some(key) = record.key {
                transaction.open_table(KEYS)?.insert(key, (*asked, id.0))?;
            }
            let (mut sheets, mut texts) =
                (transaction.open_table(SHEETS)?, transaction.open_table(TEXTS)?);
            for (number, (sheet, text)) in (0_u32..).zip(games) {
                sheets.insert((id.0, number), sheet)?;
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
        findings: &[Finding],
        ending: Option<Ending>,
    ) -> Result<(), Refusal> {
        let is_there = self.handle.write(|transaction| {
            let mut jobs = transaction.open_table(JOBS)?;
            let Some(record) = jobs.get(id.0)?.map(|record| JobRecord::decode(record.value()))
            else {
                return Ok(false);
            };
            if ending.is_some() {
                let record = JobRecord { ending, ..record.map_err(damaged)? };
                jobs.insert(id.0, record.encode().as_slice())?;
            }
            let mut table = transaction.open_table(FINDINGS)?;
            for (number, finding) in (first..).zip(findings) {
                table.insert((id.0, number), finding.encode().as_slice())?;
            }
            Ok(true)
        })?;
        if is_there { Ok(()) } else { Err(Refusal::Gone) }
    }

    /// Lets jobs go; their names are remembered. When this returns that is as lasting as it gets.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.handle.write(|transaction| ids.iter().try_for_each(|id| remove(transaction, *id)))
    }

    /// Writes more than findings come to, and takes it out again: when this succeeds the disk takes
    /// what it is given.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn try_out(&self) -> Result<(), StoreError> {
        self.handle.try_out()
    }
}

fn open(path: &Path) -> Result<Database, OpenError> {
    let (path, holds, aside) = (path.to_owned(), "the reviews of games", Aside::Each(MOST_ASIDE));
    StoreFile {
        path,
        holds,
        layout: LAYOUT_VERSION,
        cache_bytes: CACHE_BYTES,
        aside,
        prepare: &make_tables,
    }
    .open()
}

fn make_tables(database: &Database) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    drop((
        transaction.open_table(JOBS)?,
        transaction.open_table(SHEETS)?,
        transaction.open_table(TEXTS)?,
    ));
    drop((
        transaction.open_table(FINDINGS)?,
        transaction.open_table(KEYS)?,
        transaction.open_table(GONE)?,
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
    if let Some(key) = record.map_err(damaged)?.key {
        transaction.open_table(KEYS)?.remove(key)?;
    }
    transaction.open_table(SHEETS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    transaction.open_table(TEXTS)?.retain_in((id, 0)..=(id, u32::MAX), |_, _| false)?;
    transaction.open_table(FINDINGS)?.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
    let mut gone = transaction.open_table(GONE)?;
    let next = gone.last()?.map_or(0, |(number, _)| number.value() + 1);
    gone.insert(next, id)?;
    while gone.len()? > MOST_GONE as u64 && gone.pop_first()?.is_some() {}
    Ok(())
}

fn damaged(unreadable: Unreadable) -> StoreError {
    StoreError::Failed(unreadable.to_string())
}
