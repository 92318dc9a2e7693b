//! The files of tables as probes read them: from memory while there is room, else from disk.
//!
//! A probe reads a dozen small pieces of a file. A read call for each takes most of the probe's
//! time, even when the operating system has the file in memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

/// The share of the memory that a single file may take: one in so many.
const MAX_SHARE: u64 = 8;

/// The file system of the probes. It reads a file into memory at its first probe if the file is
/// small enough and memory is left. A file stays in memory as long as the tables do.
pub(super) struct TableReader {
    disk: OsFilesystem,
    memory_bytes: u64,
    free_bytes: Arc<AtomicU64>,
}

impl TableReader {
    /// A reader that keeps files of at most `memory_bytes` together in memory.
    pub(super) fn new(memory_bytes: u64) -> TableReader {
        let free_bytes = Arc::new(AtomicU64::new(memory_bytes));
        TableReader { disk: OsFilesystem::new(), memory_bytes, free_bytes }
    }

    /// Memory for a file. `None` if the file is too large, or no memory is left.
    fn reserve(&self, bytes: u64) -> Option<Reservation> {
        if bytes > self.memory_bytes / MAX_SHARE {
            return None;
        }
        let take = |free: u64| free.checked_sub(bytes);
        self.free_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Reservation { bytes, free_bytes: Arc::clone(&self.free_bytes) })
    }
}

/// A part of the memory, until it is dropped.
struct Reservation {
    bytes: u64,
    free_bytes: Arc<AtomicU64>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.free_bytes.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

impl Filesystem for TableReader {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.disk.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.disk.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        match self.reserve(metadata.len()) {
            Some(reservation) => Ok(Box::new(FileInMemory::read(file, reservation)?)),
            None => self.disk.open(path),
        }
    }
}

/// The whole content of a file.
struct FileInMemory {
    content: Box<[u8]>,
    _reservation: Reservation,
}

impl FileInMemory {
    /// Reads a file of the reserved length.
    fn read(file: File, reservation: Reservation) -> io::Result<FileInMemory> {
        let mut content = Vec::with_capacity(reservation.bytes as usize);
        file.take(reservation.bytes).read_to_end(&mut content)?;
        if content.len() as u64 != reservation.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(FileInMemory { content: content.into_boxed_slice(), _reservation: reservation })
    }
}

impl RandomAccessFile for FileInMemory {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _hint: ReadHint) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.content.len());
        let rest = &self.content[start..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_bytes(reader: &TableReader) -> u64 {
        reader.free_bytes.load(Ordering::Relaxed)
    }

    fn content(reader: &TableReader, path: &Path) -> io::Result<Vec<u8>> {
        let file = reader.open(path)?;
        let mut content = vec![0; 4];
        file.read_exact_at(&mut content, 2, ReadHint::Data)?;
        Ok(content)
    }

    #[test]
    fn files_beyond_the_budget_are_read_from_disk() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        std::fs::write(&first, b"abcdefgh").unwrap();
        std::fs::write(&second, b"ABCDEFGH").unwrap();
        let reader = TableReader::new(MAX_SHARE * 8);
        let in_memory: Vec<_> = (0..MAX_SHARE).map(|_| reader.open(&first).unwrap()).collect();
        assert_eq!(free_bytes(&reader), 0);
        let on_disk = reader.open(&second).unwrap();
        // Only what is in memory survives a change.
        std::fs::write(&first, b"12345678").unwrap();
        std::fs::write(&second, b"12345678").unwrap();
        let read = |file: &dyn RandomAccessFile| file.read_u8_at(3, ReadHint::Data).unwrap();
        assert_eq!((read(&*in_memory[0]), read(&*on_disk)), (b'd', b'4'));
        drop(in_memory);
        assert_eq!(free_bytes(&reader), MAX_SHARE * 8);
    }

    #[test]
    fn a_single_file_takes_no_more_than_its_share() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"abcdefgh").unwrap();
        let reader = TableReader::new(MAX_SHARE * 8 - 1);
        let _file = reader.open(&path).unwrap();
        assert_eq!(free_bytes(&reader), MAX_SHARE * 8 - 1);
    }

    #[test]
    fn a_read_beyond_the_end_of_a_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"abcdef").unwrap();
        for memory_bytes in [0, 100] {
            let reader = TableReader::new(memory_bytes);
            assert_eq!(content(&reader, &path).unwrap(), b"cdef");
            let file = reader.open(&path).unwrap();
            for offset in [3, 6, 7, 1 << 40] {
                let error = file.read_exact_at(&mut [0; 4], offset, ReadHint::Data).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{offset}");
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_takes_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let reader = TableReader::new(100);
        assert!(reader.open(&folder.path().join("missing")).is_err());
        assert!(reader.open(folder.path()).is_err());
        assert_eq!(free_bytes(&reader), 100);
    }
}
