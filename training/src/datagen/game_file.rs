//! A file that games are added to.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::DatagenError;
use super::packed_start::{START_BYTES, start_position_error};

/// Bytes of one move with its score; four zero bytes end a game.
const MOVE_BYTES: usize = 4;

/// Games one behind the other. A last game that was cut off while it was written is taken away.
pub struct GameFile {
    path: PathBuf,
    file: File,
    games: u64,
    positions: u64,
}

impl GameFile {
    /// Opens a file, or begins one, and counts what it holds. Nothing is taken away but the
    /// beginning of a game.
    ///
    /// # Errors
    ///
    /// When it can't be read or written, or what it holds are no games; the file stays as it is
    /// then.
    pub fn open(path: &Path) -> Result<GameFile, DatagenError> {
        let io_error = |error| DatagenError::io(path.to_owned(), error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io_error)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error)?;
        let mut complete_bytes = 0;
        let (mut games, mut positions) = (0, 0);
        loop {
            if let Some(what) = start_position_error(&bytes[complete_bytes..]) {
                let detail = format!("where game {} should begin {what}", games + 1);
                return Err(DatagenError::InvalidGameFile { path: path.to_owned(), detail });
            }
            let Some(length) = game_length(&bytes[complete_bytes..]) else { break };
            games += 1;
            positions += ((length - START_BYTES) / MOVE_BYTES - 1) as u64;
            complete_bytes += length;
        }
        file.set_len(complete_bytes as u64)
            .and_then(|()| file.seek(SeekFrom::Start(complete_bytes as u64)))
            .map_err(io_error)?;
        Ok(GameFile { path: path.to_owned(), file, games, positions })
    }

    /// Adds a game's bytes.
    ///
    /// # Errors
    ///
    /// When they can't be written.
    pub fn append(&mut self, game: &[u8], positions: u64) -> Result<(), DatagenError> {
        self.file.write_all(game).map_err(|error| DatagenError::io(self.path.clone(), error))?;
        self.games += 1;
        self.positions += positions;
        Ok(())
    }

    /// Games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Positions in the file.
    pub fn positions(&self) -> u64 {
        self.positions
    }
}

/// The bytes of the game that stands first; `None` when it has no end.
fn game_length(bytes: &[u8]) -> Option<usize> {
    let moves = bytes.get(START_BYTES..)?.chunks_exact(MOVE_BYTES);
    moves
        .zip(1..)
        .find(|(entry, _)| *entry == [0; MOVE_BYTES])
        .map(|(_, count)| START_BYTES + MOVE_BYTES * count)
}

/// The files of a run, whatever the number of workers was; none when there is no such folder.
pub(super) fn game_files(folder: &Path, seed: u64) -> Result<Vec<PathBuf>, DatagenError> {
    let io_error = |error| DatagenError::io(folder.to_owned(), error);
    let prefix = format!("{seed}-");
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(io_error)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error)?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(&prefix) && name.to_string_lossy().ends_with(".vf") {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Where a worker's games go.
pub(super) fn game_file_path(folder: &Path, seed: u64, worker: u64) -> PathBuf {
    folder.join(format!("{seed}-{worker}.vf"))
}
