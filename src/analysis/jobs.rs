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

mod bound;
mod entry;
mod error;
mod index;
mod plan;
mod review;
mod room;
mod runner;
mod service;
mod share;
mod submission;
#[cfg(test)]
mod tests;
mod upkeep;
mod walk;

pub use bound::jobs_bound;
pub use entry::{JobStatus, Progress};
pub use error::JobError;
pub use plan::Plan;
pub use review::{GamePage, Job, JobEvent, ReviewedMove};
pub use room::{Room, Scarce};
pub use service::{JobRules, Jobs, JobsStatus, Summary};
pub use submission::Submission;

pub use crate::store::jobs::{Asked, Fault, JobId, Played, Sheet};
