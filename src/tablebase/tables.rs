//! The set of opened tables and its probes.

use std::path::Path;
use std::sync::Arc;

use shakmaty::Chess;
use shakmaty_syzygy as syzygy;

use super::convert;
use super::error::{OpenError, ProbeError};
use super::folder::{TableFile, TableKind, table_files};
use super::probe_statistics::{ProbeCounters, ProbeStatistics};
use super::table_reader::TableReader;
use super::values::{Dtz, Wdl};
use crate::chess::Position;

/// A set of Syzygy tables. Every method may be called from many threads at once. A probe reads from
/// disk what is not in memory, so it may block.
pub struct Tablebase {
    pub(super) tables: syzygy::Tablebase<Chess>,
    men: u32,
    wdl_files: usize,
    dtz_files: usize,
    fingerprint: u64,
    counters: ProbeCounters,
}

impl Tablebase {
    /// Opens the tables of folders. Of a table that is in several folders the last one counts.
    /// Files of at most `memory_bytes` together are kept in memory from their first probe on.
    ///
    /// Names, lengths and first bytes of the files are checked; their content is not.
    ///
    /// # Errors
    ///
    /// [`OpenError`] names the folder or file that cannot be used.
    pub fn open<P: AsRef<Path>>(folders: &[P], memory_bytes: u64) -> Result<Tablebase, OpenError> {
        let reader = Arc::new(TableReader::new(memory_bytes));
        let mut tables = syzygy::Tablebase::with_filesystem(reader);
        let mut files: Vec<TableFile> = Vec::new();
        for folder in folders {
            for file in table_files(folder.as_ref())? {
                let failed = |error| OpenError::Io { path: file.path.clone(), error };
                tables.add_file(&file.path).map_err(failed)?;
                files.retain(|other| other.path.file_name() != file.path.file_name());
                files.push(file);
            }
        }
        let count = |kind| files.iter().filter(|file| file.kind == kind).count();
        Ok(Tablebase {
            tables,
            men: files.iter().map(|file| file.men).max().unwrap_or(0),
            wdl_files: count(TableKind::Wdl),
            dtz_files: count(TableKind::Dtz),
            fingerprint: fingerprint(&mut files),
            counters: ProbeCounters::default(),
        })
    }

    /// No tables: every probe fails.
    pub fn empty() -> Tablebase {
        Tablebase {
            tables: syzygy::Tablebase::new(),
            men: 0,
            wdl_files: 0,
            dtz_files: 0,
            fingerprint: fingerprint(&mut []),
            counters: ProbeCounters::default(),
        }
    }

    /// The men of the largest table, kings and pawns included.
    pub const fn men(&self) -> u32 {
        self.men
    }

    /// The number of files with outcomes (WDL).
    pub const fn wdl_files(&self) -> usize {
        self.wdl_files
    }

    /// The number of files with distances (DTZ).
    pub const fn dtz_files(&self) -> usize {
        self.dtz_files
    }

    /// The number of all files.
    pub const fn files(&self) -> usize {
        self.wdl_files + self.dtz_files
    }

    /// A hash of the names and lengths of the files (FNV-1a). Sets with different fingerprints may
    /// give different results.
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The counts of the probes so far.
    pub fn statistics(&self) -> ProbeStatistics {
        self.counters.read()
    }

    /// The outcome of a position as if its half-move clock were 0. Needs WDL files alone.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] says why there is no result.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.probe(position, |position| {
            self.tables.probe_wdl_after_zeroing(position).map(convert::wdl)
        })
    }

    /// The distance to zeroing of a position.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] says why there is no result.
    pub fn probe_dtz(&self, position: &Position) -> Result<Dtz, ProbeError> {
        self.probe(position, |position| self.tables.probe_dtz(position).map(convert::dtz))
    }

    /// Runs a probe and counts it, unless the position cannot have a table.
    pub(super) fn probe<T>(
        &self,
        position: &Position,
        probe: impl FnOnce(&Chess) -> Result<T, syzygy::SyzygyError>,
    ) -> Result<T, ProbeError> {
        let men = position.occupied().count();
        if men > self.men {
            return Err(ProbeError::TooManyMen { men, max: self.men });
        }
        if !position.castling_rights().is_empty() {
            return Err(ProbeError::CastlingRights);
        }
        self.counters.count(|| {
            let converted = convert::to_shakmaty(position)
                .ok_or_else(|| ProbeError::Read("the position was refused".to_owned()))?;
            probe(&converted).map_err(|error| convert::probe_error(&error, men, self.men))
        })
    }
}

fn fingerprint(files: &mut [TableFile]) -> u64 {
    files.sort_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
    let name = |file: &TableFile| {
        file.path.file_name().map(|name| name.as_encoded_bytes().to_vec()).unwrap_or_default()
    };
    let bytes = files.iter().flat_map(|file| [name(file), file.bytes.to_le_bytes().to_vec()]);
    bytes.flatten().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
