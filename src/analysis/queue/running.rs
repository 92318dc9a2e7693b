//! Tasks that run on the workers.

use std::sync::Arc;
use std::time::Instant;

use super::control::TaskControl;
use super::task::Submitter;

/// A task that runs.
pub(super) struct RunningTask {
    pub(super) submitter: Submitter,
    pub(super) control: Arc<TaskControl>,
    /// When the task started, or continued after its last pause.
    pub(super) slice_start: Instant,
    /// Its run ends within milliseconds, for a restart.
    pub(super) is_restarting: bool,
}

impl RunningTask {
    /// A task that starts or continues now.
    pub(super) fn new(submitter: Submitter, control: Arc<TaskControl>) -> RunningTask {
        RunningTask { submitter, control, slice_start: Instant::now(), is_restarting: false }
    }

    /// `true` for the task with this control.
    pub(super) fn is_of(&self, control: &TaskControl) -> bool {
        std::ptr::eq(&*self.control, control)
    }
}
