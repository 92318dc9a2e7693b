//! What is said of a job: page by page, from what is kept of it.

use std::sync::Arc;

use tokio::sync::watch;

use super::entry::{JobEntry, Progress};
use super::schedule::ScheduledEvent;
use super::service::{JobSummary, Jobs, run_blocking};
use super::{JobError, Schedule};
use crate::analysis::review::{Evaluation, GameReview, MoveReview, PlayerReview, annotate};
use crate::chess::pgn::{PgnReader, write};
use crate::chess::{Color, Game, Position};
use crate::openings::{self, Opening};
use crate::store::StoreError;
use crate::store::jobs::{GameRecord, JobId, JobRecord, ParsedGame, PositionEval};

/// Half-moves within which a game's opening is looked for: no name is given to a longer line.
const OPENING_PLIES: usize = 60;

/// A job, to read from.
#[derive(Clone)]
pub struct JobReader {
    jobs: Jobs,
    entry: Arc<JobEntry>,
    schedule: Arc<Schedule>,
}

/// A game of a job.
#[derive(Clone, Debug)]
pub struct GamePage {
    /// Which game of the text, from 0.
    pub number: u32,
    /// What was played, or why it cannot be read.
    pub record: GameRecord,
    /// Its opening, where that has a name.
    pub opening: Option<Opening>,
    /// How White and Black played, once the whole game is reviewed.
    pub players: Option<[PlayerReview; 2]>,
    /// Moves that are reviewed, in their order.
    pub moves: Vec<ReviewedMove>,
    /// The move that the next page begins with, if there is one.
    pub next_page_ply: Option<usize>,
}

/// A move that is reviewed.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position that it was played in.
    pub position: Position,
    /// What is said of it.
    pub review: MoveReview,
}

/// Something that has happened to a job.
#[derive(Clone, Debug)]
pub enum JobEvent {
    /// A move is reviewed.
    Move {
        /// Which game of the text, from 0.
        game: u32,
        /// The move.
        reviewed_move: Box<ReviewedMove>,
    },
    /// A game is, all its moves having been told; or it cannot be.
    Game(Box<GamePage>),
}

impl JobReader {
    pub(super) fn new(jobs: Jobs, entry: Arc<JobEntry>, record: &JobRecord) -> JobReader {
        JobReader { jobs, entry, schedule: Arc::new(Schedule::new(&record.plies)) }
    }

    /// Its name.
    pub fn id(&self) -> JobId {
        self.entry.id
    }

    /// Of what it consists.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What it was answered with when it was given, as of now.
    pub fn summary(&self) -> JobSummary {
        let JobEntry { id, games, moves, .. } = *self.entry;
        JobSummary { id, games, moves, status: self.progress().status }
    }

    /// How far it is; what this says is on disk.
    pub fn progress(&self) -> Progress {
        self.entry.progress()
    }

    /// Hears of every change.
    pub fn subscribe(&self) -> watch::Receiver<Progress> {
        self.entry.progress.subscribe()
    }

    /// A game, with so many of its moves at most: those that are reviewed once so many positions
    /// are `found`, the move `from` the first. How the players played is told with the first page.
    ///
    /// # Errors
    /// When the job is gone by now, or cannot be read.
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

    /// What happened, from the event of that number on: so many events at most, of one game, of
    /// those that there have been once so many positions are `found`.
    ///
    /// # Errors
    /// As [`Job::page`].
    pub async fn events(
        &self,
        first_event: u64,
        positions_done: u64,
        max_events: u64,
    ) -> Result<Vec<JobEvent>, JobError> {
        let job = self.clone();
        run_blocking(move || job.read_events(first_event, positions_done, max_events)).await
    }

    /// The annotated text of a game that is reviewed once so many positions are `found`; of another
    /// one the text as it was given; `None` of one that cannot be read.
    ///
    /// # Errors
    /// As [`Job::page`].
    pub async fn annotated_pgn(
        &self,
        number: u32,
        positions_done: u64,
    ) -> Result<Option<String>, JobError> {
        // Texts are read one at a time.
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
        let (first, end) = (
            first_ply.max(reviewed.start),
            reviewed.end.min(first_ply.max(reviewed.start).saturating_add(max_moves)),
        );
        let is_first_page = first_ply <= reviewed.start;
        let is_whole = reviewed.start == 1;
        let (players, moves) = if is_whole && is_first_page {
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
                // Moves are told from the last one back.
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
        let Some(text) = self.jobs.file().text(self.entry.id, number)? else { return Ok(None) };
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

    /// What is said of the moves from one to before another, numbers from 1.
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
        // The positions after the last of them and before the first.
        let (from, to) = (
            self.schedule.position_index(game, end - 1),
            self.schedule.position_index(game, first - 1),
        );
        let mut evals = self.jobs.file().evals(self.entry.id, from, to - from + 1)?;
        if evals.len() as u64 != to - from + 1 {
            return Err(self.missing_error(game));
        }
        evals.reverse();
        let moves = parsed.moves.get(first - 1..end - 1).unwrap_or_default();
        let pairs = evals.windows(2).zip(moves).zip(first..);
        Ok(pairs
            .map(|((pair, &mv), ply)| MoveReview::new(ply, mv, evaluation(&pair[0]), pair[1].score))
            .collect())
    }

    fn game_record(&self, number: u32) -> Result<GameRecord, JobError> {
        self.jobs
            .file()
            .game_record(self.entry.id, number)?
            .ok_or_else(|| self.missing_error(number))
    }

    /// Why something is not there: the job has gone meanwhile, or what is kept of it is not whole.
    fn missing_error(&self, game: u32) -> JobError {
        match self.jobs.file().job(self.entry.id) {
            Ok(None) => JobError::Gone,
            Ok(Some(_)) => {
                StoreError::Failed(format!("game {game} of job {} is not whole", self.entry.id))
                    .into()
            }
            Err(error) => error.into(),
        }
    }
}

/// Moves of a game in their order, each with the position that it was played in.
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

fn evaluation(eval: &PositionEval) -> Evaluation {
    Evaluation { score: eval.score, pv: eval.pv.clone() }
}

fn opening(parsed: &ParsedGame) -> Option<Opening> {
    let mut game = Game::new(parsed.start.clone());
    parsed.moves.iter().take(OPENING_PLIES).for_each(|&mv| game.play(mv));
    openings::find_by_game(&game)
}

impl GamePage {
    /// What is said of a player, once the whole game is reviewed.
    pub fn player(&self, color: Color) -> Option<&PlayerReview> {
        self.players.as_ref().map(|[white, black]| if color.is_white() { white } else { black })
    }
}
