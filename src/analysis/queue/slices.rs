//! Time slices: a task that has run for a slice gives way to a waiting task of another client.
//!
//! A client's share is the number of workers divided by the number of clients whose tasks run or
//! wait. A task gives way if each of its clients holds more than its share, or if the waiting task
//! needs more workers than a share, so that the two can only take turns. A paused task keeps its
//! threads and their data, for at most as many workers as there are. Beyond that, a search ends and
//! starts again from the transposition table.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::Queue;
use super::control::TaskControl;
use super::running::RunningTask;
use super::state::State;
use super::task::{QueuedTask, QueuedWork, Slicing};
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;

/// How often a blocked task is looked at again, as a part of the slice.
const CHECKS_PER_SLICE: u32 = 5;

/// What the end of slices needs next.
enum SlicePlan {
    /// No task is blocked.
    Idle,
    /// Check again after this time.
    CheckAfter(Duration),
    /// The tasks with these controls give way.
    GiveWay(Vec<Arc<TaskControl>>),
}

impl Queue {
    /// Ends time slices until the queue is closed. Blocks its thread.
    pub(in crate::analysis) fn run_slicer(&self) {
        let mut state = self.lock();
        while !state.closed {
            // Without this bound, each slice would make room for one more waiting task.
            let plan = if state.tasks_that_have_run() < self.capacity.max(self.workers) {
                state.plan_slices(Instant::now(), self.slice)
            } else {
                SlicePlan::CheckAfter(self.slice / CHECKS_PER_SLICE)
            };
            state = match plan {
                SlicePlan::GiveWay(tasks) => {
                    state.end_slices(tasks);
                    state.preempt_speculation();
                    self.publish_change(&mut state);
                    self.work_available.notify_one();
                    state
                }
                SlicePlan::CheckAfter(time) => {
                    let waited = self.slice_check.wait_timeout(state, time);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                SlicePlan::Idle => {
                    state.is_slicer_idle = true;
                    let mut state =
                        self.slice_check.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.is_slicer_idle = false;
                    state
                }
            };
        }
    }
}

impl State {
    /// Selects the tasks that give way to the next task.
    fn plan_slices(&self, now: Instant, slice: Duration) -> SlicePlan {
        let Some((_, head)) = self.next_task() else { return SlicePlan::Idle };
        let soon_free = self.free_workers + self.restarting_workers();
        let Some(needed) = head.workers().checked_sub(soon_free).filter(|&needed| needed > 0)
        else {
            return if self.free_workers >= head.workers() {
                SlicePlan::Idle
            } else {
                SlicePlan::CheckAfter(slice / CHECKS_PER_SLICE)
            };
        };
        let mut candidates = self.candidates(head);
        candidates.sort_by_key(|running| {
            let is_first = running.submitter.slicing == Slicing::Unlimited
                || running.submitter.class == PriorityClass::Batch;
            (!is_first, running.slice_start)
        });
        let mut next_check = slice / CHECKS_PER_SLICE;
        let mut giving_way = Vec::new();
        let mut freed = 0;
        for RunningTask { submitter, control, slice_start, .. } in candidates {
            let rest_of_slice = slice.saturating_sub(now - *slice_start);
            if rest_of_slice > Duration::ZERO {
                next_check = next_check.min(rest_of_slice);
            } else if freed < needed {
                freed += submitter.workers;
                giving_way.push(control.clone());
            }
        }
        if freed >= needed {
            SlicePlan::GiveWay(giving_way)
        } else {
            SlicePlan::CheckAfter(next_check)
        }
    }

    /// The workers of tasks that end for a restart, added up.
    fn restarting_workers(&self) -> usize {
        let restarting = self.running.iter().filter(|running| running.is_restarting);
        restarting.map(|running| running.submitter.workers).sum()
    }

    /// The running tasks that may give way to this one.
    fn candidates(&self, head: &QueuedTask) -> Vec<&RunningTask> {
        let waiting = self.interactive.tasks().chain(self.batch.tasks()).map(QueuedTask::client);
        let mut clients: HashSet<Client> = waiting.cloned().collect();
        let clients_of: Vec<Vec<Client>> =
            self.running.iter().map(|running| running.control.clients()).collect();
        clients.extend(clients_of.iter().flatten().cloned());
        let share = self.workers as f64 / clients.len().max(1) as f64;
        let held = |client: &Client| -> usize {
            let tasks = self.running.iter().zip(&clients_of);
            let of_client = tasks.filter(|(_, clients)| clients.contains(client));
            of_client.map(|(running, _)| running.submitter.workers).sum()
        };
        let must_take_turns = head.workers() as f64 > share;
        if !must_take_turns && held(head.client()) as f64 >= share {
            return Vec::new();
        }
        let may_give_way = |running: &RunningTask, clients: &[Client]| {
            !running.is_restarting
                && running.submitter.workers > 0
                && !clients.contains(head.client())
                && (must_take_turns || clients.iter().all(|client| held(client) as f64 > share))
                && (running.submitter.slicing != Slicing::PauseOnly
                    || self.paused_workers + running.submitter.workers <= self.workers)
        };
        let tasks = self.running.iter().zip(&clients_of);
        tasks
            .filter(|(running, clients)| may_give_way(running, clients))
            .map(|(running, _)| running)
            .collect()
    }

    /// Pauses tasks, or restarts those for which no paused run may be added.
    fn end_slices(&mut self, controls: Vec<Arc<TaskControl>>) {
        let mut tasks: Vec<_> =
            controls.iter().filter_map(|control| self.remove_running(control)).collect();
        // Tasks that can't restart need the places of paused runs first.
        tasks.sort_by_key(|running| running.submitter.slicing != Slicing::PauseOnly);
        for mut running in tasks {
            if self.paused_workers + running.submitter.workers <= self.workers {
                running.control.pause();
                self.release(&running);
                let RunningTask { submitter, control, .. } = running;
                self.enqueue(QueuedTask::new(submitter, control, QueuedWork::Continue));
                continue;
            }
            if running.submitter.slicing != Slicing::PauseOnly {
                running.is_restarting = true;
                running.control.restart();
            }
            self.running.push(running);
        }
    }
}
