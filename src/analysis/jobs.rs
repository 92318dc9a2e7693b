//! Durable game-review jobs: PGN in, a review of each move out.
//!
//! [`Jobs::submit`] stores a job before it answers, and evaluations are stored before they are
//! shown. A job therefore survives the process and resumes when the next one starts. Its positions
//! are searched like batch requests of its client: they wait in the queue, use the evaluation
//! cache, and add to it.
//!
//! - [`Schedule`]: the positions and events of a job in their order;
//! - `submission`: parsing of the submitted text;
//! - `index`, `usage`: all known jobs, the order of their turns, limits and eviction;
//! - `state`: what the tasks of the service share;
//! - `log`: the changes that other nodes make;
//! - `runner`, `positions`: the execution of one job;
//! - `reader`: reviews from the stored evaluations;
//! - `maintenance`: expiry, and write probes while the disk fails;
//! - `service`: the use cases.

mod entry;
mod error;
mod index;
mod log;
mod maintenance;
mod positions;
mod reader;
mod runner;
mod schedule;
mod service;
mod state;
mod submission;
#[cfg(test)]
mod tests;
mod usage;

pub use entry::{JobStatus, Progress};
pub use error::JobError;
pub use reader::{GamePage, JobEvent, JobReader, ReviewedMove};
pub use schedule::Schedule;
pub use state::{JobRules, Jobs, JobsStatus};
pub use submission::Submission;
pub use usage::{ExceededLimit, Usage, jobs_memory_bound};

pub use crate::store::jobs::{GameError, GameRecord, JobId, ParsedGame, PositionLimits};
