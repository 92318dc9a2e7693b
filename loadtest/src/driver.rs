//! The driver of a load test: the closed and the open loop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout_at};

use crate::error::LoadError;
use crate::load_test::{LoadModel, LoadTest};
use crate::outcome::RequestOutcome;
use crate::report::LoadReport;
use crate::request::{RequestKind, RequestSet};
use crate::stats::LoadStats;
use crate::target::Target;

/// Pause of a connection in a closed loop after a failed request.
const FAILURE_BACKOFF: Duration = Duration::from_millis(100);

/// Most attempts to warm up a position, when the server refuses it with a `Retry-After`.
const MAX_WARM_UP_ATTEMPTS: u32 = 5;

/// A running measurement.
struct Run {
    target: Target,
    requests: RequestSet,
    stats: Mutex<LoadStats>,
    end: Instant,
}

impl LoadTest {
    /// Runs the measurement.
    ///
    /// # Errors
    ///
    /// The server is not ready, requires a key, or cannot be warmed up.
    pub async fn run(self) -> Result<LoadReport, LoadError> {
        self.target.check().await?;
        let requests = RequestSet::new(self.kind, self.limits, &self.positions);
        if requests.count() == 0 {
            return Err(LoadError::NoPositions(self.target.urls().join(", ")));
        }
        if self.kind == RequestKind::Hit {
            for node in self.target.nodes() {
                warm_up(&node, &requests).await?;
            }
        }
        let started = Instant::now();
        let end = started + self.duration;
        let stats = Mutex::new(LoadStats::new(end, self.target.caller_count())?);
        let run = Arc::new(Run { target: self.target.clone(), requests, stats, end });
        let mut pending = match self.model {
            LoadModel::Closed { connections } => run.run_closed_loop(connections),
            LoadModel::Open { rate, in_flight } => {
                run.run_open_loop(started, rate, in_flight).await
            }
        };
        let drain_deadline = (end + self.drain).into();
        while let Ok(Some(_)) = timeout_at(drain_deadline, pending.join_next()).await {}
        // Each remaining task has one running request, in both loops.
        run.stats().unfinished = pending.len() as u64;
        pending.shutdown().await;
        Ok(LoadReport::new(&self, &run.stats()))
    }
}

impl Run {
    fn stats(&self) -> MutexGuard<'_, LoadStats> {
        // A panic cannot leave the counters inconsistent.
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and records its outcome. Returns the wait before the next one.
    async fn send_request(&self, index: usize, due: Instant) -> Option<Duration> {
        let outcome = RequestOutcome::send(&self.target, &self.requests, index).await;
        let has_failed = matches!(outcome, RequestOutcome::Failed(_));
        let retry_after = self.stats().record(self.target.caller_index(index), due, outcome);
        if has_failed { Some(FAILURE_BACKOFF) } else { retry_after }
    }

    /// Starts the connections of a closed loop.
    fn run_closed_loop(self: &Arc<Run>, connections: usize) -> JoinSet<()> {
        let next = Arc::new(AtomicUsize::new(0));
        let connection = |run: Arc<Run>, next: Arc<AtomicUsize>| async move {
            while Instant::now() < run.end {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if let Some(wait) = run.send_request(index, Instant::now()).await {
                    let next_at = Instant::now()
                        .checked_add(wait)
                        .map_or(run.end, |next_at| next_at.min(run.end));
                    sleep_until(next_at.into()).await;
                }
            }
        };
        (0..connections).map(|_| connection(Arc::clone(self), Arc::clone(&next))).collect()
    }

    /// Sends the requests of an open loop. Returns those that are still running.
    async fn run_open_loop(
        self: &Arc<Run>,
        started: Instant,
        rate: f64,
        max_in_flight: usize,
    ) -> JoinSet<()> {
        let permits = Arc::new(Semaphore::new(max_in_flight.min(Semaphore::MAX_PERMITS)));
        let mut pending = JoinSet::new();
        let total = (rate * (self.end - started).as_secs_f64()).round() as usize;
        for index in 0..total {
            let due = started + Duration::from_secs_f64(index as f64 / rate);
            sleep_until(due.into()).await;
            while pending.try_join_next().is_some() {}
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
                self.stats().not_sent += 1;
                continue;
            };
            let run = Arc::clone(self);
            pending.spawn(async move {
                run.send_request(index, due).await;
                drop(permit);
            });
        }
        sleep_until(self.end.into()).await;
        pending
    }
}

/// Searches every position, so that it is in the evaluation cache.
async fn warm_up(target: &Target, requests: &RequestSet) -> Result<(), LoadError> {
    for index in 0..requests.count() {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match RequestOutcome::send(target, requests, index).await {
                RequestOutcome::Complete(_) => break,
                RequestOutcome::Refused { retry_after: Some(wait), .. }
                    if attempts < MAX_WARM_UP_ATTEMPTS =>
                {
                    sleep(wait).await
                }
                other => return Err(LoadError::WarmUpFailed(format!("{other:?}"))),
            }
        }
    }
    Ok(())
}
