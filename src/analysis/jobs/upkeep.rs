//! What is done about jobs though nobody asks: old ones go, and a disk that has refused is tried
//! out.

use std::time::Duration;

use tokio::time::timeout;

use super::service::{Jobs, blocking};
use crate::analysis::known::Stored;

/// How often it is looked for jobs that have been over for long enough, at most.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A disk that has refused is tried out again after so long.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Lets go what has been over for long enough, again and again.
pub(super) async fn expire(jobs: Jobs) {
    let mut ending = jobs.ending();
    let every = (jobs.rules().keep / 10).clamp(Duration::from_millis(100), LOOK_EVERY);
    loop {
        let expired = jobs.expired(Stored::now().milliseconds);
        if !expired.is_empty() {
            let jobs = jobs.clone();
            if let Err(error) = blocking(move || Ok(jobs.remove(&expired)?)).await {
                tracing::warn!(
                    error = error.to_string(),
                    "jobs that have expired cannot be deleted; it is tried again"
                );
            }
        }
        if timeout(every, ending.wait_for(|ending| *ending)).await.is_ok() {
            return;
        }
    }
}

/// While the disk refuses it is tried out again and again: it may be that nobody else writes.
pub(super) async fn recover(jobs: Jobs) {
    let (mut failing, mut ending) = (jobs.failing(), jobs.ending());
    loop {
        tokio::select! {
            // Both senders live in `jobs`, so that the only error, their end, cannot come.
            _ = ending.wait_for(|ending| *ending) => return,
            _ = failing.wait_for(|failing| *failing) => {}
        }
        let tried = {
            let jobs = jobs.clone();
            blocking(move || Ok(jobs.noted(jobs.file().try_out())?)).await
        };
        if let Err(error) = tried {
            tracing::debug!(error = error.to_string(), "the disk still refuses");
            if timeout(TRY_AGAIN, ending.wait_for(|ending| *ending)).await.is_ok() {
                return;
            }
        }
    }
}
