//! A redb database that is reopened after a failed write.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use redb::{Database, ReadTransaction, ReadableDatabase, WriteTransaction};

use crate::store::error::{OpenError, StoreError, catch_panic};
use crate::store::open::HEADER;

/// Minimum time between two attempts to reopen the file, because each reads the whole file.
const REOPEN_INTERVAL: Duration = Duration::from_secs(1);

/// Size of the write probe in bytes: more than a commit of evaluations.
const WRITE_PROBE_BYTES: usize = 256 << 10;

/// The header key of the write probe.
const WRITE_PROBE: &str = "trial";

/// The function that opens a file.
type OpenFn = fn(&Path) -> Result<Database, OpenError>;

/// A redb database in a file or in memory.
pub(super) struct ReopeningDb {
    /// The file and the function that opens it; `None` in memory.
    file: Option<(PathBuf, OpenFn)>,
    /// `None` after a failed write: redb then refuses reads and writes.
    database: RwLock<Option<Database>>,
    /// Time of the last attempt to reopen the file. The lock is held during an attempt.
    last_attempt: Mutex<Option<Instant>>,
}

impl ReopeningDb {
    /// Opens a file with `open`.
    ///
    /// # Errors
    /// The errors of `open`.
    pub(super) fn open(path: PathBuf, open: OpenFn) -> Result<ReopeningDb, OpenError> {
        let database = RwLock::new(Some(open(&path)?));
        Ok(ReopeningDb { file: Some((path, open)), database, last_attempt: Mutex::default() })
    }

    /// Wraps a database in memory. Its writes do not fail, so it is never closed.
    pub(super) fn in_memory(database: Database) -> ReopeningDb {
        ReopeningDb {
            file: None,
            database: RwLock::new(Some(database)),
            last_attempt: Mutex::default(),
        }
    }

    /// The path of the file; `None` in memory.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Checks that the disk accepts writes. It writes more bytes than a commit of evaluations does
    /// and removes them. An empty commit would succeed even when the file cannot grow.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        let text = "-".repeat(WRITE_PROBE_BYTES);
        self.write(|transaction| {
            transaction.open_table(HEADER)?.insert(WRITE_PROBE, text.as_str())?;
            Ok(())
        })?;
        self.write(|transaction| {
            transaction.open_table(HEADER)?.remove(WRITE_PROBE)?;
            Ok(())
        })
    }

    /// Runs `operation` in a read transaction.
    ///
    /// # Errors
    /// Fails when the file is closed and cannot be reopened now, and when `operation` fails.
    pub(super) fn read<T>(
        &self,
        operation: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or(StoreError::Closed)?;
        catch_panic(|| operation(&database.begin_read()?))
    }

    /// Runs `operation` in a write transaction and commits it.
    ///
    /// # Errors
    /// Fails like [`ReopeningDb::read`], and when the commit fails. An error closes the file.
    pub(super) fn write<T>(
        &self,
        operation: impl FnOnce(&WriteTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let result = {
            let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
            let database = database.as_ref().ok_or(StoreError::Closed)?;
            catch_panic(|| {
                let transaction = database.begin_write()?;
                let value = operation(&transaction)?;
                transaction.commit()?;
                Ok(value)
            })
        };
        if result.is_err() && self.file.is_some() {
            *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        result
    }

    /// Reopens the file after a failed write. A caller that arrives during an attempt, or too soon
    /// after one, gets [`StoreError::Closed`].
    fn reopen(&self) -> Result<(), StoreError> {
        let Some((path, open)) = self.file.as_ref().filter(|_| self.is_closed()) else {
            return Ok(());
        };
        let mut last_attempt = match self.last_attempt.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Closed),
        };
        if !self.is_closed() {
            return Ok(());
        }
        if last_attempt.is_some_and(|attempt| attempt.elapsed() < REOPEN_INTERVAL) {
            return Err(StoreError::Closed);
        }
        let opened = open(path);
        *last_attempt = Some(Instant::now());
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = Some(opened?);
        Ok(())
    }

    fn is_closed(&self) -> bool {
        self.database.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl fmt::Debug for ReopeningDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReopeningDb").field("path", &self.path()).finish_non_exhaustive()
    }
}
