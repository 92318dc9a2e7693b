//! The queue of one priority class: fair between clients, first in, first out for each client.
//!
//! Start-time fair queueing (Goyal, Vin and Cheng). Each task gets a start tag: the work that its
//! client has submitted so far, counted from the virtual time at which the client came. The task
//! with the least tag runs next. So a client with few tasks never waits behind the whole backlog of
//! another.

use std::collections::{BTreeMap, HashMap};

use super::task::{QueuedTask, StartTag};
use crate::analysis::session::Client;

/// How many clients without waiting tasks are remembered at most.
const MAX_INACTIVE_CLIENTS: usize = 4_096;

/// The state of a client in this class.
#[derive(Clone, Copy, Debug, Default)]
struct ClientState {
    waiting: usize,
    /// The start of the client's next task.
    finish_tag: u64,
}

/// The waiting tasks of one class.
#[derive(Default)]
pub(super) struct ClassQueue {
    waiting: BTreeMap<StartTag, QueuedTask>,
    clients: HashMap<Client, ClientState>,
    /// The start of the task that ran last.
    virtual_time: u64,
    next_sequence: u64,
}

impl ClassQueue {
    /// How many tasks wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The waiting tasks, next first.
    pub(super) fn tasks(&self) -> impl Iterator<Item = &QueuedTask> {
        self.waiting.values()
    }

    /// How many tasks run before this one; `None` if it does not wait here.
    pub(super) fn tasks_before(&self, tag: StartTag) -> Option<usize> {
        self.waiting.contains_key(&tag).then(|| self.waiting.range(..tag).count())
    }

    /// Adds a task.
    pub(super) fn push(&mut self, queued: QueuedTask) -> StartTag {
        let state = self.clients.entry(queued.client().clone()).or_default();
        let start = state.finish_tag.max(self.virtual_time);
        state.finish_tag = start + queued.workers() as u64;
        state.waiting += 1;
        let tag = StartTag { start, sequence: self.next_sequence };
        self.next_sequence += 1;
        self.waiting.insert(tag, queued);
        tag
    }

    /// Removes a waiting task.
    pub(super) fn remove(&mut self, tag: StartTag) -> Option<QueuedTask> {
        let queued = self.waiting.remove(&tag)?;
        self.record_removal(&queued);
        Some(queued)
    }

    /// Takes the next task out.
    pub(super) fn pop(&mut self) -> Option<QueuedTask> {
        let (tag, queued) = self.waiting.pop_first()?;
        self.virtual_time = tag.start;
        self.record_removal(&queued);
        Some(queued)
    }

    /// Removes all tasks.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = QueuedTask> + use<> {
        self.clients.clear();
        std::mem::take(&mut self.waiting).into_values()
    }

    /// Removes the newest task of the client with the most waiting tasks, for a new task of
    /// `client`. Returns `None` when `client` would have the most itself.
    pub(super) fn evict_newest(&mut self, client: &Client) -> Option<QueuedTask> {
        let busiest = self.evictable_client(client)?.clone();
        let newest = self
            .waiting
            .iter()
            .filter(|(_, queued)| *queued.client() == busiest)
            .map(|(&tag, _)| tag);
        let newest = newest.max_by_key(|tag| tag.sequence)?;
        let queued = self.remove(newest)?;
        // The client does not pay for a task that never ran.
        if let Some(state) = self.clients.get_mut(&busiest) {
            state.finish_tag = newest.start;
        }
        Some(queued)
    }

    /// The client with the most waiting tasks, if it has more than `client` with a new task.
    pub(super) fn evictable_client(&self, client: &Client) -> Option<&Client> {
        let (busiest, state) = self.clients.iter().max_by_key(|(_, state)| state.waiting)?;
        (state.waiting > self.tasks_of(client) + 1).then_some(busiest)
    }

    /// How many tasks of a client wait.
    pub(super) fn tasks_of(&self, client: &Client) -> usize {
        self.clients.get(client).map_or(0, |state| state.waiting)
    }

    fn record_removal(&mut self, queued: &QueuedTask) {
        if let Some(state) = self.clients.get_mut(queued.client()) {
            state.waiting -= 1;
        }
        if self.waiting.is_empty() {
            // The queue is empty, so the fairness state can be reset.
            self.clients.clear();
        } else if self.clients.len() > MAX_INACTIVE_CLIENTS {
            let virtual_time = self.virtual_time;
            self.clients.retain(|_, state| state.waiting > 0 || state.finish_tag > virtual_time);
            if self.clients.len() > MAX_INACTIVE_CLIENTS {
                self.clients.retain(|_, state| state.waiting > 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::queue::task::Task;

    fn queued_task(client: &str, workers: usize) -> QueuedTask {
        QueuedTask::new(Client::new(client), workers, Task::new(|_| ()))
    }

    fn drain_order(queue: &mut ClassQueue) -> String {
        std::iter::from_fn(|| queue.pop()).map(|queued| queued.client().to_string()).collect()
    }

    #[test]
    fn clients_take_turns_however_much_one_of_them_submits() {
        let mut queue = ClassQueue::default();
        for client in "aaaaabbc".chars() {
            queue.push(queued_task(&client.to_string(), 1));
        }
        assert_eq!(drain_order(&mut queue), "abcabaaa");
    }

    #[test]
    fn a_late_client_does_not_wait_behind_the_backlog_of_another() {
        let mut queue = ClassQueue::default();
        for _ in 0..5 {
            queue.push(queued_task("a", 1));
        }
        queue.pop();
        queue.pop();
        queue.push(queued_task("b", 1));
        queue.push(queued_task("b", 1));
        assert_eq!(drain_order(&mut queue), "babaa");
    }

    #[test]
    fn a_task_for_several_workers_counts_as_several() {
        let mut queue = ClassQueue::default();
        for (client, workers) in [("a", 3), ("a", 1), ("b", 1), ("b", 1), ("b", 1), ("b", 1)] {
            queue.push(queued_task(client, workers));
        }
        assert_eq!(drain_order(&mut queue), "abbbab");
    }

    #[test]
    fn the_newest_task_of_the_busiest_client_is_evicted() {
        let mut queue = ClassQueue::default();
        let tags: Vec<_> =
            ["a", "a", "a", "b"].map(|client| queue.push(queued_task(client, 1))).to_vec();
        let evicted = queue.evict_newest(&Client::new("c")).unwrap();
        assert_eq!(evicted.client().to_string(), "a");
        assert_eq!(
            tags.iter().map(|&tag| queue.tasks_before(tag)).collect::<Vec<_>>(),
            [Some(0), Some(2), None, Some(1)]
        );
        assert!(
            queue.evict_newest(&Client::new("a")).is_none(),
            "its own new task would be the newest"
        );
        assert!(
            queue.evict_newest(&Client::new("b")).is_none(),
            "with two tasks each, the new one is the third"
        );
    }

    #[test]
    fn inactive_clients_are_forgotten_beyond_a_bound() {
        let mut queue = ClassQueue::default();
        queue.push(queued_task("heavy", 1));
        queue.push(queued_task("heavy", 1));
        for number in 0..3 * MAX_INACTIVE_CLIENTS {
            let tag = queue.push(queued_task(&number.to_string(), 1));
            queue.remove(tag);
        }
        assert!(queue.clients.len() <= MAX_INACTIVE_CLIENTS + 1, "{}", queue.clients.len());
        drain_order(&mut queue);
        assert!(queue.clients.is_empty());
    }
}
