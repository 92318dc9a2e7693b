//! The tables of the dictionary: analyses of the engine of today, and those of the one before.

use std::path::PathBuf;

use redb::{Database, ReadableTable, StorageError, TableDefinition};

use super::codec::LAYOUT_VERSION;
use super::open::{HEADER, QuarantinePolicy, StoreFile};
use super::{OpenError, StoreError};

/// The name of the dictionary's file in the folder `store.path`.
pub const DICTIONARY_FILE: &str = "dictionary.redb";

/// What redb keeps of the file in our own memory.
const CACHE_BYTES: usize = 16 << 20;

/// What an open file comes to take in memory: the cache, and what a batch takes besides.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

/// Analyses of the maker that the header names.
pub(super) const CURRENT: TableDefinition<&[u8], &[u8]> = TableDefinition::new("today");
/// Analyses of the maker before, first to go.
pub(super) const PREVIOUS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("before");

/// Who made the analyses: beside the layout in the header.
const ENGINE_ID: &str = "maker";
const PREVIOUS_ENGINE_ID: &str = "maker_before";

/// Where a store lies, and how much it may keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The folder; it is made when there is none.
    pub folder: PathBuf,
    /// Analyses that are kept.
    pub max_entries: usize,
    /// Version and evaluation of the engine whose analyses are kept.
    pub engine_id: String,
}

impl StoreOptions {
    /// The dictionary's file.
    pub(super) fn file_path(&self) -> PathBuf {
        self.folder.join(DICTIONARY_FILE)
    }

    /// Opens the file and makes it one of this maker.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        let prepare = |database: &Database| rotate_generations(database, &self.engine_id);
        let (path, description, quarantine) =
            (self.file_path(), "the evaluation dictionary", QuarantinePolicy::KeepLast);
        StoreFile {
            path,
            description,
            layout: LAYOUT_VERSION,
            cache_bytes: CACHE_BYTES,
            quarantine,
            prepare: &prepare,
        }
        .open()
    }
}

/// Makes the tables and notes the maker. Analyses of another maker become those of before; of one
/// that comes back, those of before are today's again.
fn rotate_generations(database: &Database, engine_id: &str) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        let read_header =
            |name| Ok::<_, StorageError>(header.get(name)?.map(|text| text.value().to_owned()));
        let (stored_id, previous_id) = (read_header(ENGINE_ID)?, read_header(PREVIOUS_ENGINE_ID)?);
        drop((transaction.open_table(CURRENT)?, transaction.open_table(PREVIOUS)?));
        if let Some(outgoing_id) = stored_id.filter(|last| last != engine_id) {
            const SWAP: TableDefinition<&[u8], &[u8]> = TableDefinition::new("aside");
            transaction.rename_table(CURRENT, SWAP)?;
            if previous_id.as_deref() == Some(engine_id) {
                transaction.rename_table(PREVIOUS, CURRENT)?;
            } else {
                transaction.delete_table(PREVIOUS)?;
                drop(transaction.open_table(CURRENT)?);
            }
            transaction.rename_table(SWAP, PREVIOUS)?;
            header.insert(PREVIOUS_ENGINE_ID, outgoing_id.as_str())?;
        }
        header.insert(ENGINE_ID, engine_id)?;
    }
    transaction.commit()?;
    Ok(())
}
