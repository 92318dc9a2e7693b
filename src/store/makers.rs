//! The tables of the dictionary: analyses of the engine of today, and those of the one before.

use std::path::PathBuf;

use redb::{Database, ReadableTable, StorageError, TableDefinition};

use super::layout::LAYOUT_VERSION;
use super::opening::{Aside, HEADER, StoreFile};
use super::{OpenError, StoreError};

/// The name of the dictionary's file in the folder `store.path`.
pub const DICTIONARY_FILE: &str = "dictionary.redb";

/// What redb keeps of the file in our own memory.
const CACHE_BYTES: usize = 16 << 20;

/// What an open file comes to take in memory: the cache, and what a batch takes besides.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

/// Analyses of the maker that the header names.
pub(super) const TODAY: TableDefinition<&[u8], &[u8]> = TableDefinition::new("today");
/// Analyses of the maker before, first to go.
pub(super) const BEFORE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("before");

/// Who made the analyses: beside the layout in the header.
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

    /// Opens the file and makes it one of this maker.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        let prepare = |database: &Database| take_over(database, &self.maker);
        let (path, holds, aside) = (self.file(), "the evaluation dictionary", Aside::Last);
        StoreFile {
            path,
            holds,
            layout: LAYOUT_VERSION,
            cache_bytes: CACHE_BYTES,
            aside,
            prepare: &prepare,
        }
        .open()
    }
}

/// Makes the tables and notes the maker. Analyses of another maker become those of before; of one
/// that comes back, those of before are today's again.
fn take_over(database: &Database, maker: &str) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        let named =
            |name| Ok::<_, StorageError>(header.get(name)?.map(|text| text.value().to_owned()));
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
        header.insert(MAKER, maker)?;
    }
    transaction.commit()?;
    Ok(())
}
