//! How a file is opened: checked whole, or set aside.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use redb::{Builder, Database, DatabaseError, ReadableDatabase, StorageError, TableDefinition};

use super::dictionary_file::catch_panic;
use super::{OpenError, StoreError};

/// What the file is.
pub(super) const HEADER: TableDefinition<&str, &str> = TableDefinition::new("header");
/// Of which layout it is.
pub(super) const LAYOUT_KEY: &str = "layout";

/// A file of the store.
pub(super) struct StoreFile<'a> {
    /// Where it is; its folder is made when there is none.
    pub(super) path: PathBuf,
    /// What is in it, for the log.
    pub(super) description: &'static str,
    /// The layout that is read and written; a file of another one is set aside.
    pub(super) layout: u8,
    /// What redb keeps of it in our own memory, pages to be written included; the system keeps more
    /// of it.
    pub(super) cache_bytes: usize,
    /// What becomes of it when it cannot be used.
    pub(super) quarantine: QuarantinePolicy,
    /// Makes the tables, and whatever else is due at a start.
    pub(super) prepare: &'a dyn Fn(&Database) -> Result<(), StoreError>,
}

/// What becomes of files that cannot be used. The disk does not fill up with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuarantinePolicy {
    /// The last one of each kind stays: whoever wants to look at it can.
    KeepLast,
    /// So many of each kind stay, and none is ever written over: with more of them the file is not
    /// opened.
    KeepAtMost(u32),
}

/// Why a file is not used as it is.
enum Unusable {
    /// It is not what was written.
    Damaged(String),
    /// It was written in another layout.
    OtherLayout(String),
    /// The system or another process does not let us.
    Inaccessible(OpenError),
}

impl StoreFile<'_> {
    /// Opens the file, with every page's checksum compared. A damaged one, and one of another
    /// layout, is set aside under another name, the log says so, and an empty one takes its place.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder)
            .map_err(|error| OpenError::Io { path: folder.to_owned(), error })?;
        let (suffix, why) = match self.try_open() {
            Ok(database) => return Ok(database),
            Err(Unusable::Inaccessible(error)) => return Err(error),
            Err(Unusable::Damaged(why)) => ("damaged".to_owned(), why),
            Err(Unusable::OtherLayout(layout)) => {
                (format!("layout-{layout}"), format!("it has layout {layout}"))
            }
        };
        let quarantine_path = self.quarantine_path(&suffix, &why)?;
        fs::rename(&self.path, &quarantine_path)
            .map_err(|error| OpenError::Io { path: self.path.clone(), error })?;
        let (file, aside) =
            (self.path.display().to_string(), quarantine_path.display().to_string());
        tracing::error!(
            file,
            aside,
            reason = why,
            "the file with {} cannot be used: set aside, begun anew",
            self.description
        );
        self.try_open().map_err(|unusable| match unusable {
            Unusable::Inaccessible(error) => error,
            Unusable::Damaged(why) | Unusable::OtherLayout(why) => {
                OpenError::Io { path: self.path.clone(), error: io::Error::other(why) }
            }
        })
    }

    /// Where a file is put that cannot be used.
    fn quarantine_path(&self, suffix: &str, why: &str) -> Result<PathBuf, OpenError> {
        let with_suffix =
            |rest: &str| PathBuf::from(format!("{}.{suffix}{rest}", self.path.display()));
        let first = with_suffix("");
        let max = match self.quarantine {
            QuarantinePolicy::KeepLast => return Ok(first),
            QuarantinePolicy::KeepAtMost(max) => max,
        };
        let mut candidates =
            iter::once(first).chain((2..=max).map(|number| with_suffix(&format!(".{number}"))));
        // What cannot be looked at may be there.
        let free = candidates.find(|path| matches!(path.try_exists(), Ok(false)));
        free.ok_or_else(|| OpenError::TooManyQuarantined {
            path: self.path.clone(),
            why: why.to_owned(),
            most: max,
        })
    }

    fn try_open(&self) -> Result<Database, Unusable> {
        let mut builder = Builder::new();
        builder.set_cache_size(self.cache_bytes).set_check_integrity_on_open(true);
        let opened = catch_panic(|| Ok(builder.create(&self.path)))
            .map_err(|error| self.classify_error(error))?;
        let path = self.path.clone();
        let database = opened.map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => Unusable::Inaccessible(OpenError::InUse { path }),
            DatabaseError::Storage(StorageError::Io(error)) if !is_corruption(&error) => {
                Unusable::Inaccessible(OpenError::Io { path, error })
            }
            error => self.classify_error(error.into()),
        })?;
        match catch_panic(|| read_layout(&database)).map_err(|error| self.classify_error(error))? {
            Some(layout) if layout != self.layout.to_string() => Err(Unusable::OtherLayout(layout)),
            _ => {
                // A file that is whole and cannot be written is no damaged one.
                catch_panic(|| self.initialize(&database))
                    .map_err(|error| Unusable::Inaccessible(self.io_error(error)))?;
                Ok(database)
            }
        }
    }

    fn classify_error(&self, error: StoreError) -> Unusable {
        match error {
            StoreError::Open(error) => Unusable::Inaccessible(error),
            error @ StoreError::Closed => Unusable::Inaccessible(self.io_error(error)),
            StoreError::Failed(why) => Unusable::Damaged(why),
        }
    }

    fn io_error(&self, error: StoreError) -> OpenError {
        OpenError::Io { path: self.path.clone(), error: io::Error::other(error) }
    }

    fn initialize(&self, database: &Database) -> Result<(), StoreError> {
        let transaction = database.begin_write()?;
        transaction.open_table(HEADER)?.insert(LAYOUT_KEY, self.layout.to_string().as_str())?;
        transaction.commit()?;
        (self.prepare)(database)
    }
}

/// `true` when an error is about what stands in the file, not about reaching it.
fn is_corruption(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The layout that the header names; `None` of a new file.
fn read_layout(database: &Database) -> Result<Option<String>, StoreError> {
    let transaction = database.begin_read()?;
    match transaction.open_table(HEADER) {
        // Text of any length and kind may stand there: it becomes part of a file's name.
        Ok(header) => Ok(header.get(LAYOUT_KEY)?.map(|layout| {
            layout.value().chars().filter(char::is_ascii_alphanumeric).take(16).collect()
        })),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
