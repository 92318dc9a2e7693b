//! How many streams, or batches, there may be at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places for answers of one kind.
pub(crate) struct Permits {
    semaphore: Arc<Semaphore>,
    capacity: usize,
}

/// An answer's place, which it holds until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(
    #[expect(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit,
);

impl Permits {
    /// So many.
    pub(crate) fn new(capacity: usize) -> Permits {
        Permits { semaphore: Arc::new(Semaphore::new(capacity)), capacity }
    }

    /// Takes one, if one is free.
    pub(crate) fn try_acquire(&self) -> Option<Permit> {
        self.semaphore.clone().try_acquire_owned().map(Permit).ok()
    }

    /// Takes one as soon as one is free.
    pub(crate) async fn acquire(&self) -> Option<Permit> {
        // The semaphore is never closed, which would be the only error.
        self.semaphore.clone().acquire_owned().await.map(Permit).ok()
    }

    /// How many there are.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many are taken.
    pub(crate) fn in_use(&self) -> usize {
        self.capacity - self.semaphore.available_permits()
    }

    /// Resolves when nobody has one.
    pub(crate) async fn all_released(&self) {
        let capacity = u32::try_from(self.capacity).unwrap_or(u32::MAX);
        // The semaphore is never closed, which would be the only error.
        let _ = self.semaphore.acquire_many(capacity).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_dropped_permit_is_available_again() {
        let permits = Permits::new(2);
        let (first, second) = (permits.try_acquire().unwrap(), permits.try_acquire().unwrap());
        assert!(permits.try_acquire().is_none());
        drop(first);
        assert_eq!(permits.in_use(), 1);
        let third = permits.try_acquire().unwrap();
        assert!(permits.try_acquire().is_none());
        drop((second, third));
        permits.all_released().await;
    }
}
