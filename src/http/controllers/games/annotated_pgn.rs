//! The annotated games, written piece by piece.

use axum::body::Bytes;

use crate::analysis::jobs::{JobError, JobReader, Progress};
use crate::http::stream::ChunkSource;

/// Bytes of a piece.
const CHUNK_BYTES: usize = 64 << 10;

/// Writes what is known now.
pub(super) struct PgnWriter {
    job: JobReader,
    progress: Progress,
    game_index: u32,
    /// Bytes of that game that are written.
    bytes_written: usize,
}

impl PgnWriter {
    pub(super) fn new(job: JobReader) -> PgnWriter {
        let progress = job.progress();
        PgnWriter { job, progress, game_index: 0, bytes_written: 0 }
    }
}

impl ChunkSource for PgnWriter {
    type Error = JobError;

    /// Games one behind the other, with an empty line between two.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>, JobError> {
        while (self.game_index as usize) < self.job.schedule().games() {
            let text = self
                .job
                .annotated_pgn(self.game_index, self.progress.positions_done)
                .await?
                .unwrap_or_default();
            // A text that is longer than a piece is made again for the next one: only its place is
            // kept.
            let rest = text.as_bytes().get(self.bytes_written..).unwrap_or_default();
            if rest.len() > CHUNK_BYTES {
                self.bytes_written += CHUNK_BYTES;
                return Ok(Some(Bytes::copy_from_slice(&rest[..CHUNK_BYTES])));
            }
            self.game_index += 1;
            self.bytes_written = 0;
            if !rest.is_empty() {
                return Ok(Some([rest, b"\n".as_slice()].concat().into()));
            }
        }
        Ok(None)
    }
}
