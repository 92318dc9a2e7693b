//! How many streams there may be at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::problem::Problem;

/// The places for streams.
pub(crate) struct StreamPlaces {
    free: Arc<Semaphore>,
    all: usize,
}

/// A stream's place, which it holds until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamPlace(#[expect(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit);

impl StreamPlaces {
    /// So many.
    pub(crate) fn new(all: usize) -> StreamPlaces {
        StreamPlaces { free: Arc::new(Semaphore::new(all)), all }
    }

    /// Takes one.
    ///
    /// # Errors
    /// `queue_full` when there is none.
    pub(crate) fn take(&self) -> Result<StreamPlace, Problem> {
        self.free.clone().try_acquire_owned().map(StreamPlace).map_err(|_| Problem::no_stream_free(self.all))
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
        let places = StreamPlaces::new(2);
        let (first, second) = (places.take().unwrap(), places.take().unwrap());
        assert!(places.take().is_err());
        drop(first);
        assert_eq!(places.taken(), 1);
        let third = places.take().unwrap();
        assert!(places.take().is_err());
        drop((second, third));
        places.all_free().await;
    }
}
