//! Tasks that another node runs. They keep no worker of this one busy.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::control::{StartTag, TaskControl};
use super::running::RunningTask;
use super::task::{LendableBody, QueuedTask, QueuedWork, Submitter, Task};
use super::{Queue, clock};
use crate::analysis::answer::AnalysisError;
use crate::analysis::remote_search::RemoteSearch;
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::engine::Report;

/// A task that another node runs.
pub(in crate::analysis) struct LentTask {
    control: Arc<TaskControl>,
    submitter: Submitter,
    /// Its place before it was lent; `None` if it has had none.
    tag: Option<StartTag>,
    queued_at: Instant,
    payer: Client,
    is_started: bool,
    span: tracing::Span,
    body: Box<dyn LendableBody>,
}

impl LentTask {
    /// Publishes that the search has started.
    pub(in crate::analysis) fn start(&mut self) {
        self.is_started = true;
        let LentTask { span, body, .. } = self;
        span.in_scope(|| body.start_remote());
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
        state.running.push(RunningTask::lent(&queued.submitter, queued.control.clone()));
        state.preempt_speculation();
        self.publish_change(&mut state);
        drop(state);
        self.work_available.notify_one();
        let QueuedTask { submitter, control, queued_at, work, payer } = queued;
        let QueuedWork::Start(task) = work else { return None };
        let (span, body) = task.into_lendable()?;
        let tag = Some(tag);
        Some(LentTask { control, submitter, tag, queued_at, payer, is_started: false, span, body })
    }

    /// Adds a task that another node runs already.
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
        let (payer, queued_at) = (submitter.client.clone(), clock::now());
        state.running.push(RunningTask::lent(&submitter, control.clone()));
        self.publish_change(&mut state);
        let (control, span) = (control.clone(), tracing::Span::current());
        Ok(LentTask {
            control,
            submitter,
            tag: None,
            queued_at,
            payer,
            is_started: false,
            span,
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

    /// Puts a task back at its old place, if it has had one, because no other node runs it any more.
    pub(in crate::analysis) fn give_back(&self, lent: LentTask) {
        let LentTask { control, submitter, tag, queued_at, payer, is_started, span, body } = lent;
        let mut state = self.lock();
        let Some(running) = state.remove_running(&control) else { return };
        control.give_back(is_started);
        // Its class and its client may have changed meanwhile.
        let (class, workers) = (submitter.class, submitter.workers);
        let submitter = Submitter { workers, ..running.submitter };
        let has_place = submitter.class == class;
        let work = QueuedWork::Start(Task::restored(span, body));
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
