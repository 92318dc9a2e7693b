//! What outlasts the process, in files of the embedded store redb, a copy-on-write B-tree whose
//! commits are all or nothing.
//!
//! - The evaluation dictionary: finished analyses. [`Store`] is all that the rest knows of it,
//!   [`DictionaryFile`] the one kind there is. What is kept is a [`Record`] in a layout of our own,
//!   behind a checksum.
//! - Reviews of games: [`jobs`].

mod bytes;
mod codec;
mod dictionary_file;
mod error;
mod generations;
pub mod jobs;
mod key;
mod open;
mod record;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::chess::encodings::PackedPosition;

pub use dictionary_file::DictionaryFile;
pub use error::{OpenError, StoreError};
pub use generations::{DICTIONARY_FILE, MEMORY_BYTES, StoreOptions};
pub use key::EntryKey;
pub use record::{Record, StoredEffort};

/// Keeps finished analyses by position, and forgets the least worth of them when it is full.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Who makes what is written here, and has made what is read: version and evaluation of the
    /// engine.
    fn engine_id(&self) -> &str;

    /// All that is kept of a position, which has this key. Takes microseconds where the system has
    /// the file in memory.
    ///
    /// # Errors
    /// When the store cannot be read now.
    fn read(&self, zobrist_key: u64, position: &PackedPosition) -> Result<Vec<Record>, StoreError>;

    /// Keeps these, each in place of what its place had: all of them or, with an error, none. When
    /// this returns they outlast the process and the machine. What is beyond the bound goes: first
    /// what another maker has made, then what is little worth by `worth`.
    ///
    /// # Errors
    /// When the store cannot be written. It is worth to try again later.
    fn write(
        &self,
        records: &[Arc<Record>],
        worth: &dyn Fn(&Record) -> f32,
    ) -> Result<(), StoreError>;

    /// How much is kept.
    fn size(&self) -> StoreSize;
}

/// How much a store keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Analyses, those of other makers among them.
    pub entries: usize,
    /// The most that there may be.
    pub max_entries: usize,
    /// What they take on disk.
    pub bytes: u64,
}
