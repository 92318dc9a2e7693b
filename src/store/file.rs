//! The store in a file of redb.

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{
    Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, Table, WriteTransaction,
};

use super::layout::{decode, encode};
use super::makers::{BEFORE, StoreOptions, TODAY};
use super::{OpenError, Place, Record, Store, StoreError, StoreSize};
use crate::chess::forms::Packed;
use crate::chess::splitmix;

/// Whose turn it is to go is asked of so many neighbours at a random place.
const ASKED: usize = 16;

/// A file that one process has for itself. Ours is in [`StoreOptions::folder`].
pub struct DictionaryFile {
    options: StoreOptions,
    /// `None` after a write that failed: redb reads and writes no more then.
    database: RwLock<Option<Database>>,
    entries: AtomicUsize,
    bytes: AtomicU64,
    /// How often a victim was looked for: a number that the next place to look at comes from.
    searches: AtomicU64,
}

impl DictionaryFile {
    /// Opens the file, or begins one. Every page is read and its checksum compared; what is damaged
    /// or has another layout is set aside.
    ///
    /// # Errors
    /// When another process has the file, or the folder or file cannot be used.
    pub fn open(options: StoreOptions) -> Result<DictionaryFile, OpenError> {
        let database = options.open()?;
        let path = options.file();
        let file = DictionaryFile {
            options,
            database: RwLock::new(None),
            entries: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            searches: AtomicU64::new(0),
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
            transaction.open_table(TODAY)?.len()? + transaction.open_table(BEFORE)?.len()?;
        self.entries.store(usize::try_from(entries).unwrap_or(usize::MAX), Ordering::Relaxed);
        let bytes = fs::metadata(self.options.file())
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
        let table = database.as_ref().ok_or(StoreError::Closed)?.begin_read()?.open_table(TODAY)?;
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
            let mut today = transaction.open_table(TODAY)?;
            for record in records {
                let key = record.place.to_bytes();
                today.insert(key.as_slice(), encode(record, &key).as_slice())?;
            }
            self.make_room(&transaction, &mut today, worth)?;
        }
        transaction.commit()?;
        self.measure(database)
    }

    /// Keeps the bound: those of the maker before go first, then the least worth of each few that
    /// are asked.
    fn make_room(
        &self,
        transaction: &WriteTransaction,
        today: &mut Table<&[u8], &[u8]>,
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        let mut before = transaction.open_table(BEFORE)?;
        let most = self.options.max_entries as u64;
        while today.len()? + before.len()? > most && before.pop_first()?.is_some() {}
        while today.len()? > most {
            let Some(victim) = self.victim(today, worth)? else { break };
            today.remove(victim.as_slice())?;
        }
        Ok(())
    }

    /// The least worth of some neighbours at a random place. Keys begin with a hash, so neighbours
    /// are as good as drawn by lot: the sampled eviction of Redis. What cannot be read is worth
    /// nothing.
    fn victim(
        &self,
        table: &Table<&[u8], &[u8]>,
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let from = splitmix::nth(0, self.searches.fetch_add(1, Ordering::Relaxed));
        let from = from.to_be_bytes();
        let mut least: Option<(f32, Vec<u8>)> = None;
        let onwards = table.range(from.as_slice()..)?.chain(table.range(..from.as_slice())?);
        for entry in onwards.take(ASKED) {
            let (key, value) = entry?;
            let worth = decode(key.value(), value.value())
                .map_or(f32::NEG_INFINITY, |record| worth(&record));
            if least.as_ref().is_none_or(|(least, _)| worth < *least) {
                least = Some((worth, key.value().to_vec()));
            }
        }
        Ok(least.map(|(_, key)| key))
    }
}

impl Store for DictionaryFile {
    fn maker(&self) -> &str {
        &self.options.maker
    }

    fn read(&self, key: u64, position: &Packed) -> Result<Vec<Record>, StoreError> {
        unpanicked(|| self.scan(&Place::prefix(key, position)))
    }

    fn write(
        &self,
        records: &[Arc<Record>],
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        self.reopen()?;
        unpanicked(|| self.commit(records, worth)).inspect_err(|_| {
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
pub(super) fn unpanicked<T>(
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
