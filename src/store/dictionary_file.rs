//! The store in a file of redb.

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{
    Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, Table, WriteTransaction,
};

use super::codec::{decode, encode};
use super::generations::{CURRENT, PREVIOUS, StoreOptions};
use super::{EntryKey, OpenError, Record, Store, StoreError, StoreSize};
use crate::chess::encodings::PackedPosition;
use crate::chess::splitmix;

/// Whose turn it is to go is asked of so many neighbours at a random place.
const EVICTION_SAMPLES: usize = 16;

/// A file that one process has for itself. Ours is in [`StoreOptions::folder`].
pub struct DictionaryFile {
    options: StoreOptions,
    /// `None` after a write that failed: redb reads and writes no more then.
    database: RwLock<Option<Database>>,
    entries: AtomicUsize,
    bytes: AtomicU64,
    /// How often a victim was looked for: a number that the next place to look at comes from.
    eviction_scans: AtomicU64,
}

impl DictionaryFile {
    /// Opens the file, or begins one. Every page is read and its checksum compared; what is damaged
    /// or has another layout is set aside.
    ///
    /// # Errors
    /// When another process has the file, or the folder or file cannot be used.
    pub fn open(options: StoreOptions) -> Result<DictionaryFile, OpenError> {
        let database = options.open()?;
        let path = options.file_path();
        let file = DictionaryFile {
            options,
            database: RwLock::new(None),
            entries: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            eviction_scans: AtomicU64::new(0),
        };
        file.measure(&database)
            .map_err(|error| OpenError::Io { path, error: std::io::Error::other(error) })?;
        *file.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        Ok(file)
    }

    /// Notes how much there is.
    fn measure(&self, database: &Database) -> Result<(), StoreError> {
        let transaction = database.begin_read()?;
        let entries =
            transaction.open_table(CURRENT)?.len()? + transaction.open_table(PREVIOUS)?.len()?;
        self.entries.store(usize::try_from(entries).unwrap_or(usize::MAX), Ordering::Relaxed);
        let bytes = fs::metadata(self.options.file_path())
            .map_err(|error| StoreError::Failed(error.to_string()))?
            .len();
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Opens the file again after a write that failed.
    fn reopen(&self) -> Result<(), StoreError> {
        if self.database.read().unwrap_or_else(PoisonError::into_inner).is_none() {
            let database = self.options.open()?;
            *self.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        }
        Ok(())
    }

    /// All that is kept under keys that begin so.
    fn scan(&self, prefix: &[u8]) -> Result<Vec<Record>, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let table =
            database.as_ref().ok_or(StoreError::Closed)?.begin_read()?.open_table(CURRENT)?;
        let mut records = Vec::new();
        for entry in table.range(prefix..)? {
            let (key, value) = entry?;
            if !key.value().starts_with(prefix) {
                break;
            }
            match decode(key.value(), value.value()) {
                Ok(record) => records.push(record),
                // The next analysis of this place is written over it.
                Err(error) => tracing::warn!(
                    key = format!("{:02x?}", key.value()),
                    "an entry of the store is {error}"
                ),
            }
        }
        Ok(records)
    }

    fn commit(
        &self,
        records: &[Arc<Record>],
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or(StoreError::Closed)?;
        let transaction = database.begin_write()?;
        {
            let mut current = transaction.open_table(CURRENT)?;
            for record in records {
                let key = record.key.to_bytes();
                current.insert(key.as_slice(), encode(record, &key).as_slice())?;
            }
            self.evict_to_bound(&transaction, &mut current, worth)?;
        }
        transaction.commit()?;
        self.measure(database)
    }

    /// Keeps the bound: those of the maker before go first, then the least worth of each few that
    /// are asked.
    fn evict_to_bound(
        &self,
        transaction: &WriteTransaction,
        current: &mut Table<&[u8], &[u8]>,
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        let mut previous = transaction.open_table(PREVIOUS)?;
        let max = self.options.max_entries as u64;
        while current.len()? + previous.len()? > max && previous.pop_first()?.is_some() {}
        while current.len()? > max {
            let Some(victim) = self.select_victim(current, worth)? else { break };
            current.remove(victim.as_slice())?;
        }
        Ok(())
    }

    /// The least worth of some neighbours at a random place. Keys begin with a hash, so neighbours
    /// are as good as drawn by lot: the sampled eviction of Redis. What cannot be read is worth
    /// nothing.
    fn select_victim(
        &self,
        table: &Table<&[u8], &[u8]>,
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let sample_seed = splitmix::nth(0, self.eviction_scans.fetch_add(1, Ordering::Relaxed));
        let sample_start = sample_seed.to_be_bytes();
        let mut least: Option<(f32, Vec<u8>)> = None;
        let sample =
            table.range(sample_start.as_slice()..)?.chain(table.range(..sample_start.as_slice())?);
        for entry in sample.take(EVICTION_SAMPLES) {
            let (key, value) = entry?;
            let entry_worth = decode(key.value(), value.value())
                .map_or(f32::NEG_INFINITY, |record| worth(&record));
            if least.as_ref().is_none_or(|(least, _)| entry_worth < *least) {
                least = Some((entry_worth, key.value().to_vec()));
            }
        }
        Ok(least.map(|(_, key)| key))
    }
}

impl Store for DictionaryFile {
    fn engine_id(&self) -> &str {
        &self.options.engine_id
    }

    fn read(&self, zobrist_key: u64, position: &PackedPosition) -> Result<Vec<Record>, StoreError> {
        catch_panic(|| self.scan(&EntryKey::prefix(zobrist_key, position)))
    }

    fn write(
        &self,
        records: &[Arc<Record>],
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        self.reopen()?;
        catch_panic(|| self.commit(records, worth)).inspect_err(|_| {
            *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
        })
    }

    fn size(&self) -> StoreSize {
        StoreSize {
            entries: self.entries.load(Ordering::Relaxed),
            max_entries: self.options.max_entries,
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

/// redb may panic where somebody else has changed the file under it: that is damage as well, and no
/// reason to end a thread.
pub(super) fn catch_panic<T>(
    operation: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(operation))
        .unwrap_or_else(|_| Err(StoreError::Failed("redb panicked".to_owned())))
}

impl fmt::Debug for DictionaryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DictionaryFile")
            .field("options", &self.options)
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
