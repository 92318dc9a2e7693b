//! Reviews of a job, computed page by page from the stored evaluations.

use std::sync::Arc;

use tokio::sync::watch;

use super::entry::{JobEntry, Progress};
use super::error::JobError;
use super::schedule::{Schedule, ScheduledEvent};
use super::state::{Jobs, run_blocking};
use crate::analysis::review::{GameReview, MoveReview, PlayerReview, annotate};
use crate::chess::pgn::{PgnReader, write};
use crate::chess::{Color, Game, Position};
use crate::engine::TablebaseOptions;
use crate::openings::{self, Opening};
use crate::store::StoreError;
use crate::store::jobs::{GameRecord, JobId, JobRecord, ParsedGame, PositionEval};

/// Read access to a job.
#[derive(Clone)]
pub struct JobReader {
    jobs: Jobs,
    entry: Arc<JobEntry>,
    schedule: Arc<Schedule>,
}

/// A page of the review of a game.
#[derive(Clone, Debug)]
pub struct GamePage {
    /// The number of the game in the text, from 0.
    pub number: u32,
    /// The headers, the result, and the parsed game or its error.
    pub record: GameRecord,
    /// The named opening. Only the first page has it.
    pub opening: Option<Opening>,
    /// The reviews of White and Black, once the whole game is reviewed. Only the first page has
    /// them.
    pub players: Option<[PlayerReview; 2]>,
    /// Reviewed moves in game order.
    pub moves: Vec<ReviewedMove>,
    /// The first half-move of the next page; `None` on the last page.
    pub next_page_ply: Option<usize>,
}

/// A reviewed move.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position before the move.
    pub position: Position,
    /// The review.
    pub review: MoveReview,
}

/// An event of a job.
#[derive(Clone, Debug)]
pub enum JobEvent {
    /// A move is reviewed.
    Move {
        /// The number of the game in the text, from 0.
        game: u32,
        /// The move and its review.
        reviewed_move: Box<ReviewedMove>,
    },
    /// A whole game is reviewed, or cannot be. It follows the events of its moves.
    Game(Box<GamePage>),
}

impl JobReader {
    pub(super) fn new(jobs: Jobs, entry: Arc<JobEntry>, record: &JobRecord) -> JobReader {
        JobReader { jobs, entry, schedule: Arc::new(Schedule::new(&record.plies)) }
    }

    /// The id of the job.
    pub fn id(&self) -> JobId {
        self.entry.id
    }

    /// The games and positions of the job.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The current progress. It counts stored evaluations only.
    pub fn progress(&self) -> Progress {
        self.entry.progress()
    }

    /// A receiver of all progress changes.
    pub fn subscribe(&self) -> watch::Receiver<Progress> {
        self.entry.progress.subscribe()
    }

    /// Returns a page of game `number` as of `positions_done`: at most `max_moves` reviewed moves,
    /// starting with half-move `first_ply`. The first page also contains the reviews of the
    /// players.
    ///
    /// # Errors
    /// Fails when the job was removed and when it cannot be read.
    pub async fn page(
        &self,
        number: u32,
        positions_done: u64,
        first_ply: usize,
        max_moves: usize,
    ) -> Result<GamePage, JobError> {
        let job = self.clone();
        run_blocking(move || job.read_page(number, positions_done, first_ply, max_moves)).await
    }

    /// Returns events as of `positions_done`: at most `max_events` events of one game, starting
    /// with number `first_event`.
    ///
    /// # Errors
    /// As [`JobReader::page`].
    pub async fn events(
        &self,
        first_event: u64,
        positions_done: u64,
        max_events: u64,
    ) -> Result<Vec<JobEvent>, JobError> {
        let job = self.clone();
        run_blocking(move || job.read_events(first_event, positions_done, max_events)).await
    }

    /// Returns the PGN of game `number` as of `positions_done`: annotated once the whole game is
    /// reviewed, and without a review before. `None` for a game that cannot be parsed.
    ///
    /// # Errors
    /// As [`JobReader::page`].
    pub async fn annotated_pgn(
        &self,
        number: u32,
        positions_done: u64,
    ) -> Result<Option<String>, JobError> {
        // One text is parsed at a time.
        let Ok(permit) = self.jobs.parse_permit().acquire_owned().await else {
            return Err(JobError::ShuttingDown);
        };
        let job = self.clone();
        run_blocking(move || {
            let annotated = job.read_annotated_pgn(number, positions_done);
            drop(permit);
            annotated
        })
        .await
    }

    fn read_page(
        &self,
        number: u32,
        positions_done: u64,
        first_ply: usize,
        max_moves: usize,
    ) -> Result<GamePage, JobError> {
        let record = self.game_record(number)?;
        let Ok(parsed) = &record.parsed else {
            return Ok(GamePage {
                number,
                record,
                opening: None,
                players: None,
                moves: Vec::new(),
                next_page_ply: None,
            });
        };
        let reviewed = self.schedule.reviewed_moves(number, positions_done);
        let first = first_ply.max(reviewed.start);
        let end = reviewed.end.min(first.saturating_add(max_moves));
        let is_first_page = first_ply <= reviewed.start;
        let is_complete = reviewed.start == 1;
        let (players, moves) = if is_complete && is_first_page {
            let review = GameReview::new(
                parsed.start.turn(),
                self.move_reviews(number, parsed, 1, reviewed.end)?,
            );
            let players = Some([review.white, review.black]);
            (players, review.moves.into_iter().take(end.saturating_sub(1)).collect())
        } else {
            (None, self.move_reviews(number, parsed, first, end)?)
        };
        let moves = with_positions(parsed, moves);
        let opening = if is_first_page { opening(parsed) } else { None };
        let next = (end < reviewed.end).then_some(end);
        Ok(GamePage { number, record, opening, players, moves, next_page_ply: next })
    }

    fn read_events(
        &self,
        first_event: u64,
        positions_done: u64,
        max_events: u64,
    ) -> Result<Vec<JobEvent>, JobError> {
        let last = self
            .schedule
            .events_done(positions_done)
            .min(first_event.saturating_add(max_events).saturating_sub(1));
        match self.schedule.event(first_event).filter(|_| first_event <= last) {
            None => Ok(Vec::new()),
            Some(ScheduledEvent::Game { game }) => {
                Ok(vec![JobEvent::Game(Box::new(self.read_page(game, positions_done, 1, 0)?))])
            }
            Some(ScheduledEvent::Move { game, ply: newest }) => {
                // Move events run from the last move of a game to the first.
                let count =
                    usize::try_from(last - first_event + 1).unwrap_or(usize::MAX).min(newest);
                let Ok(parsed) = self.game_record(game)?.parsed else {
                    return Err(self.missing_error(game));
                };
                let reviews = self.move_reviews(game, &parsed, newest - count + 1, newest + 1)?;
                let moves = with_positions(&parsed, reviews).into_iter().rev();
                Ok(moves
                    .map(|reviewed_move| JobEvent::Move {
                        game,
                        reviewed_move: Box::new(reviewed_move),
                    })
                    .collect())
            }
        }
    }

    fn read_annotated_pgn(
        &self,
        number: u32,
        positions_done: u64,
    ) -> Result<Option<String>, JobError> {
        let Some(text) = self.jobs.book().text(self.entry.id, number)? else { return Ok(None) };
        let (Ok(parsed), Some(Ok(game))) =
            (self.game_record(number)?.parsed, PgnReader::new(&text).next())
        else {
            return Err(self.missing_error(number));
        };
        let reviewed = self.schedule.reviewed_moves(number, positions_done);
        if reviewed.start > 1 {
            return Ok(Some(write(&game)));
        }
        let review = GameReview::new(
            parsed.start.turn(),
            self.move_reviews(number, &parsed, 1, reviewed.end)?,
        );
        Ok(Some(write(&annotate(&game, &review))))
    }

    /// Reviews half-moves `first..end`, numbered from 1.
    fn move_reviews(
        &self,
        game: u32,
        parsed: &ParsedGame,
        first: usize,
        end: usize,
    ) -> Result<Vec<MoveReview>, JobError> {
        if first >= end {
            return Ok(Vec::new());
        }
        // The positions after the last and before the first of these moves.
        let (from, to) = (
            self.schedule.position_index(game, end - 1),
            self.schedule.position_index(game, first - 1),
        );
        let mut evals = self.jobs.book().evals(self.entry.id, from, to - from + 1)?;
        if evals.len() as u64 != to - from + 1 {
            return Err(self.missing_error(game));
        }
        evals.reverse();
        if !has_legal_lines(parsed, first, &evals) {
            let (id, lines) = (self.entry.id, "a line that is not legal");
            return Err(StoreError::Failed(format!("game {game} of job {id} has {lines}")).into());
        }
        let moves = parsed.moves.get(first - 1..end - 1).unwrap_or_default();
        let pairs = evals.windows(2).zip(moves).zip(first..);
        let reviews = pairs
            .map(|((pair, &mv), ply)| MoveReview::new(ply, mv, &pair[0], pair[1].score))
            .collect();
        Ok(match self.jobs.service().tablebase() {
            Some(tables) => correct_by_tablebase(parsed, reviews, &tables),
            None => reviews,
        })
    }

    fn game_record(&self, number: u32) -> Result<GameRecord, JobError> {
        self.jobs
            .book()
            .game_record(self.entry.id, number)?
            .ok_or_else(|| self.missing_error(number))
    }

    /// The error for missing data: the job was removed meanwhile, or the store is incomplete.
    fn missing_error(&self, game: u32) -> JobError {
        match self.jobs.book().job(self.entry.id) {
            Ok(None) => JobError::Gone,
            Ok(Some(_)) => {
                StoreError::Failed(format!("game {game} of job {} is incomplete", self.entry.id))
                    .into()
            }
            Err(error) => error.into(),
        }
    }
}

/// Adds to each review, in game order, the position before the move.
fn with_positions(parsed: &ParsedGame, reviews: Vec<MoveReview>) -> Vec<ReviewedMove> {
    let (mut position, mut remaining) = (parsed.start.clone(), (1..).zip(&parsed.moves).peekable());
    let with_position = |review: MoveReview| {
        while let Some((_, &mv)) = remaining.next_if(|(ply, _)| *ply < review.ply) {
            position.play(mv);
        }
        ReviewedMove { position: position.clone(), review }
    };
    reviews.into_iter().map(with_position).collect()
}

/// `true` if the lines of the positions from the one before half-move `first` on are legal there.
fn has_legal_lines(parsed: &ParsedGame, first: usize, evals: &[PositionEval]) -> bool {
    let mut position = parsed.start.clone();
    let (earlier, later) = parsed.moves.split_at((first - 1).min(parsed.moves.len()));
    earlier.iter().for_each(|&mv| position.play(mv));
    let mut later = later.iter();
    evals.iter().all(|eval| {
        let is_legal = position.is_legal_line(&eval.pv);
        later.next().into_iter().for_each(|&mv| position.play(mv));
        is_legal
    })
}

/// Corrects the reviews of moves that keep the outcome of their position by tablebase. Between a
/// mate and a win by tablebase, searches see a difference that is none.
fn correct_by_tablebase(
    parsed: &ParsedGame,
    reviews: Vec<MoveReview>,
    tables: &TablebaseOptions,
) -> Vec<MoveReview> {
    let correct = |ReviewedMove { position, review }: ReviewedMove| {
        let is_kept = review.assessment.has_loss() && tables.keeps_result(&position, review.mv);
        if is_kept { review.without_loss() } else { review }
    };
    with_positions(parsed, reviews).into_iter().map(correct).collect()
}

fn opening(parsed: &ParsedGame) -> Option<Opening> {
    let mut game = Game::new(parsed.start.clone());
    parsed.moves.iter().take(openings::MAX_PLIES).for_each(|&mv| game.play(mv));
    openings::find_by_game(&game)
}

impl GamePage {
    /// The review of a player, if the page has it.
    pub fn player(&self, color: Color) -> Option<&PlayerReview> {
        self.players.as_ref().map(|[white, black]| if color.is_white() { white } else { black })
    }
}
