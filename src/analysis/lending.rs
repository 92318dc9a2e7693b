//! Lending: searches that wait for a worker are offered to the other nodes of the cluster.
//!
//! An offered search keeps its place in the queue. Whoever is first runs it: a worker of this node,
//! which withdraws the offer, or another node, which takes it out of the queue. When that node is
//! lost, the search goes back to its old place with what was found so far.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::select;
use tokio::time::{Instant, sleep, sleep_until};

use super::cluster::Cluster;
use super::queue::{LentTask, Queue, TaskControl};
use super::remote_search::{RemoteEvent, RemoteRun, RemoteSearch};
use super::request::PriorityClass;

/// How long a search waits before it is offered.
const MIN_WAIT: Duration = Duration::from_millis(5);

/// The time between two looks at the queue while tasks wait and no other node is there.
const IDLE_INTERVAL: Duration = Duration::from_millis(200);

/// How long the result of a search that was stopped may take.
const STOP_LIMIT: Duration = Duration::from_millis(500);

/// Offers waiting searches until the queue is closed.
pub(super) async fn lend_searches(queue: Arc<Queue>, cluster: Arc<dyn Cluster>) {
    let mut load = queue.watch_load();
    let classes = [PriorityClass::Interactive, PriorityClass::Batch];
    let open_offers = classes.map(|class| (class, Arc::new(AtomicUsize::new(0))));
    while !queue.is_closed() {
        let workers = cluster.workers_elsewhere();
        // Offers of batches leave room for those of others.
        for (class, open_offers) in &open_offers {
            let room = workers.saturating_sub(open_offers.load(Ordering::Relaxed));
            for (control, search) in queue.offer_tasks(*class, room, MIN_WAIT) {
                let open = OpenOffer::new(open_offers);
                tokio::spawn(lend(queue.clone(), cluster.clone(), control, search, open));
            }
        }
        let interval = if workers > 0 { MIN_WAIT } else { IDLE_INTERVAL };
        select! {
            _ = load.changed() => {}
            () = sleep(interval), if queue.has_waiting() => {}
        }
    }
}

/// An offer that no node has taken yet.
struct OpenOffer(Arc<AtomicUsize>);

impl OpenOffer {
    fn new(count: &Arc<AtomicUsize>) -> OpenOffer {
        count.fetch_add(1, Ordering::Relaxed);
        OpenOffer(count.clone())
    }
}

impl Drop for OpenOffer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Offers a search, and follows it to its end if another node takes it.
async fn lend(
    queue: Arc<Queue>,
    cluster: Arc<dyn Cluster>,
    control: Arc<TaskControl>,
    search: Arc<RemoteSearch>,
    open: OpenOffer,
) {
    let mut offer = cluster.offer(search);
    let is_taken = wait_until_taken(&queue, &control, &mut offer).await;
    drop(open);
    let lent = if is_taken { queue.lend(&control) } else { None };
    match lent {
        Some(mut lent) => {
            lent.start();
            let end = publish_run(&queue, &control, offer, lent, RunHere::Never).await;
            if let RunEnd::Lost { lent, .. } = end {
                queue.give_back(lent);
            }
        }
        None => control.end_offer(),
    }
}

/// Waits until a node takes the search. Returns `false` if none does, or need not any more.
async fn wait_until_taken(queue: &Queue, control: &TaskControl, offer: &mut RemoteRun) -> bool {
    let mut load = queue.watch_load();
    if !queue.is_unstarted(control) {
        return false;
    }
    loop {
        select! {
            event = offer.events.recv() => match event {
                Some(RemoteEvent::Started) => return true,
                Some(_) => {}
                None => return false,
            },
            () = control.stopped() => return false,
            _ = load.changed() => {
                if !queue.is_unstarted(control) {
                    return false;
                }
            }
        }
    }
}

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
    /// The node has not brought it to its end.
    Lost {
        lent: LentTask,
        /// It has given the search up, or is gone.
        is_certain: bool,
    },
    /// The search waits for a worker there, and one is free here.
    Idle(LentTask),
}

/// Publishes what the node finds that runs a search.
pub(super) async fn publish_run(
    queue: &Queue,
    control: &TaskControl,
    mut run: RemoteRun,
    mut lent: LentTask,
    run_here: RunHere,
) -> RunEnd {
    let mut stop_deadline: Option<Instant> = None;
    let mut idle = pin!(queue.worker_is_free());
    let mut is_waiting = false;
    loop {
        let may_run_here = run_here == RunHere::WhenIdle && is_waiting && !lent.is_started();
        let is_late = async {
            match stop_deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            event = run.events.recv() => match event {
                Some(RemoteEvent::Waiting) => is_waiting = true,
                Some(RemoteEvent::Started) => lent.start(),
                Some(RemoteEvent::Update(report)) => lent.update(*report),
                Some(RemoteEvent::Finished(report)) => {
                    queue.finish_lent(lent, *report);
                    return RunEnd::Published;
                }
                event if stop_deadline.is_none() => {
                    return RunEnd::Lost { lent, is_certain: event.is_some() };
                }
                _ => break,
            },
            () = control.stopped(), if stop_deadline.is_none() => {
                stop_deadline = Some(Instant::now() + STOP_LIMIT);
                // The cluster has dropped the run if nobody listens. Then its channel ends, too.
                let _ = run.stop.send(true);
            }
            () = is_late => break,
            () = &mut idle, if may_run_here && stop_deadline.is_none() => return RunEnd::Idle(lent),
        }
    }
    match lent.latest_report() {
        Some(report) => queue.finish_lent(lent, report),
        None => queue.give_back(lent),
    }
    RunEnd::Published
}
