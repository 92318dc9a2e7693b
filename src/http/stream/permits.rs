//! Permits that bound the number of concurrent responses and uploads.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::analysis::Client;

/// The places for answers of one kind.
pub(crate) struct Permits {
    semaphore: Arc<Semaphore>,
    capacity: usize,
}

/// A permit, which is held until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _total: OwnedSemaphorePermit,
    /// The permit out of the client's share, where clients have one.
    _share: Option<OwnedSemaphorePermit>,
}

impl Permits {
    /// So many.
    pub(crate) fn new(capacity: usize) -> Permits {
        Permits { semaphore: Arc::new(Semaphore::new(capacity)), capacity }
    }

    /// Takes one, if one is free.
    pub(crate) fn try_acquire(&self) -> Option<Permit> {
        let total = self.semaphore.clone().try_acquire_owned().ok()?;
        Some(Permit { _total: total, _share: None })
    }

    /// Takes one as soon as one is free.
    pub(crate) async fn acquire(&self) -> Option<Permit> {
        // The semaphore is never closed, which would be the only error.
        let total = self.semaphore.clone().acquire_owned().await.ok()?;
        Some(Permit { _total: total, _share: None })
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

/// So many texts there are in memory at once.
pub(crate) const MAX_CONCURRENT_UPLOADS: usize = 4;

/// So many of them are one client's: whoever sends slowly keeps others from nothing.
pub(crate) const MAX_UPLOADS_PER_CLIENT: usize = MAX_CONCURRENT_UPLOADS.div_ceil(2);

/// The places for texts.
pub(crate) struct UploadPermits {
    total: Permits,
    /// The places of each client that has one or waits for one.
    clients: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

impl Default for UploadPermits {
    fn default() -> UploadPermits {
        UploadPermits { total: Permits::new(MAX_CONCURRENT_UPLOADS), clients: Mutex::default() }
    }
}

impl UploadPermits {
    /// Waits for a permit; `None` when there will be none, which does not happen. Requests are
    /// served in their order, except that a client waits while its own share is used up.
    pub(crate) async fn acquire(&self, client: &Client) -> Option<Permit> {
        let share = self.client_semaphore(client).acquire_owned().await.ok()?;
        let permit = self.total.acquire().await?;
        Some(Permit { _share: Some(share), ..permit })
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

/// Bytes of a piece. What the connection has taken it keeps until it is sent: so it gets a copy of
/// little, and never hold of the whole.
const CHUNK_BYTES: usize = 64 << 10;

/// A body that holds a place.
pub(crate) fn body_with_permit(bytes: impl Into<Bytes>, permit: Permit) -> Body {
    Body::new(PermitBody { rest: bytes.into(), _permit: permit })
}

struct PermitBody {
    rest: Bytes,
    _permit: Permit,
}

impl HttpBody for PermitBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(CHUNK_BYTES);
        let chunk = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::{Context, Waker};

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

    #[tokio::test]
    async fn the_permit_is_held_until_the_body_is_dropped() {
        let permits = Permits::new(2);
        let text: Vec<u8> = (0..=255).cycle().take(CHUNK_BYTES + 100).collect();
        let mut body = body_with_permit(text.clone(), permits.try_acquire().unwrap());
        let _left = body_with_permit(text.clone(), permits.try_acquire().unwrap());
        assert_eq!((body.size_hint().exact(), permits.in_use()), (Some(text.len() as u64), 2));
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            read.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        assert_eq!((read, body.is_end_stream(), permits.in_use()), (text, true, 2));
        drop((body, _left));
        assert_eq!(permits.in_use(), 0);
    }
}
