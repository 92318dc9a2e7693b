//! How a file is opened: checked whole, or set aside.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use redb::{Builder, Database, DatabaseError, ReadableDatabase, StorageError, TableDefinition};

use super::file::unpanicked;
use super::{OpenError, StoreError};

/// What the file is.
pub(super) const HEADER: TableDefinition<&str, &str> = TableDefinition::new("header");
/// Of which layout it is.
pub(super) const LAYOUT: &str = "layout";

/// A file of the store.
pub(super) struct StoreFile<'a> {
    /// Where it is; its folder is made when there is none.
    pub(super) path: PathBuf,
    /// What is in it, for the log.
    pub(super) holds: &'static str,
    /// The layout that is read and written; a file of another one is set aside.
    pub(super) layout: u8,
    /// What redb keeps of it in our own memory, pages to be written included; the system keeps more
    /// of it.
    pub(super) cache_bytes: usize,
    /// What becomes of it when it cannot be used.
    pub(super) aside: Aside,
    /// Makes the tables, and whatever else is due at a start.
    pub(super) prepare: &'a dyn Fn(&Database) -> Result<(), StoreError>,
}

/// What becomes of files that cannot be used. The disk does not fill up with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// The last one of each kind stays: whoever wants to look at it can.
    Last,
    /// So many of each kind stay, and none is ever written over: with more of them the file is not
    /// opened.
    Each(u32),
}

/// Why a file is not used as it is.
enum Unusable {
    /// It is not what was written.
    Damaged(String),
    /// It was written in another layout.
    OtherLayout(String),
    /// The system or another process does not let us.
    Refused(OpenError),
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
            Err(Unusable::Refused(error)) => return Err(error),
            Err(Unusable::Damaged(why)) => ("damaged".to_owned(), why),
            Err(Unusable::OtherLayout(layout)) => {
                (format!("layout-{layout}"), format!("it has layout {layout}"))
            }
        };
        let aside = self.place_aside(&suffix, &why)?;
        fs::rename(&self.path, &aside)
            .map_err(|error| OpenError::Io { path: self.path.clone(), error })?;
        let (file, aside) = (self.path.display().to_string(), aside.display().to_string());
        tracing::error!(
            file,
            aside,
            reason = why,
            "the file with {} cannot be used: set aside, begun anew",
            self.holds
        );
        self.try_open().map_err(|unusable| match unusable {
            Unusable::Refused(error) => error,
            Unusable::Damaged(why) | Unusable::OtherLayout(why) => {
                OpenError::Io { path: self.path.clone(), error: io::Error::other(why) }
            }
        })
    }

    /// Where a file is put that cannot be used.
    fn place_aside(&self, suffix: &str, why: &str) -> Result<PathBuf, OpenError> {
        let named = |rest: &str| PathBuf::from(format!("{}.{suffix}{rest}", self.path.display()));
        let first = named("");
        let most = match self.aside {
            Aside::Last => return Ok(first),
            Aside::Each(most) => most,
        };
        let mut places =
            iter::once(first).chain((2..=most).map(|number| named(&format!(".{number}"))));
        // What cannot be looked at may be there.
        let free = places.find(|place| matches!(place.try_exists(), Ok(false)));
        free.ok_or_else(|| OpenError::TooManyAside {
            path: self.path.clone(),
            why: why.to_owned(),
            most,
        })
    }

    fn try_open(&self) -> Result<Database, Unusable> {
        let mut builder = Builder::new();
        builder.set_cache_size(self.cache_bytes).set_check_integrity_on_open(true);
        let opened =
            unpanicked(|| Ok(builder.create(&self.path))).map_err(|error| self.unusable(error))?;
        let path = self.path.clone();
        let database = opened.map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => Unusable::Refused(OpenError::InUse { path }),
            DatabaseError::Storage(StorageError::Io(error)) if !tells_of_damage(&error) => {
                Unusable::Refused(OpenError::Io { path, error })
            }
            error => self.unusable(error.into()),
        })?;
        match unpanicked(|| layout(&database)).map_err(|error| self.unusable(error))? {
            Some(layout) if layout != self.layout.to_string() => Err(Unusable::OtherLayout(layout)),
            _ => {
                // A file that is whole and cannot be written is no damaged one.
                unpanicked(|| self.begin(&database))
                    .map_err(|error| Unusable::Refused(self.refused(error)))?;
                Ok(database)
            }
        }
    }

    fn unusable(&self, error: StoreError) -> Unusable {
        match error {
            StoreError::Open(error) => Unusable::Refused(error),
            error @ StoreError::Closed => Unusable::Refused(self.refused(error)),
            StoreError::Failed(why) => Unusable::Damaged(why),
        }
    }

    fn refused(&self, error: StoreError) -> OpenError {
        OpenError::Io { path: self.path.clone(), error: io::Error::other(error) }
    }

    fn begin(&self, database: &Database) -> Result<(), StoreError> {
        let transaction = database.begin_write()?;
        transaction.open_table(HEADER)?.insert(LAYOUT, self.layout.to_string().as_str())?;
        transaction.commit()?;
        (self.prepare)(database)
    }
}

/// `true` when an error is about what stands in the file, not about reaching it.
fn tells_of_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The layout that the header names; `None` of a new file.
fn layout(database: &Database) -> Result<Option<String>, StoreError> {
    let transaction = database.begin_read()?;
    match transaction.open_table(HEADER) {
        // Text of any length and kind may stand there: it becomes part of a file's name.
        Ok(header) => Ok(header.get(LAYOUT)?.map(|layout| {
            layout.value().chars().filter(char::is_ascii_alphanumeric).take(16).collect()
        })),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
