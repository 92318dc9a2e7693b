//! How many texts of games are received and read at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::analysis::Client;

/// So many texts there are in memory at once.
pub(crate) const MAX_CONCURRENT_UPLOADS: usize = 4;

/// So many of them are one client's: whoever sends slowly keeps others from nothing.
pub(crate) const MAX_UPLOADS_PER_CLIENT: usize = MAX_CONCURRENT_UPLOADS.div_ceil(2);

/// The places for texts.
#[derive(Debug)]
pub(crate) struct UploadPermits {
    total: Arc<Semaphore>,
    /// The places of each client that has one or waits for one.
    clients: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

/// A text's place, which it holds until it is dropped.
#[derive(Debug)]
pub(crate) struct UploadPermit {
    #[expect(dead_code, reason = "it is held, not read")]
    permits: [OwnedSemaphorePermit; 2],
}

impl Default for UploadPermits {
    fn default() -> UploadPermits {
        UploadPermits {
            total: Arc::new(Semaphore::new(MAX_CONCURRENT_UPLOADS)),
            clients: Mutex::default(),
        }
    }
}

impl UploadPermits {
    /// Takes a place, once there is one; in the order of asking, but for clients that have their
    /// share.
    ///
    /// # Errors
    /// When no place is given any more, which does not happen.
    pub(crate) async fn acquire(&self, client: &Client) -> Result<UploadPermit, AcquireError> {
        let client_permit = self.client_semaphore(client).acquire_owned().await?;
        Ok(UploadPermit { permits: [client_permit, self.total.clone().acquire_owned().await?] })
    }

    /// The places of a client.
    fn client_semaphore(&self, client: &Client) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = clients.get(client).and_then(Weak::upgrade) {
            return semaphore;
        }
        clients.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(MAX_UPLOADS_PER_CLIENT));
        clients.insert(client.clone(), Arc::downgrade(&semaphore));
        semaphore
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn one_client_holds_at_most_half_of_the_permits() {
        let permits = UploadPermits::default();
        let (ann, bob, cid) = (Client::new("ann"), Client::new("bob"), Client::new("cid"));
        let first = permits.acquire(&ann).await.unwrap();
        let _second = permits.acquire(&ann).await.unwrap();
        let mut third = pin!(permits.acquire(&ann));
        let mut asleep = Context::from_waker(Waker::noop());
        assert!(third.as_mut().poll(&mut asleep).is_pending());
        let of_bob = [permits.acquire(&bob).await.unwrap(), permits.acquire(&bob).await.unwrap()];
        let mut of_cid = pin!(permits.acquire(&cid));
        assert!(of_cid.as_mut().poll(&mut asleep).is_pending(), "all four are taken");
        drop(first);
        let of_cid = of_cid.as_mut().poll(&mut asleep);
        assert!(of_cid.is_ready(), "who waits for its own share stands in nobody's way");
        assert!(third.as_mut().poll(&mut asleep).is_pending());
        drop(of_bob);
        assert!(third.as_mut().poll(&mut asleep).is_ready());
    }

    #[tokio::test]
    async fn clients_without_uploads_are_removed() {
        let permits = UploadPermits::default();
        for number in 0..10 {
            drop(permits.acquire(&Client::new(&number.to_string())).await.unwrap());
        }
        assert_eq!(permits.clients.lock().unwrap().len(), 1);
    }
}
