//! A viriformat game file that is read in ranges of consecutive games.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::game_layout::{MOVE_BYTES, PACKED_BYTES};

/// Games of one range; the last range of a file may have fewer.
const GAMES_PER_RANGE: usize = 1024;
/// Bytes that are read at once to find the games.
const BUFFER_BYTES: usize = 1 << 20;

/// An open game file with the places of its ranges.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    file: File,
    ranges: Vec<GameRange>,
}

/// The place of consecutive games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRange {
    /// Number of the first game in the file.
    pub first_game: usize,
    /// Number of games.
    pub games: usize,
    offset: u64,
    bytes: usize,
}

impl GameRange {
    /// A number that the range's positions do not exceed.
    #[must_use]
    pub fn most_positions(&self) -> usize {
        self.bytes / MOVE_BYTES
    }
}

impl GameFile {
    /// Opens a game file and finds its games. This reads the file once, but keeps none of it.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or its last game is incomplete.
    pub fn open(path: &Path) -> Result<GameFile> {
        let open = || -> Result<GameFile> {
            let file = File::open(path).context("cannot open the file")?;
            let ranges = find_ranges(&mut BufReader::with_capacity(BUFFER_BYTES, &file))?;
            Ok(GameFile { path: path.to_owned(), file, ranges })
        };
        open().with_context(|| path.display().to_string())
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ranges in the order of the games.
    #[must_use]
    pub fn ranges(&self) -> &[GameRange] {
        &self.ranges
    }

    /// Reads the games of a range. Threads may read at the same time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn read(&self, range: &GameRange) -> Result<Vec<u8>> {
        let mut bytes = vec![0; range.bytes];
        self.file
            .read_exact_at(&mut bytes, range.offset)
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(bytes)
    }
}

fn find_ranges(reader: &mut impl BufRead) -> Result<Vec<GameRange>> {
    let mut ranges: Vec<GameRange> = Vec::new();
    let (mut offset, mut number) = (0, 0);
    while !reader.fill_buf().context("cannot read the file")?.is_empty() {
        let bytes = game_bytes(reader, number)?;
        match ranges.last_mut().filter(|range| range.games < GAMES_PER_RANGE) {
            Some(range) => {
                range.games += 1;
                range.bytes += bytes;
            }
            None => ranges.push(GameRange { first_game: number, games: 1, offset, bytes }),
        }
        offset += bytes as u64;
        number += 1;
    }
    Ok(ranges)
}

/// Reads a game and returns its length.
fn game_bytes(reader: &mut impl Read, number: usize) -> Result<usize> {
    reader
        .read_exact(&mut [0; PACKED_BYTES])
        .with_context(|| format!("game {number} ends within its start position"))?;
    let mut bytes = PACKED_BYTES;
    let mut entry = [1; MOVE_BYTES];
    while entry != [0; MOVE_BYTES] {
        reader
            .read_exact(&mut entry)
            .with_context(|| format!("game {number} has no end marker"))?;
        bytes += MOVE_BYTES;
    }
    Ok(bytes)
}
