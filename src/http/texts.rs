//! How many texts of games are received and read at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::analysis::Client;

/// So many texts there are in memory at once.
pub(crate) const TEXTS_AT_ONCE: usize = 4;

/// So many of them are one client's: whoever sends slowly keeps others from nothing.
pub(crate) const TEXTS_OF_ONE: usize = TEXTS_AT_ONCE.div_ceil(2);

/// The places for texts.
#[derive(Debug)]
pub(crate) struct TextPlaces {
    all: Arc<Semaphore>,
    /// The places of each client that has one or waits for one.
    clients: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

/// A text's place, which it holds until it is dropped.
#[derive(Debug)]
pub(crate) struct TextPlace {
    #[expect(dead_code, reason = "it is held, not read")]
    permits: [OwnedSemaphorePermit; 2],
}

impl Default for TextPlaces {
    fn default() -> TextPlaces {
        TextPlaces { all: Arc::new(Semaphore::new(TEXTS_AT_ONCE)), clients: Mutex::default() }
    }
}

impl TextPlaces {
    /// Takes a place, once there is one; in the order of asking, but for clients that have their
    /// share.
    ///
    /// # Errors
    /// When no place is given any more, which does not happen.
    pub(crate) async fn take(&self, client: &Client) -> Result<TextPlace, AcquireError> {
        let of_client = self.of(client).acquire_owned().await?;
        Ok(TextPlace { permits: [of_client, self.all.clone().acquire_owned().await?] })
    }

    /// The places of a client.
    fn of(&self, client: &Client) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = clients.get(client).and_then(Weak::upgrade) {
            return places;
        }
        clients.retain(|_, places| places.strong_count() > 0);
        let places = Arc::new(Semaphore::new(TEXTS_OF_ONE));
        clients.insert(client.clone(), Arc::downgrade(&places));
        places
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn who_sends_slowly_leaves_half_of_the_places_to_others() {
        let places = TextPlaces::default();
        let (ann, bob, cid) = (Client::new("ann"), Client::new("bob"), Client::new("cid"));
        let first = places.take(&ann).await.unwrap();
        let _second = places.take(&ann).await.unwrap();
        let mut third = pin!(places.take(&ann));
        let mut asleep = Context::from_waker(Waker::noop());
        assert!(third.as_mut().poll(&mut asleep).is_pending());
        let of_bob = [places.take(&bob).await.unwrap(), places.take(&bob).await.unwrap()];
        let mut of_cid = pin!(places.take(&cid));
        assert!(of_cid.as_mut().poll(&mut asleep).is_pending(), "all four are taken");
        drop(first);
        let of_cid = of_cid.as_mut().poll(&mut asleep);
        assert!(of_cid.is_ready(), "who waits for its own share stands in nobody's way");
        assert!(third.as_mut().poll(&mut asleep).is_pending());
        drop(of_bob);
        assert!(third.as_mut().poll(&mut asleep).is_ready());
    }

    #[tokio::test]
    async fn clients_that_have_no_text_are_forgotten() {
        let places = TextPlaces::default();
        for number in 0..10 {
            drop(places.take(&Client::new(&number.to_string())).await.unwrap());
        }
        assert_eq!(places.clients.lock().unwrap().len(), 1);
    }
}
