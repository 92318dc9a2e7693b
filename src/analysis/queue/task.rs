//! Tasks of the queue: blocking work for the workers, its submitter, and its place in the queue.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tracing::Span;

use super::clock;
use super::control::TaskControl;
use crate::analysis::answer::AnalysisError;
use crate::analysis::remote_search::RemoteSearch;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::engine::Report;

/// Whether a task runs, or why it never does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Admission {
    Admitted,
    Rejected(AnalysisError),
}

/// The blocking work of a task.
pub(in crate::analysis) trait TaskBody: Send {
    /// Does the work, or handles its rejection. Work that its control has ended for a restart
    /// returns the rest of the work.
    fn run(self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>>;
}

#[cfg(test)]
impl<F: FnOnce(Admission) + Send> TaskBody for F {
    fn run(self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>> {
        self(admission);
        None
    }
}

/// Where a task waits or runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::analysis) enum Location {
    /// On this node.
    #[default]
    Here,
    /// On another node, which has taken it.
    Lent,
    /// On another node, for requests of its own.
    Watched,
}

/// Work that another node may do in place of a worker.
pub(in crate::analysis) trait LendableBody: TaskBody {
    /// The search that another node may run.
    fn remote_search(&self) -> Option<&Arc<RemoteSearch>>;

    /// Another node has started it, at this location.
    fn start_remote(&mut self, location: Location);

    /// It waits at this location.
    fn set_location(&self, location: Location);

    /// The other node does not run it any more.
    fn return_here(&mut self);

    /// The report of the other node with the nodes and the time of earlier runs.
    fn total_of_remote(&mut self, report: Report) -> Report;

    /// The other node has finished an iteration.
    fn update_remote(&mut self, report: Report);

    /// The deepest iteration of the other node so far, as the result of a search that was stopped.
    fn latest_report(&self) -> Option<Report>;

    /// The work is done, with this result.
    fn finish_remote(self: Box<Self>, report: Report);
}

/// Blocking work with the tracing span of the request that submitted it.
pub(in crate::analysis) struct Task {
    span: Span,
    body: Body,
}

/// The work of a task.
enum Body {
    Local(Box<dyn TaskBody>),
    /// Other nodes may do it until it starts.
    Lendable(Box<dyn LendableBody>),
}

impl Task {
    /// A task in the caller's span.
    pub(in crate::analysis) fn new(body: impl TaskBody + 'static) -> Task {
        Task { span: Span::current(), body: Body::Local(Box::new(body)) }
    }

    /// A task in the caller's span that another node may run.
    pub(in crate::analysis) fn lendable(body: impl LendableBody + 'static) -> Task {
        Task { span: Span::current(), body: Body::Lendable(Box::new(body)) }
    }

    /// A task that another node has given up.
    pub(super) fn restored(span: Span, body: Box<dyn LendableBody>) -> Task {
        Task { span, body: Body::Lendable(body) }
    }

    /// The search that another node may run.
    pub(super) fn remote_search(&self) -> Option<&Arc<RemoteSearch>> {
        match &self.body {
            Body::Lendable(body) => body.remote_search(),
            Body::Local(_) => None,
        }
    }

    /// The parts of a task that another node runs.
    pub(super) fn into_lendable(self) -> Option<(Span, Box<dyn LendableBody>)> {
        match self.body {
            Body::Lendable(body) => Some((self.span, body)),
            Body::Local(_) => None,
        }
    }

    /// Runs or rejects the task. Returns the rest of a task that must be restarted.
    pub(in crate::analysis) fn run(self, admission: Admission) -> Option<Task> {
        let Task { span, body } = self;
        let body: Box<dyn TaskBody> = match body {
            Body::Local(body) => body,
            Body::Lendable(body) => body,
        };
        let rest = span.in_scope(|| body.run(admission));
        rest.map(|body| Task { span, body: Body::Local(body) })
    }
}

/// The client that submits a task, with the task's class and size.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Submitter {
    pub(in crate::analysis) client: Client,
    pub(in crate::analysis) class: PriorityClass,
    /// How many workers the task occupies: at least one, at most all.
    pub(in crate::analysis) workers: usize,
    /// The task is a search without a limit of its own, which gives way before others.
    pub(in crate::analysis) is_unlimited: bool,
}

/// A waiting task.
pub(in crate::analysis) struct QueuedTask {
    pub(super) submitter: Submitter,
    pub(super) control: Arc<TaskControl>,
    pub(super) queued_at: Instant,
    pub(super) work: QueuedWork,
    /// The client that pays for the task's place: the one for which it was put there. It may have
    /// left since.
    pub(super) payer: Client,
}

/// What a worker does when the task's turn comes.
pub(super) enum QueuedWork {
    /// Start the task.
    Start(Task),
    /// Start the task again, after a restart.
    Restart(Task),
    /// Let the paused run continue on its own thread.
    Continue,
}

impl QueuedTask {
    /// A task that is queued now.
    pub(super) fn new(
        submitter: Submitter,
        control: Arc<TaskControl>,
        work: QueuedWork,
    ) -> QueuedTask {
        let payer = submitter.client.clone();
        QueuedTask { submitter, control, queued_at: clock::now(), work, payer }
    }

    /// How many workers the task needs.
    pub(super) fn workers(&self) -> usize {
        self.submitter.workers
    }

    /// The client that submitted the task.
    pub(super) fn client(&self) -> &Client {
        &self.submitter.client
    }

    /// `true` for a task that has run already. Such a task has no part in the capacity of its
    /// class, and is never evicted.
    pub(super) fn has_run(&self) -> bool {
        !matches!(self.work, QueuedWork::Start(_))
    }

    /// `true` for a task that has run neither here nor on another node.
    pub(super) fn is_new(&self) -> bool {
        !self.has_run() && !self.control.has_come_back()
    }

    /// `true` for a task whose run is paused.
    pub(super) fn is_paused(&self) -> bool {
        matches!(self.work, QueuedWork::Continue)
    }

    /// Rejects a waiting task. A paused run continues, to end by its own flags.
    pub(super) fn reject(self, error: AnalysisError) {
        match self.work {
            QueuedWork::Start(task) | QueuedWork::Restart(task) => {
                task.run(Admission::Rejected(error));
            }
            QueuedWork::Continue => self.control.resume(),
        }
    }
}

/// A task that a worker runs.
pub(in crate::analysis) struct StartedTask {
    pub(in crate::analysis) control: Arc<TaskControl>,
    pub(in crate::analysis) task: Task,
}

/// The task that lost its place to a new one, if any.
#[must_use = "the evicted task must be rejected"]
pub(in crate::analysis) struct Evicted(pub(super) Option<(QueuedTask, AnalysisError)>);

impl Evicted {
    /// Rejects the evicted task.
    pub(in crate::analysis) fn reject(self) {
        if let Some((queued, error)) = self.0 {
            queued.reject(error);
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
