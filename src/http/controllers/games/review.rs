//! A review as one JSON document, written piece by piece: however long it is, little of it is in
//! memory.

use axum::body::Bytes;

use super::reply::{JobReview, MoveReviewDto, ReviewedGame};
use crate::analysis::jobs::{Job, JobError, Progress};
use crate::http::stream::Pieces;

/// Moves of a piece: some 40 KB of text.
const MOVES_OF_A_PIECE: usize = 64;

/// Writes what is known now; what is found meanwhile is for the next one who asks.
pub(super) struct Writer {
    job: Job,
    progress: Progress,
    next: Next,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Next {
    Head,
    Game(u32),
    /// More moves of a game, from that one on.
    Moves(u32, usize),
    Nothing,
}

/// What the end of a list and of the object that it is the last member of take.
const CLOSING: &[u8] = b"]}";

impl Writer {
    pub(super) fn new(job: Job) -> Writer {
        let progress = job.progress();
        Writer { job, progress, next: Next::Head }
    }

    async fn piece(&mut self) -> Result<Option<Vec<u8>>, JobError> {
        let mut text = Vec::new();
        match self.next {
            Next::Nothing => return Ok(None),
            Next::Head => {
                text = opened(&JobReview::head(&self.job, self.progress))?;
                self.next = Next::Game(0);
                self.close_if_last(&mut text, 0);
            }
            Next::Game(number) => {
                let page = self.job.page(number, self.progress.found, 1, MOVES_OF_A_PIECE).await?;
                let next = page.next;
                text.extend_from_slice(if number > 0 { b"," } else { b"" });
                text.append(&mut opened(&ReviewedGame::from(page))?);
                self.go_on(&mut text, number, next);
            }
            Next::Moves(number, from) => {
                let page =
                    self.job.page(number, self.progress.found, from, MOVES_OF_A_PIECE).await?;
                for moved in &page.moves {
                    text.push(b',');
                    serde_json::to_writer(&mut text, &MoveReviewDto::from(moved))
                        .map_err(unwritten)?;
                }
                self.go_on(&mut text, number, page.next);
            }
        }
        Ok(Some(text))
    }

    fn go_on(&mut self, text: &mut Vec<u8>, number: u32, next: Option<usize>) {
        match next {
            Some(from) => self.next = Next::Moves(number, from),
            None => {
                text.extend_from_slice(CLOSING);
                self.next = Next::Game(number + 1);
                self.close_if_last(text, number + 1);
            }
        }
    }

    fn close_if_last(&mut self, text: &mut Vec<u8>, next: u32) {
        if next as usize >= self.job.plan().games() {
            text.extend_from_slice(CLOSING);
            self.next = Next::Nothing;
        }
    }
}

impl Pieces for Writer {
    type Error = JobError;

    async fn next(&mut self) -> Result<Option<Bytes>, JobError> {
        Ok(self.piece().await?.map(Bytes::from))
    }
}

/// An object whose last member is a list, without the end of both.
fn opened(object: &impl serde::Serialize) -> Result<Vec<u8>, JobError> {
    let mut text = serde_json::to_vec(object).map_err(unwritten)?;
    match text.ends_with(CLOSING) {
        true => text.truncate(text.len() - CLOSING.len()),
        false => return Err(JobError::Internal("a review does not end with a list".to_owned())),
    }
    Ok(text)
}

fn unwritten(error: serde_json::Error) -> JobError {
    JobError::Internal(error.to_string())
}
