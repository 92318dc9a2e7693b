//! What is done about jobs though nobody asks: old ones go, and a disk that has refused is tried
//! out.

use std::time::Duration;

use tokio::time::timeout;

use super::service::{Jobs, run_blocking};
use crate::analysis::evaluation_cache::StoredAt;

/// How often it is looked for jobs that have been over for long enough, at most.
const MAX_EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// A disk that has refused is tried out again after so long.
const WRITE_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Lets go what has been over for long enough, again and again.
pub(super) async fn expire_jobs(jobs: Jobs) {
    let mut shutdown = jobs.subscribe_shutdown();
    let interval =
        (jobs.rules().retention / 10).clamp(Duration::from_millis(100), MAX_EXPIRY_INTERVAL);
    loop {
        let expired = jobs.expired(StoredAt::now().unix_ms);
        if !expired.is_empty() {
            let jobs = jobs.clone();
            if let Err(error) = run_blocking(move || Ok(jobs.remove(&expired)?)).await {
                tracing::warn!(
                    error = error.to_string(),
                    "jobs that have expired cannot be deleted; it is tried again"
                );
            }
        }
        if timeout(interval, shutdown.wait_for(|ending| *ending)).await.is_ok() {
            return;
        }
    }
}

/// While the disk refuses it is tried out again and again: it may be that nobody else writes.
pub(super) async fn retry_writes(jobs: Jobs) {
    let (mut failing, mut shutdown) = (jobs.subscribe_failing(), jobs.subscribe_shutdown());
    loop {
        tokio::select! {
            // Both senders live in `jobs`, so that the only error, their end, cannot come.
            _ = shutdown.wait_for(|ending| *ending) => return,
            _ = failing.wait_for(|failing| *failing) => {}
        }
        let probe = {
            let jobs = jobs.clone();
            run_blocking(move || Ok(jobs.recorded_write(jobs.file().check_writable())?)).await
        };
        if let Err(error) = probe {
            tracing::debug!(error = error.to_string(), "the disk still refuses");
            if timeout(WRITE_RETRY_INTERVAL, shutdown.wait_for(|ending| *ending)).await.is_ok() {
                return;
            }
        }
    }
}
