//! How the file of the dictionary is opened: checked whole, or set aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use redb::{Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError, TableDefinition};

use super::file::unpanicked;
use super::layout::LAYOUT_VERSION;
use super::{OpenError, StoreError};

/// The name of the dictionary's file in the folder `store.path`.
pub const DICTIONARY_FILE: &str = "dictionary.redb";

/// What redb keeps of the file in our own memory, pages to be written included; the system keeps more of it.
const CACHE_BYTES: usize = 16 << 20;

/// What an open file comes to take in memory: the cache, and what a batch takes besides.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

/// Analyses of the maker that the header names.
pub(super) const TODAY: TableDefinition<&[u8], &[u8]> = TableDefinition::new("today");
/// Analyses of the maker before, first to go.
pub(super) const BEFORE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("before");

/// What the file is: of which layout, and who made its analyses.
const HEADER: TableDefinition<&str, &str> = TableDefinition::new("header");
const LAYOUT: &str = "layout";
const MAKER: &str = "maker";
const MAKER_BEFORE: &str = "maker_before";

/// Where a store lies, and how much it may keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The folder; it is made when there is none.
    pub folder: PathBuf,
    /// Analyses that are kept.
    pub max_entries: usize,
    /// Version and evaluation of the engine whose analyses are kept.
    pub maker: String,
}

impl StoreOptions {
    /// The dictionary's file.
    pub(super) fn file(&self) -> PathBuf {
        self.folder.join(DICTIONARY_FILE)
    }
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

impl From<StoreError> for Unusable {
    fn from(error: StoreError) -> Unusable {
        match error {
            StoreError::Open(error) => Unusable::Refused(error),
            error => Unusable::Damaged(error.to_string()),
        }
    }
}

/// Opens the file, with every page's checksum compared, and makes it one of this maker. A damaged one, and one of another layout, is set
/// aside under another name, the log says so, and an empty one takes its place.
pub(super) fn open(options: &StoreOptions) -> Result<Database, OpenError> {
    let (folder, file) = (&options.folder, options.file());
    fs::create_dir_all(folder).map_err(|error| OpenError::Io { path: folder.clone(), error })?;
    let (suffix, why) = match try_open(&file, &options.maker) {
        Ok(database) => return Ok(database),
        Err(Unusable::Refused(error)) => return Err(error),
        Err(Unusable::Damaged(why)) => ("damaged".to_owned(), why),
        Err(Unusable::OtherLayout(layout)) => (format!("layout-{layout}"), format!("it has layout {layout}")),
    };
    // One of each kind stays: whoever wants to look at it can, and the disk does not fill up with them.
    let aside = PathBuf::from(format!("{}.{suffix}", file.display()));
    fs::rename(&file, &aside).map_err(|error| OpenError::Io { path: file.clone(), error })?;
    let (path, aside) = (file.display().to_string(), aside.display().to_string());
    tracing::error!(file = path, aside, reason = why, "the evaluation dictionary cannot be used: set aside, begun anew");
    try_open(&file, &options.maker).map_err(|unusable| match unusable {
        Unusable::Refused(error) => error,
        Unusable::Damaged(why) | Unusable::OtherLayout(why) => OpenError::Io { path: file, error: io::Error::other(why) },
    })
}

fn try_open(file: &Path, maker: &str) -> Result<Database, Unusable> {
    let opened =
        unpanicked(|| Ok(Builder::new().set_cache_size(CACHE_BYTES).set_check_integrity_on_open(true).create(file)))?;
    let path = file.to_owned();
    let database = opened.map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen => Unusable::Refused(OpenError::InUse { path }),
        DatabaseError::Storage(StorageError::Io(error)) if !tells_of_damage(&error) => {
            Unusable::Refused(OpenError::Io { path, error })
        }
        error => Unusable::Damaged(error.to_string()),
    })?;
    match unpanicked(|| layout(&database))? {
        Some(layout) if layout != LAYOUT_VERSION.to_string() => Err(Unusable::OtherLayout(layout)),
        _ => {
            unpanicked(|| take_over(&database, maker))?;
            Ok(database)
        }
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
        Ok(header) => Ok(header
            .get(LAYOUT)?
            .map(|layout| layout.value().chars().filter(char::is_ascii_alphanumeric).take(16).collect())),
        Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes the header and makes the tables. Analyses of another maker become those of before; of one that comes back, those
/// of before are today's again.
fn take_over(database: &Database, maker: &str) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        let named = |name| Ok::<_, StorageError>(header.get(name)?.map(|text| text.value().to_owned()));
        let (last, before) = (named(MAKER)?, named(MAKER_BEFORE)?);
        drop((transaction.open_table(TODAY)?, transaction.open_table(BEFORE)?));
        if let Some(last) = last.filter(|last| last != maker) {
            const ASIDE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("aside");
            transaction.rename_table(TODAY, ASIDE)?;
            if before.as_deref() == Some(maker) {
                transaction.rename_table(BEFORE, TODAY)?;
            } else {
                transaction.delete_table(BEFORE)?;
                drop(transaction.open_table(TODAY)?);
            }
            transaction.rename_table(ASIDE, BEFORE)?;
            header.insert(MAKER_BEFORE, last.as_str())?;
        }
        header.insert(LAYOUT, LAYOUT_VERSION.to_string().as_str())?;
        header.insert(MAKER, maker)?;
    }
    transaction.commit()?;
    Ok(())
}
