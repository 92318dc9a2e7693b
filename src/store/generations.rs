//! The tables of the evaluation cache's file: analyses of the current engine and of the previous
//! one.

use std::path::PathBuf;

use redb::{Database, ReadableTable, StorageError, TableDefinition};

use super::codec::LAYOUT_VERSION;
use super::error::{OpenError, StoreError};
use super::open::{HEADER, QuarantinePolicy, StoreFile};

/// The name of the evaluation cache's file in the folder `store.path`.
pub const EVALUATION_CACHE_FILE: &str = "dictionary.redb";

/// Size of redb's page cache for this file.
const CACHE_BYTES: usize = 16 << 20;

/// Maximum memory of an open file in bytes: the page cache, and as much again for a commit.
pub const MEMORY_BYTES: usize = 2 * CACHE_BYTES;

const CURRENT_NAME: &str = "today";
const PREVIOUS_NAME: &str = "before";
/// Analyses of the engine that the header names.
pub(super) const CURRENT: TableDefinition<&[u8], &[u8]> = TableDefinition::new(CURRENT_NAME);
/// Analyses of the previous engine. They are evicted first.
pub(super) const PREVIOUS: TableDefinition<&[u8], &[u8]> = TableDefinition::new(PREVIOUS_NAME);

/// Header keys of the two engine ids.
const ENGINE_ID: &str = "maker";
const PREVIOUS_ENGINE_ID: &str = "maker_before";

/// Location, size limit and engine of the evaluation cache's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The folder; it is created when missing.
    pub folder: PathBuf,
    /// Maximum number of stored analyses.
    pub max_entries: usize,
    /// Version and evaluation of the engine whose analyses are stored.
    pub engine_id: String,
}

impl StoreOptions {
    /// The path of the evaluation cache's file.
    pub(super) fn file_path(&self) -> PathBuf {
        self.folder.join(EVALUATION_CACHE_FILE)
    }

    /// Opens the file and makes this engine the current one.
    pub(super) fn open(&self) -> Result<Database, OpenError> {
        let prepare = |database: &Database| rotate_generations(database, &self.engine_id);
        StoreFile {
            path: self.file_path(),
            description: "the evaluation cache",
            tables: &[CURRENT_NAME, PREVIOUS_NAME],
            layout: LAYOUT_VERSION,
            cache_bytes: CACHE_BYTES,
            quarantine: QuarantinePolicy::KeepLast,
            prepare: &prepare,
        }
        .open()
    }
}

/// Creates the tables and writes the engine id.
///
/// When the engine changed, the current analyses become the previous ones. When the previous engine
/// is back, the two tables are swapped.
fn rotate_generations(database: &Database, engine_id: &str) -> Result<(), StoreError> {
    let transaction = database.begin_write()?;
    {
        let mut header = transaction.open_table(HEADER)?;
        let read_header =
            |name| Ok::<_, StorageError>(header.get(name)?.map(|text| text.value().to_owned()));
        let (stored_id, previous_id) = (read_header(ENGINE_ID)?, read_header(PREVIOUS_ENGINE_ID)?);
        drop((transaction.open_table(CURRENT)?, transaction.open_table(PREVIOUS)?));
        if let Some(outgoing_id) = stored_id.filter(|stored_id| stored_id != engine_id) {
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
