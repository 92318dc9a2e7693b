//! Waiting for a condition.

use std::time::{Duration, Instant};

/// Waits until `condition` holds and returns how long that took.
///
/// # Panics
/// Panics if it does not hold within `limit`.
pub(crate) async fn until(
    what: &str,
    limit: Duration,
    mut condition: impl AsyncFnMut() -> bool,
) -> Duration {
    let start = Instant::now();
    while !condition().await {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    start.elapsed()
}

/// Far longer than anything takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);
