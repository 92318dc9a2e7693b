//! A job as the service keeps it in mind, and how far it is.

use tokio::sync::watch;

use super::Schedule;
use crate::analysis::Client;
use crate::store::jobs::{JobEnd, JobId, JobRecord, PositionLimits, StoredJob};

/// How far a job is. What it says is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions of which something is found.
    pub positions_done: u64,
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
    pub const fn is_finished(self) -> bool {
        matches!(self, JobStatus::Done | JobStatus::Failed | JobStatus::Gone)
    }

    pub(super) const fn from_end(end: JobEnd) -> JobStatus {
        if end.failed { JobStatus::Failed } else { JobStatus::Done }
    }
}

/// A job. What it consists of is on disk.
#[derive(Debug)]
pub(super) struct JobEntry {
    pub(super) id: JobId,
    pub(super) client: Client,
    pub(super) limits: PositionLimits,
    pub(super) games: usize,
    pub(super) moves: u64,
    /// What all of it takes at most.
    pub(super) reserved_bytes: u64,
    pub(super) progress: watch::Sender<Progress>,
}

impl JobEntry {
    /// A job as it is kept.
    pub(super) fn new(stored: &StoredJob) -> JobEntry {
        let StoredJob { id, record, positions_done } = stored;
        let JobRecord { client, limits, end, reserved_bytes, plies, .. } = record;
        let schedule = Schedule::new(plies);
        let unfinished_status =
            if *positions_done > 0 { JobStatus::Running } else { JobStatus::Queued };
        let status = end.map_or(unfinished_status, JobStatus::from_end);
        JobEntry {
            id: *id,
            client: Client::new(client),
            limits: *limits,
            games: schedule.games(),
            moves: schedule.moves(),
            reserved_bytes: *reserved_bytes,
            progress: watch::Sender::new(Progress { positions_done: *positions_done, status }),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        *self.progress.borrow()
    }

    /// Notes another status, unless the job is over.
    pub(super) fn set_status(&self, status: JobStatus) {
        self.progress.send_if_modified(|progress| {
            let changes = !progress.status.is_finished() && progress.status != status;
            if changes {
                progress.status = status;
            }
            changes
        });
    }
}
