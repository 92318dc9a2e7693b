//! The stored jobs behind an interface: those of one server, or those that the nodes of a cluster
//! share.
//!
//! A shared book has a log of changes, from which each node keeps its index of all jobs. A node
//! that runs a job has claimed it. The claim has a fencing number, so that a node which lost the
//! claim without knowing it cannot write any more.

use std::fmt;
use std::time::Duration;

use super::game_record::{GameRecord, ParsedGame};
use super::job_record::{JobEnd, JobId, JobRecord, PositionEval};
use crate::chess::Game;
use crate::store::error::StoreError;

/// Maximum number of tombstones. An older deleted job is reported as never submitted.
pub const MAX_TOMBSTONES: usize = 50_000;

/// The stored jobs. All methods block.
pub trait JobBook: fmt::Debug + Send + Sync + 'static {
    /// `true` when other nodes read and change the jobs, too.
    fn is_shared(&self) -> bool;

    /// Size on disk in bytes; 0 in memory, and when the jobs are on another machine.
    fn disk_bytes(&self) -> u64;

    /// The time of the store's clock, in milliseconds since 1970. All nodes have the same.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn now_ms(&self) -> Result<u64, StoreError>;

    /// Returns all jobs and tombstones. A job that cannot be decoded is logged and left out.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn snapshot(&self) -> Result<Snapshot, StoreError>;

    /// Returns the changes after a position of the log, and waits at most `wait` for the first. A
    /// book that is not shared has no log and never calls this.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn changes(&self, since: LogPosition, wait: Duration) -> Result<Changes, StoreError>;

    /// Returns the request digest and the job that are stored under an idempotency key.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn find_by_idempotency_key(
        &self,
        key: &[u8; 32],
    ) -> Result<Option<([u8; 32], JobId)>, StoreError>;

    /// Returns a job; `None` when there is no such job.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn job(&self, id: JobId) -> Result<Option<JobRecord>, StoreError>;

    /// Returns the record of a game; `None` when there is no such game.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn game_record(&self, id: JobId, number: u32) -> Result<Option<GameRecord>, StoreError>;

    /// Returns the PGN text of a game; `None` for a game that cannot be parsed.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn text(&self, id: JobId, number: u32) -> Result<Option<String>, StoreError>;

    /// Returns up to `count` evaluations of a job, starting with position `first`.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn evals(&self, id: JobId, first: u64, count: u64) -> Result<Vec<PositionEval>, StoreError>;

    /// Stores the games of a job that will be inserted, if they are too large for one write. The
    /// store removes them if the job is not inserted within a minute.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    fn upload_games(&self, job: &NewJob<'_>) -> Result<(), StoreError>;

    /// Writes a new job and removes the `evicted` ones: all of it or, on an error, nothing. When
    /// this returns, the change is durable. [`JobBook::upload_games`] comes before.
    ///
    /// # Errors
    /// [`InsertError::Stale`] when the set of jobs has changed since `as_of`, and otherwise when
    /// the store cannot be written.
    fn insert(
        &self,
        job: &NewJob<'_>,
        evicted: &[JobId],
        as_of: LogPosition,
    ) -> Result<(), InsertError>;

    /// Claims an unfinished job for this node; `None` when another node runs it, and when it has
    /// ended or was removed.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    fn claim(&self, id: JobId) -> Result<Option<Claim>, StoreError>;

    /// Extends a claim by [`CLAIM_LIFETIME`].
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    fn renew(&self, claim: Claim) -> Result<(), StoreError>;

    /// Gives a claim up, so that another node may run the job at once.
    ///
    /// # Errors
    /// Fails when the store cannot be written. The claim then ends by itself.
    fn release(&self, claim: Claim) -> Result<(), StoreError>;

    /// Returns those of the jobs that no node runs.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    fn unclaimed(&self, ids: &[JobId]) -> Result<Vec<JobId>, StoreError>;

    /// Writes evaluations of a claimed job from position `first` on, and the end of the job when it
    /// has ended: all of it or, on an error, nothing. When this returns, the change is durable. A
    /// repeated write changes nothing.
    ///
    /// # Errors
    /// [`AppendError::Gone`] when the job was removed, [`AppendError::ClaimLost`] when another node
    /// has claimed it since, and otherwise when the store cannot be written.
    fn append(
        &self,
        claim: Claim,
        first: u64,
        evals: &[PositionEval],
        end: Option<JobEnd>,
    ) -> Result<(), AppendError>;

    /// Removes jobs and leaves tombstones. When this returns, the change is durable.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    fn remove(&self, ids: &[JobId]) -> Result<(), StoreError>;

    /// Checks that the store accepts writes.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    fn check_writable(&self) -> Result<(), StoreError>;

    /// Returns a game with all its moves.
    ///
    /// # Errors
    /// Fails when there is no such game, when it has no moves to review, and when the store cannot
    /// be read now.
    fn game(&self, id: JobId, number: u32) -> Result<Game, StoreError> {
        let record = self.game_record(id, number)?;
        let Some(Ok(ParsedGame { start, moves })) = record.map(|record| record.parsed) else {
            return Err(StoreError::Failed(format!("game {number} of job {id} is missing")));
        };
        let mut game = Game::new(start);
        moves.into_iter().for_each(|mv| game.play(mv));
        Ok(game)
    }
}

/// How long a node has a claim without renewing it. Then another node may claim the job.
pub const CLAIM_LIFETIME: Duration = Duration::from_secs(8);

/// A new job with its games.
#[derive(Debug)]
pub struct NewJob<'a> {
    /// The job.
    pub record: &'a JobRecord,
    /// Digest of the request, stored under the job's idempotency key.
    pub request_digest: [u8; 32],
    /// The games, in the order of the text.
    pub games: Vec<EncodedGame<'a>>,
}

/// A game of a new job.
#[derive(Clone, Copy, Debug)]
pub struct EncodedGame<'a> {
    /// The encoded [`GameRecord`].
    pub record: &'a [u8],
    /// The PGN text; `None` for a game that cannot be parsed.
    pub text: Option<&'a str>,
}

/// The right of a node to run a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub id: JobId,
    /// The fencing number: each claim of a job has a higher one than those before.
    pub fence: u64,
}

/// A position in the log of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition {
    /// Number of changes to the set of jobs: added, ended and removed ones.
    pub version: u64,
    /// Number of other entries since the last such change.
    pub sequence: u64,
}

/// All jobs at a position of the log, or with some later changes.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The position in the log.
    pub position: LogPosition,
    /// The jobs, in no particular order.
    pub jobs: Vec<JobRecord>,
    /// The ids of removed jobs, the oldest first.
    pub tombstones: Vec<JobId>,
}

/// The changes after a position of the log.
#[derive(Clone, Debug)]
pub enum Changes {
    /// The next entries, without a gap.
    Next(Vec<LogEntry>),
    /// The log no longer has the next entry. Only a snapshot tells what has changed.
    Lost,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its position.
    pub position: LogPosition,
    /// The change; `None` for one that this version does not know, or that later ones undo.
    pub change: Option<JobChange>,
}

/// A change to the jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// A new job.
    Added(Box<JobRecord>),
    /// A node runs the job, and has evaluated so many positions.
    Running {
        /// The job.
        id: JobId,
        /// Number of evaluated positions.
        positions_done: u64,
    },
    /// The node that ran the job has given it up.
    Released(JobId),
    /// The job has ended.
    Ended {
        /// The job.
        id: JobId,
        /// Number of evaluated positions.
        positions_done: u64,
        /// Its end.
        end: JobEnd,
    },
    /// The job was removed.
    Removed(JobId),
}

/// The reason why a job was not inserted.
#[derive(Debug, thiserror::Error)]
pub enum InsertError {
    /// The set of jobs has changed since.
    #[error("the set of jobs has changed")]
    Stale,
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why evaluations were not written.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The job was removed.
    #[error("the job was removed")]
    Gone,
    /// Another node runs the job.
    #[error("another node has claimed the job")]
    ClaimLost,
    /// The store cannot be written. The caller may retry later.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LogPosition {
    /// `true` when an entry at `next` follows one at this position without a gap.
    pub fn is_followed_by(self, next: LogPosition) -> bool {
        let LogPosition { version, sequence } = self;
        next == LogPosition { version, sequence: sequence + 1 }
            || next == LogPosition { version: version + 1, sequence: 0 }
    }
}
