//! The worker threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::queue::{Queue, Turn};
use crate::engine::STACK_BYTES;

/// Starts so many threads that work off the queue until it is closed.
///
/// # Errors
/// When the system grants no more threads; those that were started end with the queue.
pub(super) fn start_workers(queue: &Arc<Queue>, workers: usize) -> io::Result<()> {
    for number in 0..workers {
        let queue = queue.clone();
        let name = format!("worker-{number}");
        thread::Builder::new().name(name).stack_size(STACK_BYTES).spawn(move || work(&queue))?;
    }
    Ok(())
}

fn work(queue: &Queue) {
    while let Some(order) = queue.next() {
        let (started, places) = (Instant::now(), order.places());
        // The process's panic hook has logged a panic by then, in the span of the request. Whoever waits for the job hears of its
        // end from what the job drops while it unwinds.
        let _panic = catch_unwind(AssertUnwindSafe(|| order.job.run(Turn::Now)));
        queue.finished(places, started.elapsed());
    }
}
