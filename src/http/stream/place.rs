//! How many streams, or batches, there may be at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places for answers of one kind.
pub(crate) struct Places {
    free: Arc<Semaphore>,
    all: usize,
}

/// An answer's place, which it holds until it is dropped.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit);

impl Places {
    /// So many.
    pub(crate) fn new(all: usize) -> Places {
        Places { free: Arc::new(Semaphore::new(all)), all }
    }

    /// Takes one, if one is free.
    pub(crate) fn take(&self) -> Option<Place> {
        self.free.clone().try_acquire_owned().map(Place).ok()
    }

    /// Takes one as soon as one is free.
    pub(crate) async fn wait(&self) -> Option<Place> {
        // The semaphore is never closed, which would be the only error.
        self.free.clone().acquire_owned().await.map(Place).ok()
    }

    /// How many there are.
    pub(crate) fn all(&self) -> usize {
        self.all
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.all - self.free.available_permits()
    }

    /// Resolves when nobody has one.
    pub(crate) async fn all_free(&self) {
        let all = u32::try_from(self.all).unwrap_or(u32::MAX);
        // The semaphore is never closed, which would be the only error.
        let _ = self.free.acquire_many(all).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_free_again_when_its_stream_has_ended() {
        let places = Places::new(2);
        let (first, second) = (places.take().unwrap(), places.take().unwrap());
        assert!(places.take().is_none());
        drop(first);
        assert_eq!(places.taken(), 1);
        let third = places.take().unwrap();
        assert!(places.take().is_none());
        drop((second, third));
        places.all_free().await;
    }
}
