//! Opening of a store file: integrity check, layout check and quarantine.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use redb::{
    Builder, Database, DatabaseError, MultimapTableHandle, ReadableDatabase, StorageError,
    TableDefinition, TableHandle,
};

use super::error::{OpenError, StoreError, catch_panic};

/// The table that describes the file.
pub(super) const HEADER: TableDefinition<&str, &str> = TableDefinition::new("header");
/// The header key of the layout version.
pub(super) const LAYOUT_KEY: &str = "layout";

/// A store file and the settings for opening it.
pub(super) struct StoreFile<'a> {
    /// The path. A missing parent folder is created.
    pub(super) path: PathBuf,
    /// What the file contains, for the log.
    pub(super) description: &'static str,
    /// The names of the tables besides the header. A file with other tables only is quarantined.
    pub(super) tables: &'a [&'static str],
    /// The layout version that is read and written. A file with another version is quarantined.
    pub(super) layout: u8,
    /// Size of redb's page cache, including pages to be written. The operating system caches more.
    pub(super) cache_bytes: usize,
    /// How many unusable files are kept.
    pub(super) quarantine: QuarantinePolicy,
    /// Creates the tables, and does any other work that is due at a start.
    pub(super) prepare: &'a dyn Fn(&Database) -> Result<(), StoreError>,
}

/// How many unusable files are kept. Both policies are bounded, so the disk does not fill up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuarantinePolicy {
    /// Keep the last file of each kind, for inspection.
    KeepLast,
    /// Keep up to this number of files of each kind and never overwrite one. Above the limit the
    /// store is not opened.
    KeepAtMost(u32),
}

/// The reason why a file cannot be used as it is.
enum Unusable {
    /// The content differs from what was written.
    Damaged(String),
    /// The file has another layout version.
    OtherLayout(String),
    /// The file belongs to something else, such as the other store file.
    Foreign(String),
    /// The operating system or another process denies access.
    Inaccessible(OpenError),
}

impl StoreFile<'_> {
    /// Opens the file and compares the checksum of every page.
    ///
    /// A damaged file, one with another layout and one with other tables is quarantined: it is
    /// renamed and replaced by a new one. An empty file is used like a missing one. The log reports
    /// both.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder)
            .map_err(|error| OpenError::Io { path: folder.to_owned(), error })?;
        // redb takes an empty file for a new one, so only its size shows the loss of its content.
        let was_empty =
            fs::metadata(&self.path).is_ok_and(|file| file.is_file() && file.len() == 0);
        let (suffix, reason) = match self.try_open() {
            Ok(database) => {
                if was_empty {
                    self.report_empty_file();
                }
                return Ok(database);
            }
            Err(Unusable::Inaccessible(error)) => return Err(error),
            Err(Unusable::Damaged(reason)) => ("damaged".to_owned(), reason),
            Err(Unusable::OtherLayout(layout)) => (
                format!("layout-{layout}"),
                format!("layout version is {layout}; it must be {}", self.layout),
            ),
            Err(Unusable::Foreign(reason)) => ("foreign".to_owned(), reason),
        };
        let quarantine_path = self.quarantine_path(&suffix, &reason)?;
        fs::rename(&self.path, &quarantine_path)
            .map_err(|error| OpenError::Io { path: self.path.clone(), error })?;
        tracing::error!(
            file = self.path.display().to_string(),
            aside = quarantine_path.display().to_string(),
            reason,
            "the file with {} cannot be used; it was quarantined and replaced by an empty one",
            self.description
        );
        self.try_open().map_err(|unusable| match unusable {
            Unusable::Inaccessible(error) => error,
            Unusable::Damaged(reason)
            | Unusable::OtherLayout(reason)
            | Unusable::Foreign(reason) => {
                OpenError::Io { path: self.path.clone(), error: io::Error::other(reason) }
            }
        })
    }

    /// Logs that the file held no data. Such a file is not quarantined: it is worth nothing, and
    /// would take the place of a damaged file.
    fn report_empty_file(&self) {
        tracing::error!(
            file = self.path.display().to_string(),
            "the file with {} was empty (0 bytes); all that it may have held is lost",
            self.description
        );
    }

    /// The path to which an unusable file is moved.
    fn quarantine_path(&self, suffix: &str, reason: &str) -> Result<PathBuf, OpenError> {
        let with_suffix =
            |rest: &str| PathBuf::from(format!("{}.{suffix}{rest}", self.path.display()));
        let first = with_suffix("");
        let max = match self.quarantine {
            QuarantinePolicy::KeepLast => return Ok(first),
            QuarantinePolicy::KeepAtMost(max) => max,
        };
        let mut candidates =
            iter::once(first).chain((2..=max).map(|number| with_suffix(&format!(".{number}"))));
        // A path that cannot be examined may exist.
        let free = candidates.find(|path| matches!(path.try_exists(), Ok(false)));
        free.ok_or_else(|| OpenError::TooManyQuarantined {
            path: self.path.clone(),
            reason: reason.to_owned(),
            max,
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
        let content = catch_panic(|| Ok((read_tables(&database)?, read_layout(&database)?)));
        let (tables, layout) = content.map_err(|error| self.classify_error(error))?;
        if let Some(reason) = self.foreign_tables(&tables) {
            return Err(Unusable::Foreign(reason));
        }
        match layout {
            Some(layout) if layout != self.layout.to_string() => Err(Unusable::OtherLayout(layout)),
            _ => {
                // An intact file that cannot be written is not damaged.
                catch_panic(|| self.initialize(&database))
                    .map_err(|error| Unusable::Inaccessible(self.io_error(error)))?;
                Ok(database)
            }
        }
    }

    /// The reason why a file with these tables belongs to something else. A new file has none, and
    /// one whose creation was interrupted has the header alone.
    fn foreign_tables(&self, tables: &[String]) -> Option<String> {
        let is_own = |table: &String| self.tables.contains(&table.as_str());
        let is_foreign = !tables.is_empty() && !tables.iter().any(is_own);
        is_foreign.then(|| {
            format!(
                "its tables are {tables:?}; a file with {} has {:?}",
                self.description, self.tables
            )
        })
    }

    fn classify_error(&self, error: StoreError) -> Unusable {
        match error {
            StoreError::Open(error) => Unusable::Inaccessible(error),
            error @ (StoreError::Closed | StoreError::Unreachable(_)) => {
                Unusable::Inaccessible(self.io_error(error))
            }
            StoreError::Failed(reason) => Unusable::Damaged(reason),
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

/// `true` when an error concerns the content of the file and not the access to it.
fn is_corruption(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The names of all tables except the header.
fn read_tables(database: &Database) -> Result<Vec<String>, StoreError> {
    let transaction = database.begin_read()?;
    let tables = transaction.list_tables()?.map(|table| table.name().to_owned());
    let multimaps = transaction.list_multimap_tables()?.map(|table| table.name().to_owned());
    Ok(tables.chain(multimaps).filter(|name| name != HEADER.name()).collect())
}

/// The layout version in the header; `None` for a new file.
fn read_layout(database: &Database) -> Result<Option<String>, StoreError> {
    let transaction = database.begin_read()?;
    match transaction.open_table(HEADER) {
        // The value may be any text, and it becomes part of a file name.
        Ok(header) => Ok(header.get(LAYOUT_KEY)?.map(|layout| {
            layout.value().chars().filter(char::is_ascii_alphanumeric).take(16).collect()
        })),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
