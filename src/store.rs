//! Persistence in files of redb, an embedded copy-on-write B-tree with atomic commits.
//!
//! - The file of the evaluation cache keeps finished analyses. Other layers use it through
//!   [`Store`], whose only production implementation is [`EvaluationCacheFile`]. Each [`Record`] is
//!   encoded with a checksum.
//! - [`jobs`] keeps game-review jobs.

pub(crate) mod bytes;
mod codec;
mod error;
mod evaluation_cache_file;
mod generations;
pub mod jobs;
mod open;
mod record;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::chess::encodings::PackedPosition;

pub use bytes::DecodeError;
pub use codec::LAYOUT_VERSION;
pub use error::{OpenError, StoreError};
pub use evaluation_cache_file::EvaluationCacheFile;
pub use generations::{EVALUATION_CACHE_FILE, MEMORY_BYTES, StoreOptions};
pub use record::{EntryKey, Record, StoredEffort};

/// A bounded collection of finished analyses, keyed by position, that evicts the least valuable
/// ones.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Version and evaluation of the engine whose analyses this store reads and writes.
    fn engine_id(&self) -> &str;

    /// Returns every record of a position, whose Zobrist key is `zobrist_key`. Takes microseconds
    /// while the operating system has the file in its page cache.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn read(&self, zobrist_key: u64, position: &PackedPosition) -> Result<Vec<Record>, StoreError>;

    /// Writes all records or, on an error, none. A record replaces the one with the same key.
    ///
    /// When this returns, the records survive a crash of the process and of the machine. Above the
    /// bound the store evicts records of another engine first, then records with a low
    /// `eviction_score`.
    ///
    /// # Errors
    /// Fails when the store cannot be written. The caller may retry later.
    fn write(
        &self,
        records: &[Arc<Record>],
        eviction_score: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError>;

    /// The store's current size.
    fn size(&self) -> StoreSize;
}

/// The size of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Stored analyses, including those of the previous engine.
    pub entries: usize,
    /// Maximum number of stored analyses.
    pub max_entries: usize,
    /// Size on disk in bytes.
    pub bytes: u64,
}
