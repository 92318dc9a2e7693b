//! Lending: searches that wait for a worker are offered to the other nodes of the cluster.
//!
//! An offered search keeps its place in the queue. Whoever is first runs it: a worker of this node,
//! which withdraws the offer, or another node, which takes it out of the queue. When that node is
//! lost, the search goes back to its old place with what was found so far.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::select;
use tokio::time::sleep;

use super::cluster::Cluster;
use super::queue::{Queue, TaskControl};
use super::remote_run::{RunEnd, RunHere, publish_run};
use super::remote_search::{RemoteEvent, RemoteRun, RemoteSearch};
use super::request::PriorityClass;

/// How long a search waits before it is offered.
const MIN_WAIT: Duration = Duration::from_millis(5);

/// The time between two looks at the queue while tasks wait and no other node is there.
const IDLE_INTERVAL: Duration = Duration::from_millis(200);

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
                let open = OfferCount::new(open_offers);
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

/// An offer that no node has taken yet, in the number of those of its class.
struct OfferCount(Arc<AtomicUsize>);

impl OfferCount {
    fn new(count: &Arc<AtomicUsize>) -> OfferCount {
        count.fetch_add(1, Ordering::Relaxed);
        OfferCount(count.clone())
    }
}

impl Drop for OfferCount {
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
    open: OfferCount,
) {
    let mut offer = cluster.offer(search);
    let is_taken = wait_until_taken(&queue, &control, &mut offer).await;
    drop(open);
    let task = if is_taken { queue.lend(&control) } else { None };
    match task {
        Some(mut task) => {
            task.start();
            let end = publish_run(&queue, &control, offer, task, RunHere::Never).await;
            if let RunEnd::Lost { task, .. } = end {
                queue.give_back(task);
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
