//! A file of training games.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::DatagenError;
use super::packed_start::start_position_error;
use crate::game_layout::{MOVE_BYTES, PACKED_BYTES, move_count};

/// An append-only file of games. An incomplete last game is removed.
pub struct GameFile {
    path: PathBuf,
    file: File,
    games: u64,
    positions: u64,
}

impl GameFile {
    /// Opens or creates a file, and counts its games. Only an incomplete last game is removed.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or has other content. Then it stays unchanged.
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
            if let Some(reason) = start_position_error(&bytes[complete_bytes..]) {
                let detail = format!("game {} is invalid: {reason}", games + 1);
                return Err(DatagenError::InvalidGameFile { path: path.to_owned(), detail });
            }
            let Some(length) = game_length(&bytes[complete_bytes..]) else { break };
            games += 1;
            positions += ((length - PACKED_BYTES) / MOVE_BYTES - 1) as u64;
            complete_bytes += length;
        }
        file.set_len(complete_bytes as u64)
            .and_then(|()| file.seek(SeekFrom::Start(complete_bytes as u64)))
            .map_err(io_error)?;
        Ok(GameFile { path: path.to_owned(), file, games, positions })
    }

    /// Appends the bytes of a game.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
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

/// The length of the first game in bytes; `None` when it is incomplete.
fn game_length(bytes: &[u8]) -> Option<usize> {
    let moves = move_count(bytes.get(PACKED_BYTES..)?)?;
    Some(PACKED_BYTES + MOVE_BYTES * (moves + 1))
}

/// The game files of a seed, for any number of workers. There are none without the folder.
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

/// The path of a worker's game file.
pub(super) fn game_file_path(folder: &Path, seed: u64, worker: u64) -> PathBuf {
    folder.join(format!("{seed}-{worker}.vf"))
}
