//! A label file: a header with the manifest, then blocks.
//!
//! All numbers are in little-endian. A checksum is the first eight bytes of a SHA-256 digest.
//!
//! | header, bytes | content |
//! |---|---|
//! | 8 | `KBZLABEL` |
//! | 4 | version of the format, 1 |
//! | 4 | length of the manifest |
//! | … | [`Manifest`] in JSON |
//! | 8 | checksum of all of these |
//!
//! | block, bytes | content |
//! |---|---|
//! | 4 | length of the content |
//! | 4 | number of the first game in the file of games |
//! | 4 | number of games |
//! | 4 | number of labels |
//! | 8 | checksum of the content |
//! | 8 | checksum of these fields |
//! | … | content: the module `block` |

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

use super::block::LabelledGame;
use super::manifest::Manifest;

/// The extension of label files.
pub(super) const EXTENSION: &str = "labels";

const MAGIC: [u8; 8] = *b"KBZLABEL";
const VERSION: u32 = 1;
/// Magic, version and length of the manifest.
const HEADER_START_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;
const BLOCK_HEADER_BYTES: usize = 32;

/// Whether a path has the extension of label files.
#[must_use]
pub fn is_label_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// The place and counts of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockInfo {
    /// Offset of the content in the file.
    pub offset: u64,
    /// Bytes of the content.
    pub bytes: u32,
    /// Number of the first game in the file of games.
    pub first_game: u32,
    /// Number of games.
    pub games: u32,
    /// Number of labels.
    pub labels: u32,
    checksum: [u8; CHECKSUM_BYTES],
}

impl BlockInfo {
    fn end(&self) -> u64 {
        self.offset + u64::from(self.bytes)
    }
}

/// The content of a block.
#[derive(Clone, Debug)]
pub struct Block {
    first_game: u32,
    games: u32,
    content: Vec<u8>,
}

impl Block {
    /// The games with their numbers in the file of games.
    ///
    /// # Errors
    ///
    /// When the content is not that of a block.
    pub fn games(&self) -> Result<Vec<(usize, LabelledGame<'_>)>> {
        let mut bytes = self.content.as_slice();
        let numbers = (self.first_game as usize..).take(self.games as usize);
        let games: Result<Vec<_>> = numbers
            .map(|number| {
                let game = LabelledGame::split_off(&mut bytes);
                Ok((number, game.with_context(|| format!("game {number}"))?))
            })
            .collect();
        ensure!(bytes.is_empty(), "the block has {} bytes too many", bytes.len());
        games
    }
}

/// An encoded block that is not in a file yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NewBlock {
    pub(super) first_game: u32,
    pub(super) games: u32,
    pub(super) labels: u32,
    pub(super) content: Vec<u8>,
}

impl NewBlock {
    fn header(&self) -> [u8; BLOCK_HEADER_BYTES] {
        let numbers = [self.content.len() as u32, self.first_game, self.games, self.labels];
        let mut header = Vec::with_capacity(BLOCK_HEADER_BYTES);
        header.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        header.extend(checksum(&self.content));
        header.extend(checksum(&header));
        let mut bytes = [0; BLOCK_HEADER_BYTES];
        bytes.copy_from_slice(&header);
        bytes
    }

    /// The size in the file.
    pub(super) fn size(&self) -> u64 {
        (BLOCK_HEADER_BYTES + self.content.len()) as u64
    }
}

/// A label file that is read block by block.
#[derive(Debug)]
pub struct LabelFile {
    path: PathBuf,
    file: File,
    manifest: Manifest,
    blocks: Vec<BlockInfo>,
}

impl LabelFile {
    /// Opens a label file and reads the headers of its blocks.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no label file, or ends within a block.
    pub fn open(path: &Path) -> Result<LabelFile> {
        let open = || {
            let file = File::open(path).context("cannot open the file")?;
            let (manifest, start) = read_header(&file)?;
            let (blocks, end) = read_block_headers(&file, start)?;
            ensure!(
                file.metadata()?.len() == end,
                "the file ends within block {}; continue the run that writes it",
                blocks.len()
            );
            Ok(LabelFile { path: path.to_owned(), file, manifest, blocks })
        };
        open().with_context(|| path.display().to_string())
    }

    /// The settings that the labels were made with.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The blocks in the order of the games.
    #[must_use]
    pub fn blocks(&self) -> &[BlockInfo] {
        &self.blocks
    }

    /// Reads one of the blocks. Threads may read at the same time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or the block is damaged.
    pub fn read(&self, block: &BlockInfo) -> Result<Block> {
        let read = || {
            let content = read_exact_at(&self.file, block.offset, block.bytes as usize)?;
            ensure!(checksum(&content) == block.checksum, "its checksum does not match");
            Ok(Block { first_game: block.first_game, games: block.games, content })
        };
        read().with_context(|| self.describe(block))
    }

    /// The place of a block, for error messages.
    #[must_use]
    pub fn describe(&self, block: &BlockInfo) -> String {
        format!("{}, block at byte {}", self.path.display(), block.offset)
    }
}

/// A label file that blocks are appended to.
#[derive(Debug)]
pub(super) struct LabelFileWriter {
    path: PathBuf,
    file: File,
    blocks: usize,
    labels: u64,
    bytes: u64,
}

impl LabelFileWriter {
    /// Opens or creates a label file. A block that is not whole is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, another run writes it, or it is not a file of labels with
    /// these settings.
    pub(super) fn open(path: &Path, manifest: &Manifest) -> Result<LabelFileWriter> {
        Self::open_or_create(path, manifest).with_context(|| path.display().to_string())
    }

    fn open_or_create(path: &Path, manifest: &Manifest) -> Result<LabelFileWriter> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .context("cannot open the file")?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("another run writes the file"),
            result => result.context("cannot lock the file")?,
        }
        let header = header(manifest)?;
        if begins(&file, &header)? {
            file.set_len(0)?;
            file.write_all(&header).context("cannot write the header")?;
        }
        let (recorded, start) = read_header(&file)?;
        recorded.check_matches(manifest)?;
        let (blocks, end) = read_block_headers(&file, start)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let mut numbers = (0..).step_by(manifest.games_per_block.max(1) as usize);
        ensure!(
            blocks.iter().all(|block| numbers.next() == Some(block.first_game)),
            "the games of its blocks do not follow each other"
        );
        let labels = blocks.iter().map(|block| u64::from(block.labels)).sum();
        Ok(LabelFileWriter {
            path: path.to_owned(),
            file,
            blocks: blocks.len(),
            labels,
            bytes: end,
        })
    }

    /// The number of blocks in the file.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The number of labels in the file.
    pub(super) fn labels(&self) -> u64 {
        self.labels
    }

    /// The size of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a block.
    pub(super) fn append(&mut self, block: &NewBlock) -> Result<()> {
        let mut bytes = block.header().to_vec();
        bytes.extend(&block.content);
        self.file
            .write_all(&bytes)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.blocks += 1;
        self.labels += u64::from(block.labels);
        self.bytes += block.size();
        Ok(())
    }
}

impl Drop for LabelFileWriter {
    fn drop(&mut self) {
        // A process that is being started may still share the open file. Failure means that the
        // lock ends with that process.
        let _ = self.file.unlock();
    }
}

fn header(manifest: &Manifest) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(manifest)?;
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend((json.len() as u32).to_le_bytes());
    header.extend(json);
    header.extend(checksum(&header));
    Ok(header)
}

/// Whether the file has a beginning of this header and no more, as after a kill.
fn begins(file: &File, header: &[u8]) -> Result<bool> {
    let length = file.metadata()?.len() as usize;
    Ok(length < header.len() && header.starts_with(&read_exact_at(file, 0, length)?))
}

/// The manifest, and the offset after the header.
fn read_header(file: &File) -> Result<(Manifest, u64)> {
    let length = file.metadata()?.len();
    ensure!(length >= HEADER_START_BYTES as u64, "it is not a label file: it has {length} bytes");
    let start = read_exact_at(file, 0, HEADER_START_BYTES)?;
    ensure!(start.starts_with(&MAGIC), "it is not a label file");
    let version = number(&start, 2);
    ensure!(version == VERSION, "its format has version {version}; this program reads {VERSION}");
    let covered = HEADER_START_BYTES + number(&start, 3) as usize;
    let end = (covered + CHECKSUM_BYTES) as u64;
    ensure!(end <= length, "the file ends within its header");
    let header = read_exact_at(file, 0, covered + CHECKSUM_BYTES)?;
    let (content, sum) = header.split_at(covered);
    ensure!(checksum(content) == sum, "the checksum of the header does not match");
    let manifest = serde_json::from_slice(&content[HEADER_START_BYTES..])
        .context("the manifest is not valid")?;
    Ok((manifest, end))
}

/// The whole blocks from an offset on, and where they end.
fn read_block_headers(file: &File, start: u64) -> Result<(Vec<BlockInfo>, u64)> {
    let length = file.metadata()?.len();
    let mut blocks: Vec<BlockInfo> = Vec::new();
    let mut end = start;
    while end + BLOCK_HEADER_BYTES as u64 <= length {
        let header = read_exact_at(file, end, BLOCK_HEADER_BYTES)?;
        let (fields, sum) = header.split_at(BLOCK_HEADER_BYTES - CHECKSUM_BYTES);
        ensure!(
            checksum(fields) == sum,
            "the header of block {} is damaged (byte {end})",
            blocks.len()
        );
        let block = BlockInfo {
            offset: end + BLOCK_HEADER_BYTES as u64,
            bytes: number(fields, 0),
            first_game: number(fields, 1),
            games: number(fields, 2),
            labels: number(fields, 3),
            checksum: fields.last_chunk().copied().unwrap_or_default(),
        };
        if block.end() > length {
            break;
        }
        end = block.end();
        blocks.push(block);
    }
    Ok((blocks, end))
}

/// The number at this place of a row of 32-bit numbers.
fn number(bytes: &[u8], place: usize) -> u32 {
    let (numbers, _) = bytes.as_chunks();
    numbers.get(place).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn read_exact_at(file: &File, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).context("cannot read the file")?;
    Ok(bytes)
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest.first_chunk().copied().unwrap_or_default()
}
