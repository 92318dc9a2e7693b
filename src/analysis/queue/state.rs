//! The state of the queue: the tasks that wait and run, and which of them is next.

use std::sync::Arc;

use super::batch_waiters::BatchWaiters;
use super::class_queue::ClassQueue;
use super::control::{QueuePlace, TaskControl};
use super::running::RunningTask;
use super::task::{QueuedTask, Submitter};
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::engine::StopFlag;

/// A running speculative search. The worker ends it with
/// [`finish_speculation`](super::Queue::finish_speculation).
#[derive(Debug)]
pub(in crate::analysis) struct SpeculativeRun {
    pub(super) id: u64,
    /// Set when a task needs the worker.
    pub(in crate::analysis) stop: Arc<StopFlag>,
}

/// The tasks that wait and run.
pub(super) struct State {
    /// All workers, free and busy.
    pub(super) workers: usize,
    pub(super) interactive: ClassQueue,
    pub(super) batch: ClassQueue,
    pub(super) batch_waiters: BatchWaiters,
    /// How many interactive tasks have started in a row while batch tasks waited.
    pub(super) interactive_streak: usize,
    /// The workers that all waiting tasks need, added up.
    pub(super) wanted_workers: usize,
    /// Tasks that run.
    pub(super) running: Vec<RunningTask>,
    /// The workers of all tasks whose run is paused, added up.
    pub(super) paused_workers: usize,
    /// The thread that ends time slices waits for a blocked task.
    pub(super) is_slicer_idle: bool,
    /// Workers without a task, including those that search speculatively.
    pub(super) free_workers: usize,
    pub(super) speculative_runs: Vec<SpeculativeRun>,
    pub(super) next_run_id: u64,
    pub(super) closed: bool,
    /// Mean run time of a task in seconds, weighted to the latest; a guess before the first.
    pub(super) mean_task_seconds: f64,
}

/// After this many interactive tasks in a row a batch task runs.
const MAX_INTERACTIVE_STREAK: usize = 4;

/// The tasks at the head of the queue for which there are enough free workers, though no worker has
/// taken them yet.
#[derive(Default)]
pub(super) struct Runnable {
    interactive: ClassTally,
    batch: ClassTally,
    pub(super) workers: usize,
}

/// Tasks of one class.
#[derive(Clone, Copy, Default)]
struct ClassTally {
    tasks: usize,
    /// Those that have not run yet.
    new: usize,
}

impl Runnable {
    /// How many tasks these are.
    pub(super) fn tasks(&self) -> usize {
        self.interactive.tasks + self.batch.tasks
    }

    fn tally(&self, class: PriorityClass) -> ClassTally {
        match class {
            PriorityClass::Interactive => self.interactive,
            PriorityClass::Batch => self.batch,
        }
    }

    /// How many of them are of a class.
    pub(super) fn count(&self, class: PriorityClass) -> usize {
        self.tally(class).tasks
    }
}

impl State {
    /// The state of a queue whose workers are all free.
    pub(super) fn new(workers: usize) -> State {
        State {
            workers,
            interactive: ClassQueue::default(),
            batch: ClassQueue::default(),
            batch_waiters: BatchWaiters::default(),
            interactive_streak: 0,
            wanted_workers: 0,
            running: Vec::with_capacity(workers),
            paused_workers: 0,
            is_slicer_idle: false,
            free_workers: workers,
            speculative_runs: Vec::with_capacity(workers),
            next_run_id: 0,
            closed: false,
            mean_task_seconds: 1.0,
        }
    }

    pub(super) fn class_queue(&self, class: PriorityClass) -> &ClassQueue {
        match class {
            PriorityClass::Interactive => &self.interactive,
            PriorityClass::Batch => &self.batch,
        }
    }

    pub(super) fn class_queue_mut(&mut self, class: PriorityClass) -> &mut ClassQueue {
        match class {
            PriorityClass::Interactive => &mut self.interactive,
            PriorityClass::Batch => &mut self.batch,
        }
    }

    pub(super) fn length(&self) -> usize {
        self.interactive.len() + self.batch.len()
    }

    /// How many tasks of a class wait for their first worker.
    pub(super) fn waiting(&self, runnable: &Runnable, class: PriorityClass) -> usize {
        self.class_queue(class).new_tasks() - runnable.tally(class).new
    }

    /// Adds a waiting task.
    pub(super) fn enqueue(&mut self, queued: QueuedTask) {
        let (class, control) = (queued.submitter.class, queued.control.clone());
        self.wanted_workers += queued.workers();
        self.paused_workers += if queued.is_paused() { queued.workers() } else { 0 };
        let start_tag = self.class_queue_mut(class).push(queued);
        control.set_place(Some(QueuePlace { class, start_tag }));
    }

    /// Removes a waiting task that meets a condition.
    pub(super) fn remove_waiting(
        &mut self,
        control: &TaskControl,
        condition: impl FnOnce(&QueuedTask) -> bool,
    ) -> Option<QueuedTask> {
        let QueuePlace { class, start_tag } = control.place()?;
        let queue = self.class_queue_mut(class);
        if !queue.get(start_tag).is_some_and(condition) {
            return None;
        }
        let queued = queue.remove(start_tag)?;
        self.record_dequeue(&queued);
        Some(queued)
    }

    /// Removes the newest task of the client with the most waiting tasks, for a new one of
    /// `client`.
    pub(super) fn evict_newest(
        &mut self,
        class: PriorityClass,
        client: &Client,
    ) -> Option<QueuedTask> {
        let queued = self.class_queue_mut(class).evict_newest(client)?;
        self.record_dequeue(&queued);
        Some(queued)
    }

    fn record_dequeue(&mut self, queued: &QueuedTask) {
        queued.control.set_place(None);
        self.wanted_workers -= queued.workers();
        self.paused_workers -= if queued.is_paused() { queued.workers() } else { 0 };
    }

    pub(super) fn running_mut(&mut self, control: &TaskControl) -> Option<&mut RunningTask> {
        self.running.iter_mut().find(|running| running.is_of(control))
    }

    pub(super) fn remove_running(&mut self, control: &TaskControl) -> Option<RunningTask> {
        let index = self.running.iter().position(|running| running.is_of(control))?;
        Some(self.running.swap_remove(index))
    }

    /// Frees the workers of a task that has run, and counts its time.
    pub(super) fn release(&mut self, running: &RunningTask) {
        let Submitter { client, class, workers, .. } = &running.submitter;
        self.free_workers += workers;
        self.class_queue_mut(*class).charge(client, *workers, running.slice_start.elapsed());
    }

    /// How many waiting tasks have run already.
    pub(super) fn tasks_that_have_run(&self) -> usize {
        self.length() - self.interactive.new_tasks() - self.batch.new_tasks()
    }

    /// `true` if a task waits for which there are not enough free workers.
    pub(super) fn is_blocked(&self) -> bool {
        self.length() > self.runnable().tasks()
    }

    pub(super) fn runnable(&self) -> Runnable {
        let mut runnable = Runnable::default();
        if self.length() == 0 {
            return runnable;
        }
        let (mut interactive, mut batch) =
            (self.interactive.tasks().peekable(), self.batch.tasks().peekable());
        let mut batch_workers = self.workers_of_class(PriorityClass::Batch);
        let mut streak = self.interactive_streak;
        while let Some(class) = next_class(
            interactive.peek().copied(),
            batch.peek().copied().map(|queued| (queued, batch_workers)),
            streak,
            self.workers,
        ) {
            let queued = match class {
                PriorityClass::Interactive => interactive.next(),
                PriorityClass::Batch => batch.next(),
            };
            let Some(queued) = queued else { break };
            if runnable.workers + queued.workers() > self.free_workers {
                break;
            }
            let tally = match class {
                PriorityClass::Interactive => &mut runnable.interactive,
                PriorityClass::Batch => {
                    batch_workers += queued.workers();
                    &mut runnable.batch
                }
            };
            tally.tasks += 1;
            tally.new += usize::from(!queued.has_run());
            runnable.workers += queued.workers();
            streak = streak_after(class, batch.peek().is_some(), streak);
        }
        runnable
    }

    /// The workers of all running tasks of a class, added up.
    fn workers_of_class(&self, class: PriorityClass) -> usize {
        let of_class = self.running.iter().filter(|running| running.submitter.class == class);
        of_class.map(|running| running.submitter.workers).sum()
    }

    /// The class and the task that run next, once there are enough free workers.
    pub(super) fn next_task(&self) -> Option<(PriorityClass, &QueuedTask)> {
        let (interactive, batch) = (self.interactive.tasks().next(), self.batch.tasks().next());
        let with_workers =
            batch.map(|queued| (queued, self.workers_of_class(PriorityClass::Batch)));
        let class = next_class(interactive, with_workers, self.interactive_streak, self.workers)?;
        let queued = match class {
            PriorityClass::Interactive => interactive,
            PriorityClass::Batch => batch,
        };
        queued.map(|queued| (class, queued))
    }

    /// Registers a speculative search of a free worker.
    pub(super) fn start_speculation(&mut self) -> SpeculativeRun {
        let run = SpeculativeRun { id: self.next_run_id, stop: Arc::default() };
        self.next_run_id += 1;
        self.speculative_runs.push(SpeculativeRun { id: run.id, stop: run.stop.clone() });
        run
    }

    /// Stops enough speculative searches to cover the workers that runnable tasks need and idle
    /// workers cannot supply.
    pub(super) fn preempt_speculation(&mut self) {
        if self.speculative_runs.is_empty() {
            return;
        }
        let wanted = self.runnable().workers;
        let active = self.speculative_runs.iter().filter(|run| !run.stop.is_stopped());
        let idle_workers = self.free_workers.saturating_sub(active.clone().count());
        active.take(wanted.saturating_sub(idle_workers)).for_each(|run| run.stop.stop());
    }

    /// Takes the next task if enough workers are free for it, and registers it as running.
    pub(super) fn take_task(&mut self) -> Option<QueuedTask> {
        let (class, head) = self.next_task()?;
        if head.workers() > self.free_workers {
            return None;
        }
        let tag = head.control.place()?.start_tag;
        let queued = self.class_queue_mut(class).pop(tag)?;
        self.interactive_streak =
            streak_after(class, self.batch.len() > 0, self.interactive_streak);
        self.record_dequeue(&queued);
        self.free_workers -= queued.workers();
        self.running.push(RunningTask::new(queued.submitter.clone(), queued.control.clone()));
        Some(queued)
    }
}

/// The class of the next task, given the first task of each class, the number of workers that tasks
/// of the batch class hold, and the number of all workers.
///
/// While an interactive task of another client waits, batch tasks hold at most all workers but one.
fn next_class(
    interactive: Option<&QueuedTask>,
    batch: Option<(&QueuedTask, usize)>,
    streak: usize,
    workers: usize,
) -> Option<PriorityClass> {
    match (interactive, batch) {
        (None, None) => None,
        (Some(_), None) => Some(PriorityClass::Interactive),
        (None, Some(_)) => Some(PriorityClass::Batch),
        (Some(interactive), Some((batch, batch_workers))) => {
            let leaves_one_worker = workers == 1
                || interactive.client() == batch.client()
                || batch_workers + batch.workers() < workers;
            Some(if streak >= MAX_INTERACTIVE_STREAK && leaves_one_worker {
                PriorityClass::Batch
            } else {
                PriorityClass::Interactive
            })
        }
    }
}

fn streak_after(class: PriorityClass, batch_waits: bool, streak: usize) -> usize {
    if class == PriorityClass::Interactive && batch_waits { streak + 1 } else { 0 }
}
