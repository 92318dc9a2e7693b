//! Time slices: a task that has run for a slice gives way to a waiting task of another client.
//!
//! A client's share is the number of workers divided by the number of clients whose tasks run or
//! wait. A task gives way if each of its clients holds more than its share, or if the waiting task
//! needs more workers than a share, so that the two can only take turns. A paused task keeps its
//! threads and their data, for at most as many workers as there are. Beyond that, a search ends and
//! starts again from the transposition table.
//!
//! First slices are shorter, as in a multilevel feedback queue: those of all clients make up one
//! slice. So a short search does not wait for a whole slice of each long one before it.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::Queue;
use super::clock;
use super::control::TaskControl;
use super::running::{RunningTask, Shares};
use super::schedule::NextTask;
use super::state::State;
use super::task::{QueuedTask, QueuedWork};
use crate::analysis::request::PriorityClass;
use crate::analysis::session::Client;

/// How often a blocked task is looked at again, as a part of the slice.
const CHECKS_PER_SLICE: u32 = 10;

/// How many first slices make up a whole one at most.
const MAX_FIRST_SLICES: u32 = 10;

/// What the end of slices needs next.
pub(super) enum SlicePlan {
    /// No task is blocked.
    Idle,
    /// Check again after this time.
    CheckAfter(Duration),
    /// Tasks give way to the next one.
    GiveWay { tasks: Vec<Arc<TaskControl>>, next: Arc<TaskControl> },
}

impl Queue {
    /// Ends time slices until the queue is closed. Blocks its thread.
    pub(in crate::analysis) fn run_slicer(&self) {
        let mut state = self.lock();
        while !state.closed {
            state = match state.plan_slices(clock::now(), self.slice) {
                SlicePlan::GiveWay { tasks, next } => {
                    state.end_slices(tasks);
                    state.prepared_task = Some(next);
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
    pub(super) fn plan_slices(&self, now: Instant, slice: Duration) -> SlicePlan {
        let Some(NextTask { queued: head, .. }) = self.next_task() else {
            return SlicePlan::Idle;
        };
        let next_check = slice / CHECKS_PER_SLICE;
        let soon_free = self.free_workers + self.restarting_workers();
        let Some(needed) = head.workers().checked_sub(soon_free).filter(|&needed| needed > 0)
        else {
            return if self.is_blocked() {
                SlicePlan::CheckAfter(next_check)
            } else {
                SlicePlan::Idle
            };
        };
        let shares = self.shares();
        let first_slice = first_slice(shares.clients, slice);
        let rest_of_slice = |running: &RunningTask| {
            let slice = if running.is_new { first_slice } else { slice };
            slice.saturating_sub(now - running.slice_start)
        };
        let (ended, unended): (Vec<_>, Vec<_>) = self
            .candidates(head, &shares)
            .into_iter()
            .partition(|running| rest_of_slice(running).is_zero());
        let mut tasks = Vec::new();
        let mut freed = 0;
        for running in ended {
            if freed < needed {
                freed += running.submitter.workers;
                tasks.push(running.control.clone());
            }
        }
        if freed >= needed {
            return SlicePlan::GiveWay { tasks, next: head.control.clone() };
        }
        let ends = unended.into_iter().map(rest_of_slice);
        SlicePlan::CheckAfter(ends.fold(next_check, Duration::min))
    }

    /// The workers of tasks that end for a restart, added up.
    fn restarting_workers(&self) -> usize {
        let restarting = self.running.iter().filter(|running| running.is_restarting);
        restarting.map(|running| running.submitter.workers).sum()
    }

    /// The running tasks that may give way to this one, in the order in which they do.
    fn candidates<'a>(&self, head: &QueuedTask, shares: &Shares<'a>) -> Vec<&'a RunningTask> {
        let must_take_turns = head.workers() as f64 > shares.share;
        let client = shares.client_with_least(head);
        if !must_take_turns && shares.held_by(&client) as f64 >= shares.share {
            return Vec::new();
        }
        let holds_more = |client: &Client| shares.held_by(client) as f64 > shares.share;
        let may_give_way = |running: &RunningTask, clients: &[Client]| {
            !running.is_restarting
                && running.submitter.workers > 0
                && !clients.contains(&client)
                && (must_take_turns || clients.iter().all(holds_more))
        };
        let tasks =
            shares.running.iter().filter(|(running, clients)| may_give_way(running, clients));
        let mut candidates: Vec<_> = tasks.map(|&(running, _)| running).collect();
        candidates.sort_by_key(|running| {
            let is_first =
                running.submitter.is_unlimited || running.submitter.class == PriorityClass::Batch;
            (!is_first, running.slice_start)
        });
        candidates
    }

    /// Pauses tasks, or restarts those for which no paused run may be added.
    pub(super) fn end_slices(&mut self, controls: Vec<Arc<TaskControl>>) {
        for control in controls {
            let Some(mut running) = self.remove_running(&control) else { continue };
            if self.may_pause(running.submitter.workers) {
                running.control.pause();
                self.release(&running);
                let submitter = running.submitter;
                self.enqueue(QueuedTask::new(submitter, control, QueuedWork::Continue));
                continue;
            }
            running.is_restarting = true;
            running.control.restart();
            self.running.push(running);
        }
    }
}

/// The length of a task's first slice while tasks of so many clients run or wait.
fn first_slice(clients: usize, slice: Duration) -> Duration {
    let divisor = u32::try_from(clients).map_or(MAX_FIRST_SLICES, |n| n.min(MAX_FIRST_SLICES));
    slice / divisor.max(1)
}
