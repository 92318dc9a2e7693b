//! The worker threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::queue::{Admission, Queue, Work};
use super::speculative_search::SpeculativeSearch;
use crate::engine::STACK_BYTES;

/// Starts so many threads that work off the queue until it is closed, and deepen in their idle
/// time.
///
/// # Errors
/// When the system grants no more threads; those that were started end with the queue.
pub(super) fn start_workers(
    queue: &Arc<Queue>,
    speculative_search: &Arc<SpeculativeSearch>,
    workers: usize,
) -> io::Result<()> {
    for number in 0..workers {
        let (queue, speculative_search) = (queue.clone(), speculative_search.clone());
        let name = format!("worker-{number}");
        thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || run_worker(&queue, &speculative_search))?;
    }
    Ok(())
}

fn run_worker(queue: &Queue, speculative_search: &SpeculativeSearch) {
    while let Some(work) = queue.next_work() {
        // The process's panic hook has logged a panic by the time that it is caught, in the span of
        // the request. Whoever waits for the job hears of its end from what the job drops while it
        // unwinds.
        match work {
            Work::Task(queued) => {
                let (started, workers) = (Instant::now(), queued.workers());
                let _panic =
                    catch_unwind(AssertUnwindSafe(|| queued.task.run(Admission::Admitted)));
                queue.finish_task(workers, started.elapsed());
            }
            Work::Speculative(candidate, run) => {
                let _panic = catch_unwind(AssertUnwindSafe(|| {
                    speculative_search.run(&candidate, &run.stop)
                }));
                queue.finish_speculation(candidate, &run);
            }
        }
    }
}
