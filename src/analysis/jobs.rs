//! Reviews of games as durable jobs: text in, and what is said of each move by and by.
//!
//! [`Jobs::submit`] keeps a job before it answers; what is found of its positions is kept before it
//! is shown. So a job outlasts the process, and goes on where it was when the next one starts.
//! Positions are searched as everybody's are: they wait in the lane of batches for their turn as
//! their client's, are answered from memory where it knows enough, and are remembered.
//!
//! - [`Plan`]: of which positions a job consists, in which order, and what its events are;
//! - `submission`, `index`: what is taken, who is next;
//! - `room`, `share`: how much there may be, of whom, and who has to go;
//! - `runner`, `walk`: the work on one job;
//! - `review`: what is said of what was found;
//! - `upkeep`: what is done though nobody asks.

mod entry;
mod error;
mod index;
mod maintenance;
mod memory_bound;
mod positions;
mod quota;
mod reader;
mod runner;
mod schedule;
mod service;
mod submission;
#[cfg(test)]
mod tests;
mod usage;

pub use entry::{JobStatus, Progress};
pub use error::JobError;
pub use memory_bound::jobs_memory_bound;
pub use reader::{GamePage, JobEvent, JobReader, ReviewedMove};
pub use schedule::Schedule;
pub use service::{JobRules, JobSummary, Jobs, JobsStatus};
pub use submission::Submission;
pub use usage::{Shortage, Usage};

pub use crate::store::jobs::{GameError, GameRecord, JobId, ParsedGame, PositionLimits};
