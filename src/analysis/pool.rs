//! The worker threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::deepening::Deepener;
use super::queue::{Queue, Turn, Work};
use crate::engine::STACK_BYTES;

/// Starts so many threads that work off the queue until it is closed, and deepen in their idle
/// time.
///
/// # Errors
/// When the system grants no more threads; those that were started end with the queue.
pub(super) fn start_workers(
    queue: &Arc<Queue>,
    deepener: &Arc<Deepener>,
    workers: usize,
) -> io::Result<()> {
    for number in 0..workers {
        let (queue, deepener) = (queue.clone(), deepener.clone());
        let name = format!("worker-{number}");
        thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || work(&queue, &deepener))?;
    }
    Ok(())
}

fn work(queue: &Queue, deepener: &Deepener) {
    while let Some(work) = queue.next() {
        // The process's panic hook has logged a panic by the time that it is caught, in the span of
        // the request. Whoever waits for the job hears of its end from what the job drops while it
        // unwinds.
        match work {
            Work::Order(order) => {
                let (started, places) = (Instant::now(), order.places());
                let _panic = catch_unwind(AssertUnwindSafe(|| order.job.run(Turn::Now)));
                queue.finished(places, started.elapsed());
            }
            Work::Idle(wish, run) => {
                let _panic = catch_unwind(AssertUnwindSafe(|| deepener.follow(&wish, &run.stop)));
                queue.rested(wish, &run);
            }
        }
    }
}
