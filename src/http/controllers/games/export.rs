//! Chunked bodies of a review: the JSON document and the annotated PGN.

use axum::body::Bytes;

use super::response::{JobReview, MoveReviewDto, ReviewedGame};
use crate::analysis::jobs::{JobError, JobReader, Progress};
use crate::http::dto::Pov;
use crate::http::stream::ChunkSource;

/// The maximum number of moves in a chunk, about 40 KB of text.
const MOVES_PER_CHUNK: usize = 64;

/// Writes the JSON document with the results at the time of the request. Later results are not
/// included.
pub(super) struct ReviewWriter {
    job: JobReader,
    pov: Pov,
    progress: Progress,
    cursor: Cursor,
}

/// The next part of the document.
#[derive(Clone, Copy, Debug)]
enum Cursor {
    Head,
    Game(u32),
    /// The moves of a game from this index on.
    Moves(u32, usize),
    Done,
}

/// The end of a list that is the last member of its object.
const CLOSING: &[u8] = b"]}";

impl ReviewWriter {
    /// Writes the scores of the moves from this point of view.
    pub(super) fn new(job: JobReader, pov: Pov) -> ReviewWriter {
        let progress = job.progress();
        ReviewWriter { job, pov, progress, cursor: Cursor::Head }
    }

    async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, JobError> {
        let mut text = Vec::new();
        match self.cursor {
            Cursor::Done => return Ok(None),
            Cursor::Head => {
                text = serialize_unclosed(&JobReview::head(&self.job, self.progress))?;
                self.cursor = Cursor::Game(0);
                self.close_if_last(&mut text, 0);
            }
            Cursor::Game(number) => {
                let page =
                    self.job.page(number, self.progress.positions_done, 1, MOVES_PER_CHUNK).await?;
                let next = page.next_page_ply;
                text.extend_from_slice(if number > 0 { b"," } else { b"" });
                text.append(&mut serialize_unclosed(&ReviewedGame::new(page, self.pov))?);
                self.advance(&mut text, number, next);
            }
            Cursor::Moves(number, from) => {
                let page = self
                    .job
                    .page(number, self.progress.positions_done, from, MOVES_PER_CHUNK)
                    .await?;
                for reviewed_move in &page.moves {
                    text.push(b',');
                    serde_json::to_writer(&mut text, &MoveReviewDto::new(reviewed_move, self.pov))
                        .map_err(serialization_error)?;
                }
                self.advance(&mut text, number, page.next_page_ply);
            }
        }
        Ok(Some(text))
    }

    fn advance(&mut self, text: &mut Vec<u8>, number: u32, next: Option<usize>) {
        match next {
            Some(from) => self.cursor = Cursor::Moves(number, from),
            None => {
                text.extend_from_slice(CLOSING);
                self.cursor = Cursor::Game(number + 1);
                self.close_if_last(text, number + 1);
            }
        }
    }

    fn close_if_last(&mut self, text: &mut Vec<u8>, next: u32) {
        if next as usize >= self.job.schedule().games() {
            text.extend_from_slice(CLOSING);
            self.cursor = Cursor::Done;
        }
    }
}

impl ChunkSource for ReviewWriter {
    type Error = JobError;

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, JobError> {
        Ok(self.next_chunk().await?.map(Bytes::from))
    }
}

/// Serializes an object whose last member is a list, without the closing brackets of both.
fn serialize_unclosed(object: &impl serde::Serialize) -> Result<Vec<u8>, JobError> {
    let mut text = serde_json::to_vec(object).map_err(serialization_error)?;
    match text.ends_with(CLOSING) {
        true => text.truncate(text.len() - CLOSING.len()),
        false => {
            return Err(JobError::Internal(
                "the serialized review does not end with a list".to_owned(),
            ));
        }
    }
    Ok(text)
}

fn serialization_error(error: serde_json::Error) -> JobError {
    JobError::Internal(error.to_string())
}

/// The maximum length of a PGN chunk in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Writes the annotated PGN with the results at the time of the request.
pub(super) struct PgnWriter {
    job: JobReader,
    progress: Progress,
    game_index: u32,
    /// The number of written bytes of the current game.
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

    /// Writes the games with an empty line between them.
    async fn next_chunk(&mut self) -> Result<Option<Bytes>, JobError> {
        while (self.game_index as usize) < self.job.schedule().games() {
            let text = self
                .job
                .annotated_pgn(self.game_index, self.progress.positions_done)
                .await?
                .unwrap_or_default();
            // A text that exceeds a chunk is built again for each chunk. Only the offset is kept.
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
