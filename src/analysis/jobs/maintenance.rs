//! Background tasks of the job service: expiry of finished jobs, and write probes after a failure.

use std::time::Duration;

use tokio::time::timeout;

use super::state::{Jobs, run_blocking};

/// Maximum time between two searches for expired jobs.
const MAX_EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// Time between two write probes.
const WRITE_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Removes expired jobs at regular intervals until shutdown.
pub(super) async fn expire_jobs(jobs: Jobs) {
    let mut shutdown = jobs.subscribe_shutdown();
    let interval =
        (jobs.rules().retention / 10).clamp(Duration::from_millis(100), MAX_EXPIRY_INTERVAL);
    loop {
        let expired = jobs.expired(jobs.now_ms());
        if !expired.is_empty() {
            let jobs = jobs.clone();
            if let Err(error) = run_blocking(move || Ok(jobs.remove(&expired)?)).await {
                tracing::warn!(
                    error = error.to_string(),
                    "expired jobs could not be deleted; the server retries"
                );
            }
        }
        if timeout(interval, shutdown.wait_for(|shutting_down| *shutting_down)).await.is_ok() {
            return;
        }
    }
}

/// Probes the disk while writes fail, because there may be no other write that detects recovery.
pub(super) async fn retry_writes(jobs: Jobs) {
    let (mut failing, mut shutdown) = (jobs.subscribe_failing(), jobs.subscribe_shutdown());
    loop {
        tokio::select! {
            // `jobs` owns both senders, so `wait_for` cannot fail.
            _ = shutdown.wait_for(|shutting_down| *shutting_down) => return,
            _ = failing.wait_for(|failing| *failing) => {}
        }
        let probe = {
            let jobs = jobs.clone();
            run_blocking(move || Ok(jobs.track_write(jobs.book().check_writable())?)).await
        };
        if let Err(error) = probe {
            tracing::debug!(error = error.to_string(), "write probe failed");
            if timeout(WRITE_RETRY_INTERVAL, shutdown.wait_for(|shutting_down| *shutting_down))
                .await
                .is_ok()
            {
                return;
            }
        }
    }
}
