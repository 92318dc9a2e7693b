//! Reviews of games on disk, or in memory where nothing is to outlast the process: what was asked,
//! and what was found so far.
//!
//! A job is a number of games, and of each game the positions that are searched. The store knows of
//! both, and of nothing between them: positions have numbers in the order in which they are
//! searched, and what was found of them is kept from the first on without a gap.

mod file;
mod handle;
mod id;
mod record;
mod sheet;
#[cfg(test)]
mod tests;

pub use file::{JOBS_FILE, JobFile, Kept, MEMORY_BYTES, MOST_GONE, Refusal};
pub use id::JobId;
pub use record::{Asked, Ending, Finding, JobRecord, LONGEST_LINE, MOST_FINDING_BYTES};
pub use sheet::{Fault, Played, Sheet};
