//! A file that is opened again after a write that failed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use redb::{Database, ReadTransaction, ReadableDatabase, WriteTransaction};

use crate::store::dictionary_file::catch_panic;
use crate::store::open::HEADER;
use crate::store::{OpenError, StoreError};

/// A file that was closed is opened again once in so long: all of it is read for that.
const REOPEN_INTERVAL: Duration = Duration::from_secs(1);

/// What is written to see whether the disk takes anything, in bytes: more than a commit of
/// findings.
const WRITE_PROBE_BYTES: usize = 256 << 10;

/// The place of that, beside the layout.
const WRITE_PROBE: &str = "trial";

/// How a file is opened.
type OpenFn = fn(&Path) -> Result<Database, OpenError>;

/// A file of redb, or pages of memory in place of one.
pub(super) struct ReopeningDb {
    /// The file, and how it is opened; `None` for memory, which ends with the process.
    file: Option<(PathBuf, OpenFn)>,
    /// `None` after a write that failed: redb reads and writes no more then.
    database: RwLock<Option<Database>>,
    /// When it was last tried to open the file again; locked while that is tried.
    last_attempt: Mutex<Option<Instant>>,
}

impl ReopeningDb {
    /// Opens a file.
    ///
    /// # Errors
    /// Those of `open`.
    pub(super) fn open(path: PathBuf, open: OpenFn) -> Result<ReopeningDb, OpenError> {
        let database = RwLock::new(Some(open(&path)?));
        Ok(ReopeningDb { file: Some((path, open)), database, last_attempt: Mutex::default() })
    }

    /// Takes pages of memory. They fail no write, and are never closed.
    pub(super) fn in_memory(database: Database) -> ReopeningDb {
        ReopeningDb {
            file: None,
            database: RwLock::new(Some(database)),
            last_attempt: Mutex::default(),
        }
    }

    /// The file, where it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Writes more than findings come to, and takes it out again: when this succeeds the disk takes
    /// what it is given. A commit of nothing would succeed where the file may not grow.
    ///
    /// # Errors
    /// When the store cannot be written.
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

    /// Reads.
    ///
    /// # Errors
    /// When the file is closed and cannot be opened again now, and those of the operation.
    pub(super) fn read<T>(
        &self,
        operation: impl FnOnce(&ReadTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or(StoreError::Closed)?;
        catch_panic(|| operation(&database.begin_read()?))
    }

    /// Does all of it in one commit, or nothing.
    ///
    /// # Errors
    /// As [`Handle::read`], and when the disk refuses. A file is closed then.
    pub(super) fn write<T>(
        &self,
        operation: impl FnOnce(&WriteTransaction) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let written = {
            let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
            let database = database.as_ref().ok_or(StoreError::Closed)?;
            catch_panic(|| {
                let transaction = database.begin_write()?;
                let done = operation(&transaction)?;
                transaction.commit()?;
                Ok(done)
            })
        };
        if written.is_err() && self.file.is_some() {
            *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        written
    }

    /// Opens the file again after a write that failed. One does that; whoever comes meanwhile, or
    /// too soon after it, hears that it is closed.
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
        if last_attempt.is_some_and(|tried| tried.elapsed() < REOPEN_INTERVAL) {
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
        f.debug_struct("Handle").field("path", &self.path()).finish_non_exhaustive()
    }
}
