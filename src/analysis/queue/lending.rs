//! Tasks that another node runs. They keep no worker of this one busy.

use std::sync::Arc;
use std::time::Duration;

use super::control::{StartTag, TaskControl};
use super::running::RunningTask;
use super::task::{LendableBody, Location, QueuedTask, QueuedWork, Submitter, Task};
use super::{Queue, clock};
use crate::analysis::answer::AnalysisError;
use crate::analysis::remote_search::RemoteSearch;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::{CLIENT_SHARES, Client, client_share};
use crate::engine::Report;

/// A task that another node runs.
pub(in crate::analysis) struct LentTask {
    control: Arc<TaskControl>,
    submitter: Submitter,
    /// Its place before it was lent; `None` if it has had none.
    tag: Option<StartTag>,
    payer: Client,
    /// Whether the other node has taken it, or runs it for requests of its own.
    location: Location,
    is_started: bool,
    span: tracing::Span,
    body: Box<dyn LendableBody>,
}

impl LentTask {
    /// Publishes that the search has started.
    pub(in crate::analysis) fn start(&mut self) {
        self.is_started = true;
        let LentTask { location, span, body, .. } = self;
        span.in_scope(|| body.start_remote(*location));
    }

    /// `true` after [`LentTask::start`].
    pub(in crate::analysis) fn is_started(&self) -> bool {
        self.is_started
    }

    /// Publishes a finished iteration.
    pub(in crate::analysis) fn update(&mut self, report: Report) {
        let LentTask { span, body, .. } = self;
        span.in_scope(|| body.update_remote(report));
    }

    /// The deepest iteration so far, as the result of a search that was stopped.
    pub(in crate::analysis) fn latest_report(&self) -> Option<Report> {
        self.body.latest_report()
    }
}

impl Queue {
    /// Waiting tasks of a class that have not started and that another node may run, in about the
    /// order of their turns: at most so many, each of which has waited for so long. They count as
    /// offered.
    pub(in crate::analysis) fn offer_tasks(
        &self,
        class: PriorityClass,
        count: usize,
        min_wait: Duration,
    ) -> Vec<(Arc<TaskControl>, Arc<RemoteSearch>)> {
        if count == 0 {
            return Vec::new();
        }
        let state = self.lock();
        let waiting = state.class_queue(class).new_in_order();
        let offered = waiting.filter_map(|queued| {
            let QueuedWork::Start(task) = &queued.work else { return None };
            let search = task.remote_search()?;
            let has_waited = clock::elapsed_since(queued.queued_at) >= min_wait;
            (has_waited && queued.control.offer()).then(|| (queued.control.clone(), search.clone()))
        });
        offered.take(count).collect()
    }

    /// Takes a waiting task out for another node, unless it has started or was removed.
    pub(in crate::analysis) fn lend(&self, control: &TaskControl) -> Option<LentTask> {
        let mut state = self.lock();
        let tag = control.place()?.start_tag;
        let is_lendable = |queued: &QueuedTask| match &queued.work {
            QueuedWork::Start(task) => task.remote_search().is_some(),
            _ => false,
        };
        let queued = state.remove_waiting(control, is_lendable)?;
        let stats = self.class_stats(queued.submitter.class);
        stats.waits.record(clock::elapsed_since(queued.queued_at));
        let location = Location::Lent;
        state.running.push(RunningTask::lent(&queued.submitter, &queued.control, location));
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
        let QueuedTask { submitter, control, work, payer, .. } = queued;
        let QueuedWork::Start(task) = work else { return None };
        let (span, body) = task.into_lendable()?;
        let tag = Some(tag);
        Some(LentTask { control, submitter, tag, payer, location, is_started: false, span, body })
    }

    /// `true` if another node may run one more task of this client for requests of its own. Such
    /// tasks have a bound and shares of their own: if their nodes are lost, they come back.
    pub(in crate::analysis) fn may_watch(&self, client: &Client) -> bool {
        let state = self.lock();
        let watched = state.running.iter().filter(|task| task.location == Location::Watched);
        let of_client = watched.clone().filter(|task| task.submitter.client == *client).count();
        let free = self.capacity.saturating_sub(watched.count());
        free > 0 && of_client < client_share(free, CLIENT_SHARES).max(1)
    }

    /// Adds a task that another node runs already for requests of its own.
    ///
    /// # Errors
    /// A closed queue, which gives the task back.
    pub(in crate::analysis) fn push_lent(
        &self,
        submitter: Submitter,
        control: &Arc<TaskControl>,
        body: Box<dyn LendableBody>,
    ) -> Result<LentTask, Box<dyn LendableBody>> {
        let mut state = self.lock();
        if state.closed {
            return Err(body);
        }
        let location = Location::Watched;
        body.set_location(location);
        state.running.push(RunningTask::lent(&submitter, control, location));
        self.publish_change(&mut state);
        Ok(LentTask {
            control: control.clone(),
            payer: submitter.client.clone(),
            submitter,
            tag: None,
            location,
            is_started: false,
            span: tracing::Span::current(),
            body,
        })
    }

    /// Ends a task with the report of the node that has run it.
    pub(in crate::analysis) fn finish_lent(&self, lent: LentTask, report: Report) {
        let LentTask { control, span, body, .. } = lent;
        span.in_scope(|| body.finish_remote(report));
        let mut state = self.lock();
        drop(state.remove_running(&control));
        self.publish_change(&mut state);
    }

    /// Puts a task back at its old place, if it has had one, because no other node runs it any
    /// more.
    pub(in crate::analysis) fn give_back(&self, lent: LentTask) {
        let LentTask { control, submitter, tag, payer, is_started, span, body, .. } = lent;
        let mut state = self.lock();
        let Some(running) = state.remove_running(&control) else { return };
        control.give_back(is_started);
        body.set_location(Location::Here);
        // Its class and its client may have changed meanwhile.
        let (class, workers) = (submitter.class, submitter.workers);
        let submitter = Submitter { workers, ..running.submitter };
        let has_place = submitter.class == class;
        let work = QueuedWork::Start(Task::restored(span, body));
        let queued_at = clock::now();
        let queued = QueuedTask { submitter, control: control.clone(), queued_at, work, payer };
        if state.closed || control.is_stopped() {
            let is_closed = state.closed;
            self.publish_change(&mut state);
            drop(state);
            if is_closed {
                queued.reject(AnalysisError::shutting_down());
            }
            return;
        }
        match tag.filter(|_| has_place) {
            Some(tag) => state.put_back(queued, tag),
            None => state.enqueue(queued),
        }
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
    }

    /// `true` while a worker is free and no task waits.
    pub(in crate::analysis) fn has_free_worker(&self) -> bool {
        let state = self.lock();
        state.free_workers > 0 && state.length() == 0 && !state.closed
    }

    /// Resolves when a worker is free and no task waits.
    pub(in crate::analysis) async fn worker_is_free(&self) {
        let mut load = self.watch_load();
        while !self.has_free_worker() {
            // The sender lives as long as the queue.
            let _ = load.changed().await;
        }
    }

    /// `true` once the queue takes no more tasks.
    pub(in crate::analysis) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// `true` if a task of this class waits.
    pub(in crate::analysis) fn has_waiting(&self) -> bool {
        let state = self.lock();
        [PriorityClass::Interactive, PriorityClass::Batch]
            .into_iter()
            .any(|class| state.class_queue(class).new_tasks() > 0)
    }
}
