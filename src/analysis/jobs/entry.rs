//! A job as the service keeps it in mind, and how far it is.

use tokio::sync::watch;

use super::Plan;
use crate::analysis::Client;
use crate::store::jobs::{Asked, Ending, JobId, JobRecord, Kept};

/// How far a job is. What it says is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions of which something is found.
    pub found: u64,
    /// Whether anything is done about the rest.
    pub status: JobStatus,
}

/// Whether anything is done about a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobStatus {
    /// It waits for its turn.
    Queued,
    /// It is under way; with more jobs than there are places it may wait between two of its games.
    Running,
    /// All games are reviewed.
    Done,
    /// A fault of ours has ended it.
    Failed,
    /// It is gone: deleted, or expired.
    Gone,
}

impl JobStatus {
    /// The statuses of a job that is there.
    pub const ALL: [JobStatus; 4] =
        [JobStatus::Queued, JobStatus::Running, JobStatus::Done, JobStatus::Failed];

    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            JobStatus::Queued => "queued",
            JobStatus::Running => "running",
            JobStatus::Done => "done",
            JobStatus::Failed => "failed",
            JobStatus::Gone => "cancelled",
        }
    }

    /// `true` when nothing more comes.
    pub const fn is_over(self) -> bool {
        matches!(self, JobStatus::Done | JobStatus::Failed | JobStatus::Gone)
    }

    pub(super) const fn of(ending: Ending) -> JobStatus {
        if ending.failed { JobStatus::Failed } else { JobStatus::Done }
    }
}

/// A job. What it consists of is on disk.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: JobId,
    pub(super) client: Client,
    pub(super) asked: Asked,
    pub(super) games: usize,
    pub(super) moves: u64,
    /// What all of it takes at most.
    pub(super) bytes: u64,
    pub(super) progress: watch::Sender<Progress>,
}

impl Entry {
    /// A job as it is kept.
    pub(super) fn new(kept: &Kept) -> Entry {
        let Kept { id, record, found } = kept;
        let JobRecord { client, asked, ending, bytes, plies, .. } = record;
        let plan = Plan::new(plies);
        let waiting = if *found > 0 { JobStatus::Running } else { JobStatus::Queued };
        let status = ending.map_or(waiting, JobStatus::of);
        Entry {
            id: *id,
            client: Client::new(client),
            asked: *asked,
            games: plan.games(),
            moves: plan.moves(),
            bytes: *bytes,
            progress: watch::Sender::new(Progress { found: *found, status }),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        *self.progress.borrow()
    }

    /// Notes another status, unless the job is over.
    pub(super) fn becomes(&self, status: JobStatus) {
        self.progress.send_if_modified(|progress| {
            let changes = !progress.status.is_over() && progress.status != status;
            if changes {
                progress.status = status;
            }
            changes
        });
    }
}
