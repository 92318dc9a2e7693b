//! The run of a task on another node: its reports are published here until it ends or is lost.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::select;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use super::queue::{Queue, RemoteTask, TaskControl};
use super::remote_search::{RemoteEvent, RemoteRun};
use crate::engine::Report;

/// How long the result of a search that was stopped may take.
const STOP_LIMIT: Duration = Duration::from_millis(500);

/// How long a search waits for a worker of another node before a free one here runs it. That node
/// offers it to all others, too.
const MIN_WAIT_ELSEWHERE: Duration = Duration::from_millis(50);

/// Whether a search that another node runs may run here meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunHere {
    Never,
    /// If it waits for a worker there, and one is free here.
    WhenIdle,
}

/// How a run on another node has ended.
pub(super) enum RunEnd {
    /// The result was published.
    Published,
    /// A worker of this node runs it.
    RunsHere,
    /// The node has not brought it to its end.
    Lost {
        task: RemoteTask,
        /// It has given the search up, or is gone.
        is_certain: bool,
    },
}

/// Publishes what the node finds that runs a search.
pub(super) async fn publish_run(
    queue: &Arc<Queue>,
    control: &TaskControl,
    mut run: RemoteRun,
    mut task: RemoteTask,
    run_here: RunHere,
) -> RunEnd {
    let mut stop_deadline: Option<Instant> = None;
    let mut waits_since: Option<Instant> = None;
    loop {
        let is_late = async {
            match stop_deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => pending().await,
            }
        };
        let may_run_here = run_here == RunHere::WhenIdle && !task.is_started();
        let since = waits_since.filter(|_| may_run_here && stop_deadline.is_none());
        select! {
            biased;
            event = run.events.recv() => match event {
                Some(RemoteEvent::Waiting) => drop(waits_since.get_or_insert_with(Instant::now)),
                Some(RemoteEvent::Started) => task.start(),
                Some(RemoteEvent::Update(report)) => task.update(*report),
                Some(RemoteEvent::Finished(report)) => {
                    let report = task.total(*report);
                    finish(queue, task, report).await;
                    return RunEnd::Published;
                }
                event if stop_deadline.is_none() => {
                    return RunEnd::Lost { task, is_certain: event.is_some() };
                }
                _ => break,
            },
            () = control.stopped(), if stop_deadline.is_none() => {
                stop_deadline = Some(Instant::now() + STOP_LIMIT);
                // The cluster has dropped the run if nobody listens. Then its channel ends, too.
                let _ = run.stop.send(true);
            }
            () = is_late => break,
            () = free_worker(queue, since) => match queue.give_to_free_worker(task) {
                None => return RunEnd::RunsHere,
                Some(other) => task = other,
            },
        }
    }
    match task.latest_report() {
        Some(report) => finish(queue, task, report).await,
        None => queue.give_back(task),
    }
    RunEnd::Published
}

/// Resolves when a worker is free for a search that waits elsewhere since this time; never without
/// it.
async fn free_worker(queue: &Queue, waits_since: Option<Instant>) {
    let Some(since) = waits_since else { return pending().await };
    sleep_until(since + MIN_WAIT_ELSEWHERE).await;
    queue.worker_is_free().await;
}

/// Ends a task with its result.
pub(super) async fn finish(queue: &Arc<Queue>, task: RemoteTask, report: Report) {
    let queue = queue.clone();
    let finished = spawn_blocking(move || queue.finish_remote_task(task, report)).await;
    if let Err(error) = finished {
        let error = error.to_string();
        tracing::error!(error, "the result of another node was not published");
    }
}
