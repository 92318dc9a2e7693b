//! The table files of a folder, checked before they are used.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use shakmaty::Chess;
use shakmaty_syzygy::Syzygy;

use super::error::OpenError;

/// The men of the largest tables that exist.
pub const MAX_MEN: u32 = Chess::MAX_PIECES as u32;

/// The kind of a table file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Wdl,
    Dtz,
}

/// A table file whose name, length and first bytes are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    pub(super) kind: TableKind,
    /// The men of its positions, kings and pawns included.
    pub(super) men: u32,
    pub(super) bytes: u64,
}

/// The tables of a folder, by name. Files with other names are ignored.
pub(super) fn table_files(folder: &Path) -> Result<Vec<TableFile>, OpenError> {
    let failed = |error| OpenError::Io { path: folder.to_owned(), error };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .map_err(failed)?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if let Some((kind, men)) = named_table(&path) {
            files.push(checked(path, kind, men)?);
        }
    }
    if files.is_empty() {
        return Err(OpenError::NoTables { path: folder.to_owned() });
    }
    Ok(files)
}

/// The kind and the men of the table that a file name stands for, such as `KQvKR.rtbw`.
fn named_table(path: &Path) -> Option<(TableKind, u32)> {
    let kind = match path.extension()?.to_str()? {
        extension if extension == Chess::TBW.ext => TableKind::Wdl,
        extension if extension == Chess::TBZ.ext => TableKind::Dtz,
        _ => return None,
    };
    let (white, black) = path.file_stem()?.to_str()?.split_once('v')?;
    let is_side = |side: &str| {
        side.strip_prefix('K').is_some_and(|others| others.chars().all(|man| "QRBNP".contains(man)))
    };
    let men = u32::try_from(white.len() + black.len()).ok()?;
    (is_side(white) && is_side(black) && men <= MAX_MEN).then_some((kind, men))
}

fn checked(path: PathBuf, kind: TableKind, men: u32) -> Result<TableFile, OpenError> {
    let magic = match kind {
        TableKind::Wdl => Chess::TBW.magic,
        TableKind::Dtz => Chess::TBZ.magic,
    };
    let read = || -> io::Result<(u64, [u8; 4])> {
        let mut file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        let mut first = [0; 4];
        if bytes >= 4 {
            file.read_exact(&mut first)?;
        }
        Ok((bytes, first))
    };
    match read() {
        Err(error) => Err(OpenError::Io { path, error }),
        Ok((_, first)) if first != magic => Err(OpenError::WrongMagic { path }),
        // A header of 16 bytes at the end of blocks of 64.
        Ok((bytes, _)) if bytes % 64 != 16 => Err(OpenError::WrongLength { path, bytes }),
        Ok((bytes, _)) => Ok(TableFile { path, kind, men, bytes }),
    }
}
