//! The state of the queue: the tasks that wait and run.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::batch_waiters::BatchWaiters;
use super::class_queue::ClassQueue;
use super::clock;
use super::control::{QueuePlace, StartTag, TaskControl};
use super::running::RunningTask;
use super::task::{Location, QueuedTask, Submitter};
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;
use crate::engine::StopFlag;

/// After this many slices, a batch task that needs all workers runs before interactive ones. Such
/// tasks together get one slice in ten, however many interactive tasks there are.
pub(super) const MAX_BATCH_WAIT_SLICES: u32 = 10;

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
    /// How many tasks of each class may wait.
    pub(super) capacity: usize,
    pub(super) interactive: ClassQueue,
    pub(super) batch: ClassQueue,
    pub(super) batch_waiters: BatchWaiters,
    /// The clients that submitted the waiting tasks, with the number of these tasks.
    pub(super) waiting_clients: HashMap<Client, usize>,
    /// How many interactive tasks have started in a row while batch tasks waited.
    pub(super) interactive_streak: usize,
    /// How long a batch task that needs all workers gives precedence to interactive ones.
    pub(super) max_batch_wait: Duration,
    /// When a batch task last took all workers.
    pub(super) last_full_batch: Option<Instant>,
    /// The workers that all waiting tasks need, added up.
    pub(super) wanted_workers: usize,
    /// Tasks that run.
    pub(super) running: Vec<RunningTask>,
    /// The workers of all tasks whose run is paused, added up.
    pub(super) paused_workers: usize,
    /// The task for which others have given way, until it runs.
    pub(super) prepared_task: Option<Arc<TaskControl>>,
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

impl State {
    /// The state of a queue whose workers are all free, with slices of this length.
    pub(super) fn new(workers: usize, capacity: usize, slice: Duration) -> State {
        State {
            workers,
            capacity,
            interactive: ClassQueue::new(slice),
            batch: ClassQueue::new(slice),
            batch_waiters: BatchWaiters::default(),
            waiting_clients: HashMap::new(),
            interactive_streak: 0,
            max_batch_wait: MAX_BATCH_WAIT_SLICES * slice,
            last_full_batch: None,
            wanted_workers: 0,
            running: Vec::with_capacity(workers),
            paused_workers: 0,
            prepared_task: None,
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

    /// The tasks that other nodes run.
    pub(super) fn running_elsewhere(&self) -> impl Iterator<Item = &RunningTask> {
        self.running.iter().filter(|task| task.location != Location::Here)
    }

    /// `true` while a worker is free and no task waits.
    pub(super) fn has_free_worker(&self) -> bool {
        self.free_workers > 0 && self.length() == 0 && !self.closed
    }

    /// Adds a waiting task.
    pub(super) fn enqueue(&mut self, queued: QueuedTask) {
        let (class, control) = (queued.submitter.class, queued.control.clone());
        self.record_enqueue(&queued);
        let start_tag = self.class_queue_mut(class).push(queued);
        control.set_place(Some(QueuePlace { class, start_tag }));
    }

    /// Puts a task that has not run back at its old place.
    pub(super) fn put_back(&mut self, queued: QueuedTask, start_tag: StartTag) {
        let (class, control) = (queued.submitter.class, queued.control.clone());
        self.record_enqueue(&queued);
        self.class_queue_mut(class).put_back(queued, start_tag);
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

    /// `true` for a waiting task that runs earlier in this class as a task of this client: it has
    /// an earlier start, or the same and fewer workers.
    pub(super) fn is_earlier_for(
        &self,
        control: &TaskControl,
        class: PriorityClass,
        client: &Client,
    ) -> bool {
        let Some(place) = control.place() else { return false };
        let queue = self.class_queue(place.class);
        let Some(queued) = queue.get(place.start_tag) else { return false };
        class < place.class
            || match queue.start_of(client, place.start_tag.has_run).cmp(&place.start_tag.start) {
                Ordering::Less => true,
                Ordering::Equal => {
                    let shares = self.shares();
                    shares.held_by(client) < shares.held_by(queued.client())
                }
                Ordering::Greater => false,
            }
    }

    /// Makes a task that of a client that waits for it, if the one that has queued it has left.
    /// A waiting task keeps its place: nobody's leaving may delay it.
    pub(super) fn replace_departed_client(&mut self, control: &TaskControl) {
        let successor = |client: &Client| {
            let clients = control.clients();
            if clients.contains(client) { None } else { clients.into_iter().next() }
        };
        if let Some(running) = self.running_mut(control) {
            let client = &mut running.submitter.client;
            *client = successor(client).unwrap_or_else(|| client.clone());
            return;
        }
        let Some(QueuePlace { class, start_tag }) = control.place() else { return };
        let Some(queued) = self.class_queue(class).get(start_tag) else { return };
        let former = queued.client().clone();
        if let Some(client) = successor(&former) {
            self.class_queue_mut(class).change_client(start_tag, &client);
            self.pass_waiting_task(&former, client);
        }
    }

    /// Makes a waiting task that of a client that joins it, in this class or its own, more urgent
    /// one.
    pub(super) fn move_to_client(
        &mut self,
        control: &TaskControl,
        class: PriorityClass,
        client: &Client,
    ) {
        let Some(QueuePlace { class: former_class, start_tag }) = control.place() else { return };
        if class < former_class {
            return self.move_to_class(former_class, start_tag, class, client);
        }
        let queue = self.class_queue_mut(former_class);
        let Some(queued) = queue.get(start_tag) else { return };
        let former = queued.client().clone();
        let Some(start_tag) = queue.move_to_client(start_tag, client) else { return };
        control.set_place(Some(QueuePlace { class: former_class, start_tag }));
        self.pass_waiting_task(&former, client.clone());
    }

    /// Moves a waiting task to a more urgent class, as the task of the client for which it runs
    /// first there: the one that joins it, or one that waits for it already. The joining one may
    /// have many tasks in that class.
    fn move_to_class(
        &mut self,
        former_class: PriorityClass,
        start_tag: StartTag,
        class: PriorityClass,
        client: &Client,
    ) {
        let prepared_task = self.prepared_task.clone();
        let Some(queued) = self.class_queue_mut(former_class).take_for_other_class(start_tag)
        else {
            return;
        };
        self.record_dequeue(&queued);
        let queue = self.class_queue(class);
        let clients = [client.clone()].into_iter().chain(queued.control.clients());
        let start_of = |client: &Client| queue.start_of(client, start_tag.has_run);
        let client = clients.min_by_key(start_of).unwrap_or_else(|| client.clone());
        let submitter = Submitter { client, class, ..queued.submitter };
        self.enqueue(QueuedTask { submitter, ..queued });
        self.prepared_task = prepared_task;
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

    /// Updates the counts before a task enters its class queue.
    fn record_enqueue(&mut self, queued: &QueuedTask) {
        self.wanted_workers += queued.workers();
        self.paused_workers += if queued.is_paused() { queued.workers() } else { 0 };
        *self.waiting_clients.entry(queued.client().clone()).or_default() += 1;
    }

    /// Updates the counts after a task has left its class queue.
    pub(super) fn record_dequeue(&mut self, queued: &QueuedTask) {
        queued.control.set_place(None);
        self.prepared_task.take_if(|control| Arc::ptr_eq(control, &queued.control));
        self.wanted_workers -= queued.workers();
        self.paused_workers -= if queued.is_paused() { queued.workers() } else { 0 };
        self.forget_waiting_task_of(queued.client());
    }

    /// Counts a waiting task for a client in place of its former one.
    fn pass_waiting_task(&mut self, former: &Client, client: Client) {
        *self.waiting_clients.entry(client).or_default() += 1;
        self.forget_waiting_task_of(former);
    }

    /// Counts one waiting task less for a client.
    fn forget_waiting_task_of(&mut self, client: &Client) {
        if let Some(tasks) = self.waiting_clients.get_mut(client) {
            *tasks -= 1;
            if *tasks == 0 {
                self.waiting_clients.remove(client);
            }
        }
    }

    /// `true` if a paused run of so many workers may be added.
    pub(super) fn may_pause(&self, workers: usize) -> bool {
        self.paused_workers + workers <= self.workers
    }

    /// Takes all waiting tasks out.
    pub(super) fn drain(&mut self) -> Vec<QueuedTask> {
        let waiting: Vec<_> = self.interactive.drain().chain(self.batch.drain()).collect();
        waiting.iter().for_each(|queued| self.record_dequeue(queued));
        waiting
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
        let elapsed = clock::elapsed_since(running.slice_start);
        self.free_workers += workers;
        self.class_queue_mut(*class).charge(client, *workers, elapsed, running.is_new);
    }

    /// How many waiting tasks have run already.
    pub(super) fn tasks_to_continue(&self) -> usize {
        self.length() - self.interactive.new_tasks() - self.batch.new_tasks()
    }

    /// Registers a speculative search of a free worker.
    pub(super) fn start_speculation(&mut self) -> SpeculativeRun {
        let run = SpeculativeRun { id: self.next_run_id, stop: Arc::default() };
        self.next_run_id += 1;
        self.speculative_runs.push(SpeculativeRun { id: run.id, stop: run.stop.clone() });
        run
    }
}
