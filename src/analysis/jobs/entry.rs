//! The in-memory form of a job and its progress.

use tokio::sync::watch;

use super::schedule::Schedule;
use super::usage::Usage;
use crate::analysis::Client;
use crate::store::jobs::{JobEnd, JobId, JobRecord, PositionLimits};

/// The progress of a job, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of evaluated positions.
    pub positions_done: u64,
    /// The status.
    pub status: JobStatus,
}

/// The status of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobStatus {
    /// The job waits for its turn.
    Queued,
    /// The job has started. It may pause between two games while jobs of other clients run.
    Running,
    /// All games are reviewed.
    Done,
    /// The job ended with an internal error.
    Failed,
    /// The job was deleted, has expired, or was evicted.
    Gone,
}

impl JobStatus {
    /// The statuses of a job that still exists.
    pub const ALL: [JobStatus; 4] =
        [JobStatus::Queued, JobStatus::Running, JobStatus::Done, JobStatus::Failed];

    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            JobStatus::Queued => "queued",
            JobStatus::Running => "running",
            JobStatus::Done => "done",
            JobStatus::Failed => "failed",
            JobStatus::Gone => "cancelled",
        }
    }

    /// `true` when the progress no longer changes.
    pub const fn is_finished(self) -> bool {
        matches!(self, JobStatus::Done | JobStatus::Failed | JobStatus::Gone)
    }

    pub(super) const fn from_end(end: JobEnd) -> JobStatus {
        if end.failed { JobStatus::Failed } else { JobStatus::Done }
    }
}

/// A job in memory. Its games and evaluations are in the store.
#[derive(Debug)]
pub(super) struct JobEntry {
    pub(super) id: JobId,
    pub(super) client: Client,
    pub(super) limits: PositionLimits,
    pub(super) games: usize,
    pub(super) moves: u64,
    pub(super) positions: u64,
    /// Maximum stored size of the job with all its evaluations.
    pub(super) reserved_bytes: u64,
    pub(super) progress: watch::Sender<Progress>,
}

impl From<&JobRecord> for JobEntry {
    fn from(record: &JobRecord) -> JobEntry {
        let schedule = Schedule::new(&record.plies);
        let positions_done = record.positions_done;
        let unfinished_status =
            if positions_done > 0 { JobStatus::Running } else { JobStatus::Queued };
        let status = record.end.map_or(unfinished_status, JobStatus::from_end);
        JobEntry {
            id: record.id,
            client: Client::new(&record.client),
            limits: record.limits,
            games: schedule.games(),
            moves: schedule.moves(),
            positions: schedule.positions(),
            reserved_bytes: record.reserved_bytes,
            progress: watch::Sender::new(Progress { positions_done, status }),
        }
    }
}

impl JobEntry {
    pub(super) fn progress(&self) -> Progress {
        *self.progress.borrow()
    }

    /// The job's part of the usage.
    pub(super) fn usage(&self) -> Usage {
        Usage { jobs: 1, bytes: self.reserved_bytes }
    }

    /// Publishes more evaluated positions and a later status, unless the job is finished.
    pub(super) fn advance(&self, positions_done: u64, status: JobStatus) {
        self.progress.send_if_modified(|progress| {
            let is_queued = progress.status == JobStatus::Queued;
            let next = Progress {
                positions_done: progress.positions_done.max(positions_done.min(self.positions)),
                status: if is_queued || status.is_finished() { status } else { progress.status },
            };
            let changes = !progress.status.is_finished() && *progress != next;
            if changes {
                *progress = next;
            }
            changes
        });
    }

    /// Changes the status unless the job is finished.
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
