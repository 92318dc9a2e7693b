//! Tasks of the queue: blocking work for the workers, its submitter, and its place in the queue.

use std::fmt;
use std::time::Instant;

use tracing::Span;

use crate::analysis::answer::AnalysisError;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;

/// Whether a task runs, or why it never does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Admission {
    Admitted,
    Rejected(AnalysisError),
}

/// The blocking work of a task.
pub(in crate::analysis) trait TaskBody: Send {
    /// Does the work, or handles its rejection.
    fn run(self: Box<Self>, admission: Admission);
}

#[cfg(test)]
impl<F: FnOnce(Admission) + Send> TaskBody for F {
    fn run(self: Box<Self>, admission: Admission) {
        self(admission);
    }
}

/// Blocking work with the tracing span of the request that submitted it.
pub(in crate::analysis) struct Task {
    span: Span,
    body: Box<dyn TaskBody>,
}

impl Task {
    /// A task in the caller's span.
    pub(in crate::analysis) fn new(body: impl TaskBody + 'static) -> Task {
        Task { span: Span::current(), body: Box::new(body) }
    }

    /// Runs or rejects the task.
    pub(in crate::analysis) fn run(self, admission: Admission) {
        let _entered = self.span.enter();
        self.body.run(admission);
    }
}

/// The client that submits a task, with the task's class and size.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Submitter {
    pub(in crate::analysis) client: Client,
    pub(in crate::analysis) class: PriorityClass,
    /// How many workers the task occupies: at least one, at most all.
    pub(in crate::analysis) workers: usize,
}

/// The position of a task in its class queue: the least tag runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartTag {
    /// The workers that the client's earlier tasks need, added up, from the virtual time on.
    pub(super) start: u64,
    pub(super) sequence: u64,
}

/// The place of a task in the queue, with which its submitter can remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct QueuePlace {
    pub(super) class: PriorityClass,
    pub(super) start_tag: StartTag,
}

impl QueuePlace {
    /// The class that the task waits in.
    pub(in crate::analysis) fn class(self) -> PriorityClass {
        self.class
    }
}

/// A client's waiting task.
pub(in crate::analysis) struct QueuedTask {
    pub(super) client: Client,
    pub(super) workers: usize,
    pub(super) queued_at: Instant,
    pub(in crate::analysis) task: Task,
}

impl QueuedTask {
    /// A task that is queued now and needs this many workers.
    pub(super) fn new(client: Client, workers: usize, task: Task) -> QueuedTask {
        QueuedTask { client, workers, queued_at: Instant::now(), task }
    }

    /// How many workers the task needs.
    pub(in crate::analysis) fn workers(&self) -> usize {
        self.workers
    }

    /// The client that submitted the task.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }
}

/// The task that lost its place to a new one, if any.
#[must_use = "the evicted task must be rejected"]
pub(in crate::analysis) struct Evicted(pub(super) Option<(Task, AnalysisError)>);

impl Evicted {
    /// Rejects the evicted task.
    pub(in crate::analysis) fn reject(self) {
        if let Some((task, error)) = self.0 {
            task.run(Admission::Rejected(error));
        }
    }
}

/// A task that the queue did not accept. Its submitter drops the task, after it has released the
/// locks that the drop may need.
pub(in crate::analysis) struct Refused {
    pub(in crate::analysis) error: AnalysisError,
    pub(in crate::analysis) task: Task,
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).finish_non_exhaustive()
    }
}
