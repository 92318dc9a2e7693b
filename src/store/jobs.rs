//! Reviews of games on disk, or in memory where nothing is to outlast the process: what was asked,
//! and what was found so far.
//!
//! A job is a number of games, and of each game the positions that are searched. The store knows of
//! both, and of nothing between them: positions have numbers in the order in which they are
//! searched, and what was found of them is kept from the first on without a gap.

mod game_record;
mod id;
mod job_file;
mod job_record;
mod reopening_db;
#[cfg(test)]
mod tests;

pub use game_record::{GameError, GameRecord, ParsedGame};
pub use id::JobId;
pub use job_file::{AppendError, JOBS_FILE, JobFile, MAX_TOMBSTONES, MEMORY_BYTES, StoredJob};
pub use job_record::{JobEnd, JobRecord, MAX_EVAL_BYTES, MAX_PV_LEN, PositionEval, PositionLimits};
