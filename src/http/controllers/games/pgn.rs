//! The annotated games, written piece by piece.

use axum::body::Bytes;

use crate::analysis::jobs::{Job, JobError, Progress};
use crate::http::stream::Pieces;

/// Bytes of a piece.
const PIECE: usize = 64 << 10;

/// Writes what is known now.
pub(super) struct Writer {
    job: Job,
    progress: Progress,
    game: u32,
    /// Bytes of that game that are written.
    written: usize,
}

impl Writer {
    pub(super) fn new(job: Job) -> Writer {
        let progress = job.progress();
        Writer { job, progress, game: 0, written: 0 }
    }
}

impl Pieces for Writer {
    type Error = JobError;

    /// Games one behind the other, with an empty line between two.
    async fn next(&mut self) -> Result<Option<Bytes>, JobError> {
        while (self.game as usize) < self.job.plan().games() {
            let text =
                self.job.annotated(self.game, self.progress.found).await?.unwrap_or_default();
            // A text that is longer than a piece is made again for the next one: only its place is
            // kept.
            let rest = text.as_bytes().get(self.written..).unwrap_or_default();
            if rest.len() > PIECE {
                self.written += PIECE;
                return Ok(Some(Bytes::copy_from_slice(&rest[..PIECE])));
            }
            self.game += 1;
            self.written = 0;
            if !rest.is_empty() {
                return Ok(Some([rest, b"\n".as_slice()].concat().into()));
            }
        }
        Ok(None)
    }
}
