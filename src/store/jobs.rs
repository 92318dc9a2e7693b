//! Persistence of game-review jobs, on disk or in memory: the requests and the results so far.
//!
//! A job is a list of games and, for each game, the positions to search. The store knows nothing
//! of how the two relate. Positions are numbered in search order, and their evaluations are stored
//! without gaps.

mod game_record;
mod job_file;
mod job_record;
mod reopening_db;
#[cfg(test)]
mod tests;

pub use game_record::{GameError, GameRecord, ParsedGame};
pub use job_file::{
    AppendError, EncodedGame, JOBS_FILE, JobFile, MAX_TOMBSTONES, MEMORY_BYTES, NewJob,
};
pub use job_record::{
    JobEnd, JobId, JobRecord, MAX_EVAL_BYTES, MAX_PV_LEN, PositionEval, PositionLimits,
};
