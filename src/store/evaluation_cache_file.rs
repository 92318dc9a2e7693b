//! The file of the evaluation cache, in redb.

use std::fmt;
use std::fs;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use redb::{
    Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, Table, WriteTransaction,
};

use super::codec::{decode, encode};
use super::error::{OpenError, StoreError, catch_panic};
use super::generations::{CURRENT, PREVIOUS, StoreOptions};
use super::record::{EntryKey, Record};
use super::{Store, StoreSize};
use crate::chess::encodings::PackedPosition;
use crate::chess::splitmix;

/// Neighbouring entries at a random key among which a victim is selected.
const EVICTION_SAMPLES: usize = 16;

/// The file of the evaluation cache in [`StoreOptions::folder`]. One process uses it exclusively.
pub struct EvaluationCacheFile {
    options: StoreOptions,
    /// `None` after a failed write: redb then refuses reads and writes.
    database: RwLock<Option<Database>>,
    entries: AtomicUsize,
    bytes: AtomicU64,
    /// Number of victim searches; the seed of the next random key.
    eviction_scans: AtomicU64,
}

impl EvaluationCacheFile {
    /// Opens or creates the file and compares the checksum of every page. A damaged file, or one
    /// with another layout or other tables, is quarantined. An empty file is used like a missing
    /// one.
    ///
    /// # Errors
    /// Fails when another process uses the file, or when the folder or the file cannot be used.
    pub fn open(options: StoreOptions) -> Result<EvaluationCacheFile, OpenError> {
        let database = options.open()?;
        let path = options.file_path();
        let file = EvaluationCacheFile {
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

    /// Updates the number of entries and the size on disk.
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

    /// Reopens the file after a failed write.
    fn reopen(&self) -> Result<(), StoreError> {
        if self.database.read().unwrap_or_else(PoisonError::into_inner).is_none() {
            let database = self.options.open()?;
            *self.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        }
        Ok(())
    }

    /// Reads all records whose keys have this prefix.
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
                // The next analysis with this key overwrites the entry.
                Err(error) => tracing::warn!(
                    key = format!("{:02x?}", key.value()),
                    "skipped an entry of the evaluation cache that is {error}"
                ),
            }
        }
        Ok(records)
    }

    fn commit(
        &self,
        records: &[Arc<Record>],
        eviction_score: &dyn Fn(&Record) -> f32,
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
            self.evict_to_bound(&transaction, &mut current, eviction_score)?;
        }
        transaction.commit()?;
        self.measure(database)
    }

    /// Evicts entries until the bound holds: first those of the previous engine, then the least
    /// valuable entry of each sample.
    fn evict_to_bound(
        &self,
        transaction: &WriteTransaction,
        current: &mut Table<&[u8], &[u8]>,
        eviction_score: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        let mut previous = transaction.open_table(PREVIOUS)?;
        let max = self.options.max_entries as u64;
        while current.len()? + previous.len()? > max && previous.pop_first()?.is_some() {}
        while current.len()? > max {
            let Some(victim) = self.select_victim(current, eviction_score)? else { break };
            current.remove(victim.as_slice())?;
        }
        Ok(())
    }

    /// Returns the least valuable of some neighbouring entries at a random key. An entry that
    /// cannot be decoded has the lowest value.
    ///
    /// Keys begin with a hash, so neighbours are a random sample. Redis evicts by sampling too.
    fn select_victim(
        &self,
        table: &Table<&[u8], &[u8]>,
        eviction_score: &dyn Fn(&Record) -> f32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let sample_seed = splitmix::nth(0, self.eviction_scans.fetch_add(1, Ordering::Relaxed));
        let sample_start = sample_seed.to_be_bytes();
        let mut least: Option<(f32, Vec<u8>)> = None;
        let sample =
            table.range(sample_start.as_slice()..)?.chain(table.range(..sample_start.as_slice())?);
        for entry in sample.take(EVICTION_SAMPLES) {
            let (key, value) = entry?;
            let entry_score = decode(key.value(), value.value())
                .map_or(f32::NEG_INFINITY, |record| eviction_score(&record));
            if least.as_ref().is_none_or(|(least_score, _)| entry_score < *least_score) {
                least = Some((entry_score, key.value().to_vec()));
            }
        }
        Ok(least.map(|(_, key)| key))
    }
}

impl Store for EvaluationCacheFile {
    fn engine_id(&self) -> &str {
        &self.options.engine_id
    }

    fn read(&self, zobrist_key: u64, position: &PackedPosition) -> Result<Vec<Record>, StoreError> {
        catch_panic(|| self.scan(&EntryKey::position_bytes(zobrist_key, position)))
    }

    fn write(
        &self,
        records: &[Arc<Record>],
        eviction_score: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError> {
        self.reopen()?;
        catch_panic(|| self.commit(records, eviction_score)).inspect_err(|_| {
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

impl fmt::Debug for EvaluationCacheFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvaluationCacheFile")
            .field("options", &self.options)
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
