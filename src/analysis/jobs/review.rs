//! What is said of a job: page by page, from what is kept of it.

use std::sync::Arc;

use tokio::sync::watch;

use super::entry::{Entry, Progress};
use super::plan::Event;
use super::service::{Jobs, Summary, blocking};
use super::{JobError, Plan};
use crate::analysis::review::{Evaluation, GameReview, MoveReview, PlayerReview, annotate};
use crate::chess::pgn::{PgnReader, write};
use crate::chess::{Color, Game, Position};
use crate::openings::{self, Opening};
use crate::store::StoreError;
use crate::store::jobs::{Finding, JobId, JobRecord, Played, Sheet};

/// Half-moves within which a game's opening is looked for: no name is given to a longer line.
const OPENING_PLIES: usize = 60;

/// A job, to read from.
#[derive(Clone)]
pub struct Job {
    jobs: Jobs,
    entry: Arc<Entry>,
    plan: Arc<Plan>,
}

/// A game of a job.
#[derive(Clone, Debug)]
pub struct GamePage {
    /// Which game of the text, from 0.
    pub number: u32,
    /// What was played, or why it cannot be read.
    pub sheet: Sheet,
    /// Its opening, where that has a name.
    pub opening: Option<Opening>,
    /// How White and Black played, once the whole game is reviewed.
    pub players: Option<[PlayerReview; 2]>,
    /// Moves that are reviewed, in their order.
    pub moves: Vec<ReviewedMove>,
    /// The move that the next page begins with, if there is one.
    pub next: Option<usize>,
}

/// A move that is reviewed.
#[derive(Clone, Debug)]
pub struct ReviewedMove {
    /// The position that it was played in.
    pub before: Position,
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
        moved: Box<ReviewedMove>,
    },
    /// A game is, all its moves having been told; or it cannot be.
    Game(Box<GamePage>),
}

impl Job {
    pub(super) fn new(jobs: Jobs, entry: Arc<Entry>, record: &JobRecord) -> Job {
        Job { jobs, entry, plan: Arc::new(Plan::new(&record.plies)) }
    }

    /// Its name.
    pub fn id(&self) -> JobId {
        self.entry.id
    }

    /// Of what it consists.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What it was answered with when it was given, as of now.
    pub fn summary(&self) -> Summary {
        let Entry { id, games, moves, .. } = *self.entry;
        Summary { id, games, moves, status: self.progress().status }
    }

    /// How far it is; what this says is on disk.
    pub fn progress(&self) -> Progress {
        self.entry.progress()
    }

    /// Hears of every change.
    pub fn follow(&self) -> watch::Receiver<Progress> {
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
        found: u64,
        from: usize,
        most: usize,
    ) -> Result<GamePage, JobError> {
        let job = self.clone();
        blocking(move || job.read_page(number, found, from, most)).await
    }

    /// What happened, from the event of that number on: so many events at most, of one game, of
    /// those that there have been once so many positions are `found`.
    ///
    /// # Errors
    /// As [`Job::page`].
    pub async fn events(
        &self,
        from: u64,
        found: u64,
        most: u64,
    ) -> Result<Vec<JobEvent>, JobError> {
        let job = self.clone();
        blocking(move || job.read_events(from, found, most)).await
    }

    /// The annotated text of a game that is reviewed once so many positions are `found`; of another
    /// one the text as it was given; `None` of one that cannot be read.
    ///
    /// # Errors
    /// As [`Job::page`].
    pub async fn annotated(&self, number: u32, found: u64) -> Result<Option<String>, JobError> {
        // Texts are read one at a time.
        let Ok(turn) = self.jobs.reading().acquire_owned().await else {
            return Err(JobError::ShuttingDown);
        };
        let job = self.clone();
        blocking(move || {
            let annotated = job.read_annotated(number, found);
            drop(turn);
            annotated
        })
        .await
    }

    fn read_page(
        &self,
        number: u32,
        found: u64,
        from: usize,
        most: usize,
    ) -> Result<GamePage, JobError> {
        let sheet = self.sheet(number)?;
        let Ok(played) = &sheet.read else {
            return Ok(GamePage {
                number,
                sheet,
                opening: None,
                players: None,
                moves: Vec::new(),
                next: None,
            });
        };
        let reviewed = self.plan.reviewed(number, found);
        let (first, end) = (
            from.max(reviewed.start),
            reviewed.end.min(from.max(reviewed.start).saturating_add(most)),
        );
        let is_first_page = from <= reviewed.start;
        let is_whole = reviewed.start == 1;
        let (players, moves) = if is_whole && is_first_page {
            let review = GameReview::new(
                played.start.turn(),
                self.reviews(number, played, 1, reviewed.end)?,
            );
            let players = Some([review.white, review.black]);
            (players, review.moves.into_iter().take(end.saturating_sub(1)).collect())
        } else {
            (None, self.reviews(number, played, first, end)?)
        };
        let moves = where_played(played, moves);
        let opening = if is_first_page { opening(played) } else { None };
        let next = (end < reviewed.end).then_some(end);
        Ok(GamePage { number, sheet, opening, players, moves, next })
    }

    fn read_events(&self, from: u64, found: u64, most: u64) -> Result<Vec<JobEvent>, JobError> {
        let last = self.plan.events_done(found).min(from.saturating_add(most).saturating_sub(1));
        match self.plan.event(from).filter(|_| from <= last) {
            None => Ok(Vec::new()),
            Some(Event::Game { game }) => {
                Ok(vec![JobEvent::Game(Box::new(self.read_page(game, found, 1, 0)?))])
            }
            Some(Event::Move { game, ply: newest }) => {
                // Moves are told from the last one back.
                let count = usize::try_from(last - from + 1).unwrap_or(usize::MAX).min(newest);
                let Ok(played) = self.sheet(game)?.read else { return Err(self.missing(game)) };
                let reviews = self.reviews(game, &played, newest - count + 1, newest + 1)?;
                let moves = where_played(&played, reviews).into_iter().rev();
                Ok(moves.map(|moved| JobEvent::Move { game, moved: Box::new(moved) }).collect())
            }
        }
    }

    fn read_annotated(&self, number: u32, found: u64) -> Result<Option<String>, JobError> {
        let Some(text) = self.jobs.file().text(self.entry.id, number)? else { return Ok(None) };
        let (Ok(played), Some(Ok(game))) = (self.sheet(number)?.read, PgnReader::new(&text).next())
        else {
            return Err(self.missing(number));
        };
        let reviewed = self.plan.reviewed(number, found);
        if reviewed.start > 1 {
            return Ok(Some(write(&game)));
        }
        let review =
            GameReview::new(played.start.turn(), self.reviews(number, &played, 1, reviewed.end)?);
        Ok(Some(write(&annotate(&game, &review))))
    }

    /// What is said of the moves from one to before another, numbers from 1.
    fn reviews(
        &self,
        game: u32,
        played: &Played,
        first: usize,
        end: usize,
    ) -> Result<Vec<MoveReview>, JobError> {
        if first >= end {
            return Ok(Vec::new());
        }
        // The positions after the last of them and before the first.
        let (from, to) = (self.plan.number(game, end - 1), self.plan.number(game, first - 1));
        let mut findings = self.jobs.file().findings(self.entry.id, from, to - from + 1)?;
        if findings.len() as u64 != to - from + 1 {
            return Err(self.missing(game));
        }
        findings.reverse();
        let moves = played.moves.get(first - 1..end - 1).unwrap_or_default();
        let pairs = findings.windows(2).zip(moves).zip(first..);
        Ok(pairs
            .map(|((pair, &mv), ply)| MoveReview::new(ply, mv, evaluation(&pair[0]), pair[1].score))
            .collect())
    }

    fn sheet(&self, number: u32) -> Result<Sheet, JobError> {
        self.jobs.file().sheet(self.entry.id, number)?.ok_or_else(|| self.missing(number))
    }

    /// Why something is not there: the job has gone meanwhile, or what is kept of it is not whole.
    fn missing(&self, game: u32) -> JobError {
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
fn where_played(played: &Played, reviews: Vec<MoveReview>) -> Vec<ReviewedMove> {
    let (mut position, mut rest) = (played.start.clone(), (1..).zip(&played.moves).peekable());
    let with_position = |review: MoveReview| {
        while let Some((_, &mv)) = rest.next_if(|(ply, _)| *ply < review.ply) {
            position.play(mv);
        }
        ReviewedMove { before: position.clone(), review }
    };
    reviews.into_iter().map(with_position).collect()
}

fn evaluation(finding: &Finding) -> Evaluation {
    Evaluation { score: finding.score, line: finding.line.clone() }
}

fn opening(played: &Played) -> Option<Opening> {
    let mut game = Game::new(played.start.clone());
    played.moves.iter().take(OPENING_PLIES).for_each(|&mv| game.play(mv));
    openings::of_game(&game)
}

impl GamePage {
    /// What is said of a player, once the whole game is reviewed.
    pub fn player(&self, color: Color) -> Option<&PlayerReview> {
        self.players.as_ref().map(|[white, black]| if color.is_white() { white } else { black })
    }
}
