//! Persistence of game-review jobs: the requests and the results so far.
//!
//! Other layers use it through [`JobBook`]. A [`JobFile`] keeps the jobs of one server, on disk or
//! in memory.
//!
//! A job is a list of games and, for each game, the positions to search. The store knows nothing
//! of how the two relate. Positions are numbered in search order, and their evaluations are stored
//! without gaps.

mod game_record;
mod job_book;
mod job_file;
mod job_record;
mod reopening_db;
#[cfg(test)]
mod tests;

pub use game_record::{GameError, GameRecord, ParsedGame};
pub use job_book::{
    AppendError, CLAIM_LIFETIME, Changes, Claim, EncodedGame, InsertError, JobBook, JobChange,
    LogEntry, LogPosition, MAX_TOMBSTONES, NewJob, Snapshot,
};
pub use job_file::{JOBS_FILE, JobFile, MEMORY_BYTES};
pub use job_record::{
    JobEnd, JobId, JobRecord, MAX_EVAL_BYTES, MAX_PV_LEN, PositionEval, PositionLimits,
};
