//! The shared state of the job service: store, index, permits and signals.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

use super::entry::{JobEntry, JobStatus};
use super::error::JobError;
use super::index::Index;
use super::usage::Usage;
use crate::analysis::Service;
use crate::analysis::evaluation_cache::StoredAt;
use crate::store::StoreError;
use crate::store::jobs::{JobBook, JobEnd, JobId, LogPosition};

/// Maximum number of searches of all jobs at once.
const MAX_SEARCHES: usize = 1_024;

/// The least time between two logged reasons of one failure.
const MIN_LOG_INTERVAL: Duration = Duration::from_secs(5);

/// Limits of the job service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRules {
    /// Maximum usage of all jobs, finished ones included.
    pub max_usage: Usage,
    /// The unfinished jobs of one anonymous client may use so many thousandths of what others
    /// leave. Those of a client with a key may use half of `max_usage`.
    pub anonymous_share_permille: u16,
    /// Maximum number of nodes of all searches of one job.
    pub max_nodes: u64,
    /// Nodes per position of a job without limits.
    pub default_nodes: u64,
    /// How long a finished job is kept.
    pub retention: Duration,
}

/// The job service: accepts game-review jobs and runs them. Clones share one state.
#[derive(Clone)]
pub struct Jobs(Arc<JobsState>);

/// The exclusive right to apply changes of the log; `None` until the index is loaded.
pub(super) type LogGuard<'a> = MutexGuard<'a, Option<LogPosition>>;

struct JobsState {
    service: Service,
    book: Arc<dyn JobBook>,
    rules: JobRules,
    index: Mutex<Index>,
    /// The position in the book's log up to which the index has followed it. Held by whoever
    /// applies changes.
    log: Mutex<Option<LogPosition>>,
    /// One text is parsed at a time, because its games take several times its length in memory.
    parse_permit: Arc<Semaphore>,
    /// Two permits per worker of all nodes: enough to keep all workers busy without crowding the
    /// queue.
    search_permits: Arc<Semaphore>,
    /// How many permits there are.
    permit_count: Mutex<usize>,
    /// How far the clock of a shared book is ahead of this machine's, in milliseconds.
    clock_offset_ms: AtomicI64,
    /// Number of evaluations stored since the start.
    positions_evaluated: AtomicU64,
    /// `true` after a failed write, until a write succeeds.
    failing: watch::Sender<bool>,
    /// The last logged reason why writes fail.
    logged_failure: Mutex<Option<LoggedFailure>>,
    /// `true` once the service is shutting down.
    shutdown: watch::Sender<bool>,
    /// Number of tasks that run jobs or follow the log.
    running_tasks: watch::Sender<usize>,
}

/// Counts and sizes of the job service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobsStatus {
    /// Usage of all stored jobs.
    pub total: Usage,
    /// Usage of the unfinished jobs.
    pub unfinished: Usage,
    /// Maximum usage.
    pub max: Usage,
    /// Number of evaluations stored since the start.
    pub positions_evaluated: u64,
    /// Size on disk in bytes; 0 in memory.
    pub disk_bytes: u64,
    /// `true` after a failed write, until a write succeeds.
    pub failing: bool,
}

impl Jobs {
    /// A job service whose index is still to be loaded.
    pub(super) fn new(service: Service, book: Arc<dyn JobBook>, rules: JobRules) -> Jobs {
        let permit_count = wanted_permits(&service);
        let search_permits = Arc::new(Semaphore::new(permit_count));
        Jobs(Arc::new(JobsState {
            service,
            book,
            rules,
            index: Mutex::default(),
            log: Mutex::default(),
            parse_permit: Arc::new(Semaphore::new(1)),
            search_permits,
            permit_count: Mutex::new(permit_count),
            clock_offset_ms: AtomicI64::new(0),
            positions_evaluated: AtomicU64::new(0),
            failing: watch::Sender::new(false),
            logged_failure: Mutex::default(),
            shutdown: watch::Sender::new(false),
            running_tasks: watch::Sender::new(0),
        }))
    }

    /// Counts and sizes as of now.
    pub fn status(&self) -> JobsStatus {
        let (total, unfinished) = {
            let index = self.index();
            (index.total_usage(), index.unfinished_usage())
        };
        JobsStatus {
            total,
            unfinished,
            max: self.0.rules.max_usage,
            positions_evaluated: self.0.positions_evaluated.load(Ordering::Relaxed),
            disk_bytes: self.0.book.disk_bytes(),
            failing: self.is_failing(),
        }
    }

    /// `true` after a failed write, until a write succeeds.
    pub fn is_failing(&self) -> bool {
        *self.0.failing.borrow()
    }

    /// `true` when other nodes read and run the jobs, too.
    pub fn are_shared(&self) -> bool {
        self.book().is_shared()
    }

    /// Stops the running jobs and accepts no new ones. Stored jobs resume at the next start.
    /// Returns at once.
    pub fn shut_down(&self) {
        self.0.shutdown.send_replace(true);
    }

    /// Resolves when no job runs and all results are stored. Call it after [`Jobs::shut_down`] and
    /// the shutdown of the [`Service`].
    pub async fn stopped(&self) {
        // `self` owns the sender, so `wait_for` cannot fail.
        let _ = self.0.running_tasks.subscribe().wait_for(|&running| running == 0).await;
    }

    /// A receiver that changes to `true` when the service shuts down.
    pub fn subscribe_shutdown(&self) -> watch::Receiver<bool> {
        self.0.shutdown.subscribe()
    }

    /// A receiver of [`Jobs::is_failing`].
    pub(super) fn subscribe_failing(&self) -> watch::Receiver<bool> {
        self.0.failing.subscribe()
    }

    pub(super) fn is_shutting_down(&self) -> bool {
        *self.0.shutdown.borrow()
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    pub(super) fn book(&self) -> &dyn JobBook {
        &*self.0.book
    }

    pub(super) fn rules(&self) -> JobRules {
        self.0.rules
    }

    /// The index. No foreign code runs under the lock, so a panic cannot leave it half changed.
    pub(super) fn index(&self) -> MutexGuard<'_, Index> {
        self.0.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position in the log, which nobody else moves meanwhile. Take it before the index.
    pub(super) fn log(&self) -> LogGuard<'_> {
        self.0.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn parse_permit(&self) -> Arc<Semaphore> {
        self.0.parse_permit.clone()
    }

    pub(super) fn search_permits(&self) -> Arc<Semaphore> {
        self.0.search_permits.clone()
    }

    /// The time by which jobs end and expire, in milliseconds since 1970: that of the book's clock,
    /// so that all nodes agree.
    pub(super) fn now_ms(&self) -> u64 {
        let offset = self.0.clock_offset_ms.load(Ordering::Relaxed);
        StoredAt::now().unix_ms.saturating_add_signed(offset)
    }

    /// Compares this machine's clock with that of the book. Blocks.
    ///
    /// # Errors
    /// Fails when the store cannot be read now.
    pub(super) fn compare_clocks(&self) -> Result<(), StoreError> {
        let ahead = i128::from(self.book().now_ms()?) - i128::from(StoredAt::now().unix_ms);
        let offset = i64::try_from(ahead).unwrap_or(0);
        self.0.clock_offset_ms.store(offset, Ordering::Relaxed);
        Ok(())
    }

    /// Adapts the number of search permits to the workers of all nodes.
    pub(super) fn adapt_search_permits(&self) {
        let mut count = self.0.permit_count.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = wanted_permits(&self.0.service);
        if wanted > *count {
            self.0.search_permits.add_permits(wanted - *count);
            *count = wanted;
        } else {
            // Those in use are taken back later.
            *count -= self.0.search_permits.forget_permits(*count - wanted);
        }
    }

    /// Jobs whose retention time is over at `now_ms`, in milliseconds since 1970.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<JobId> {
        let retention_ms = u64::try_from(self.0.rules.retention.as_millis()).unwrap_or(u64::MAX);
        self.index().finished_before(now_ms.saturating_sub(retention_ms))
    }

    /// Removes jobs from the store and the index. Blocks.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub(super) fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.track_write(self.book().remove(ids))?;
        ids.iter().for_each(|id| self.index().remove(*id));
        Ok(())
    }

    /// `true` when a running job must make room for a job of another client.
    pub(super) fn should_yield(&self) -> bool {
        self.index().should_yield()
    }

    /// Adds to the number of stored evaluations.
    pub(super) fn count_evaluated(&self, count: usize) {
        self.0.positions_evaluated.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(super) fn count_started_task(&self) {
        self.0.running_tasks.send_modify(|running| *running += 1);
    }

    pub(super) fn count_stopped_task(&self) {
        self.0.running_tasks.send_modify(|running| *running -= 1);
    }

    /// Marks a job as finished once its end is stored.
    pub(super) fn on_job_finished(&self, entry: &JobEntry, end: JobEnd) {
        self.index().mark_finished(entry, end.at_ms);
        let status = JobStatus::from_end(end).name();
        let JobEntry { id, games, moves, .. } = entry;
        tracing::info!(job = %id, games, moves, status, "job ended");
    }

    /// Updates the write status with the outcome of a write, and returns the outcome.
    pub(super) fn track_write<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.set_write_status(result.as_ref().err());
        result
    }

    /// Sets whether writes fail. A change between failure and success is logged, and so is another
    /// reason of a failure.
    pub(super) fn set_write_status(&self, error: Option<&StoreError>) {
        let changed = self.0.failing.send_if_modified(|failing| {
            std::mem::replace(failing, error.is_some()) != error.is_some()
        });
        match error {
            Some(error) => self.log_failure(error.to_string(), changed),
            None if changed => tracing::info!("the jobs can be written again"),
            None => {}
        }
    }

    fn log_failure(&self, reason: String, is_first: bool) {
        if self.are_shared() && self.is_shutting_down() {
            // Another node goes on with the jobs. The server may end with this node.
            tracing::debug!(error = reason, "the jobs cannot be written at the end");
            return;
        }
        let mut logged = self.0.logged_failure.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = logged.as_ref().is_none_or(|logged| logged.is_followed_by(&reason));
        if is_first || is_new {
            tracing::error!(
                error = reason,
                "the jobs cannot be written; new results are not shown until a retry succeeds"
            );
            *logged = Some(LoggedFailure { reason, at: Instant::now() });
        }
    }
}

/// A reason why writes fail, and when it was logged.
struct LoggedFailure {
    reason: String,
    at: Instant,
}

impl LoggedFailure {
    /// `true` if another reason is news. Two that alternate are not logged each time.
    fn is_followed_by(&self, reason: &str) -> bool {
        self.reason != reason && self.at.elapsed() >= MIN_LOG_INTERVAL
    }
}

/// The number of searches that keeps all workers busy.
fn wanted_permits(service: &Service) -> usize {
    (2 * service.workers_in_reach()).min(MAX_SEARCHES)
}

/// Runs a store operation on a blocking thread. It completes even when the caller is dropped.
pub(super) async fn run_blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, JobError> + Send + 'static,
) -> Result<T, JobError> {
    spawn_blocking(operation)
        .await
        .unwrap_or_else(|error| Err(JobError::Internal(error.to_string())))
}
