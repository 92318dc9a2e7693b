//! Tasks that another node runs. They keep no worker of this one busy.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use super::control::{StartTag, TaskControl};
use super::running::RunningTask;
use super::state::State;
use super::task::{LendableBody, Location, QueuedTask, QueuedWork, Submitter, Task};
use super::{Queue, clock};
use crate::analysis::answer::AnalysisError;
use crate::analysis::remote_search::RemoteSearch;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::{CLIENT_SHARES, Client, client_share};
use crate::engine::Report;

/// A task that another node runs.
pub(in crate::analysis) struct RemoteTask {
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

impl RemoteTask {
    /// Publishes that the search has started.
    pub(in crate::analysis) fn start(&mut self) {
        self.is_started = true;
        let RemoteTask { location, span, body, .. } = self;
        span.in_scope(|| body.start_remote(*location));
    }

    /// `true` after [`RemoteTask::start`].
    pub(in crate::analysis) fn is_started(&self) -> bool {
        self.is_started
    }

    /// Publishes a finished iteration.
    pub(in crate::analysis) fn update(&mut self, report: Report) {
        if !self.is_started {
            // The message of the start was lost.
            self.start();
        }
        let RemoteTask { span, body, .. } = self;
        span.in_scope(|| body.update_remote(report));
    }

    /// The report of the present run with the nodes and the time of all runs.
    pub(in crate::analysis) fn total(&mut self, report: Report) -> Report {
        self.body.total_of_remote(report)
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

    /// Takes a waiting task out for another node, unless it has started or was removed, or other
    /// nodes run as many tasks as may wait here: all of them may come back.
    pub(in crate::analysis) fn lend(&self, control: &TaskControl) -> Option<RemoteTask> {
        let mut state = self.lock();
        if state.running_elsewhere().count() >= self.capacity {
            return None;
        }
        let tag = control.place()?.start_tag;
        let is_lendable = |queued: &QueuedTask| match &queued.work {
            QueuedWork::Start(task) => task.remote_search().is_some(),
            _ => false,
        };
        let queued = state.remove_waiting(control, is_lendable)?;
        if queued.is_new() {
            let stats = self.class_stats(queued.submitter.class);
            stats.waits.record(clock::elapsed_since(queued.queued_at));
        }
        // One that has come back from a node pauses.
        queued.control.resume();
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
        Some(RemoteTask { control, submitter, tag, payer, location, is_started: false, span, body })
    }

    /// `true` if another node may run one more task of this client for requests of its own. Such
    /// tasks have a bound and shares of their own: if their nodes are lost, they come back.
    pub(in crate::analysis) fn may_watch(&self, client: &Client) -> bool {
        let state = self.lock();
        let watched = state.running.iter().filter(|task| task.location == Location::Watched);
        let of_client = watched.filter(|task| task.submitter.client == *client).count();
        let free = self.capacity.saturating_sub(state.running_elsewhere().count());
        free > 0 && of_client < client_share(free, CLIENT_SHARES).max(1)
    }

    /// Adds a task that another node runs already for requests of its own.
    ///
    /// # Errors
    /// A closed queue, which gives the task back.
    pub(in crate::analysis) fn push_remote(
        &self,
        submitter: Submitter,
        control: &Arc<TaskControl>,
        body: Box<dyn LendableBody>,
    ) -> Result<RemoteTask, Box<dyn LendableBody>> {
        let location = Location::Watched;
        body.set_location(location);
        let mut state = self.lock();
        if state.closed {
            return Err(body);
        }
        state.running.push(RunningTask::lent(&submitter, control, location));
        self.publish_change(&mut state);
        Ok(RemoteTask {
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

    /// Ends a task with its result, which is stored: that may wait for the disk.
    pub(in crate::analysis) fn finish_remote_task(&self, remote: RemoteTask, report: Report) {
        let RemoteTask { control, span, body, .. } = remote;
        // It ends also if the result cannot be published.
        let _end = EndOnDrop { queue: self, control };
        span.in_scope(|| body.finish_remote(report));
    }

    /// Puts a task back at its old place, if it has had one, because no other node runs it any
    /// more.
    pub(in crate::analysis) fn give_back(&self, mut remote: RemoteTask) {
        remote.body.return_here();
        self.put_back(self.lock(), remote);
    }

    /// Gives a task that has not started to a free worker. Returns the task if no worker is free,
    /// or another task waits for it.
    pub(in crate::analysis) fn give_to_free_worker(
        &self,
        mut remote: RemoteTask,
    ) -> Option<RemoteTask> {
        let location = remote.location;
        remote.body.return_here();
        let state = self.lock();
        if state.has_free_worker() {
            self.put_back(state, remote);
            return None;
        }
        drop(state);
        remote.body.set_location(location);
        Some(remote)
    }

    fn put_back(&self, mut state: MutexGuard<'_, State>, remote: RemoteTask) {
        let RemoteTask { control, submitter, tag, payer, is_started, span, body, .. } = remote;
        let Some(running) = state.remove_running(&control) else { return };
        control.give_back(is_started);
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
}

/// The end of a task that another node has run.
struct EndOnDrop<'a> {
    queue: &'a Queue,
    control: Arc<TaskControl>,
}

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        drop(state.remove_running(&self.control));
        self.queue.publish_change(&mut state);
    }
}
