//! Permits that bound the number of concurrent responses and uploads.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::analysis::{Client, client_share};

/// The permits for one kind of work, limited in number.
pub(crate) struct Permits {
    semaphore: Arc<Semaphore>,
    capacity: usize,
}

/// A permit, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _total: OwnedSemaphorePermit,
    /// The permit from the client's share, if clients have shares.
    _share: Option<OwnedSemaphorePermit>,
}

impl Permits {
    /// Creates this number of permits.
    pub(crate) fn new(capacity: usize) -> Permits {
        Permits { semaphore: Arc::new(Semaphore::new(capacity)), capacity }
    }

    /// Takes a permit if one is free.
    pub(crate) fn try_acquire(&self) -> Option<Permit> {
        let total = self.semaphore.clone().try_acquire_owned().ok()?;
        Some(Permit { _total: total, _share: None })
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self) -> Option<Permit> {
        // A closed semaphore is the only error, and this one is never closed.
        let total = self.semaphore.clone().acquire_owned().await.ok()?;
        Some(Permit { _total: total, _share: None })
    }

    /// The number of permits.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The number of permits in use.
    pub(crate) fn in_use(&self) -> usize {
        self.capacity - self.semaphore.available_permits()
    }

    /// Resolves when no permit is in use.
    pub(crate) async fn all_released(&self) {
        let capacity = u32::try_from(self.capacity).unwrap_or(u32::MAX);
        // A closed semaphore is the only error, and this one is never closed.
        let _ = self.semaphore.acquire_many(capacity).await;
    }
}

/// Permits of which each client may hold only a part.
pub(crate) struct ClientPermits {
    total: Permits,
    /// A lone client may hold one of so many parts.
    shares: usize,
    max_per_client: usize,
    /// The share of each client that has a permit or waits for one.
    clients: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

impl ClientPermits {
    /// Creates `capacity` permits, of which one client may hold one of so many shares, rounded up.
    pub(crate) fn new(capacity: usize, shares: usize) -> ClientPermits {
        ClientPermits {
            total: Permits::new(capacity),
            shares,
            max_per_client: capacity.div_ceil(shares),
            clients: Mutex::default(),
        }
    }

    /// Waits for a permit; `None` only for a closed semaphore, which does not happen. Requests are
    /// served in order, but a client waits while its own share is used up.
    pub(crate) async fn acquire(&self, client: &Client) -> Option<Permit> {
        let share = self.client_semaphore(client).acquire_owned().await.ok()?;
        let permit = self.total.acquire().await?;
        Some(Permit { _share: Some(share), ..permit })
    }

    /// Takes a permit if one is free for the client. The share of a client shrinks as fewer permits
    /// are free, so that many clients do not take all; each may hold one in any case.
    pub(crate) fn try_acquire(&self, client: &Client) -> Option<Permit> {
        let semaphore = self.client_semaphore(client);
        let share = semaphore.clone().try_acquire_owned().ok()?;
        let permit = self.total.try_acquire()?;
        // Both permits are taken before the comparison, so that concurrent requests never exceed
        // the share together.
        let held = self.max_per_client - semaphore.available_permits();
        (held <= self.limit_per_client()).then(|| Permit { _share: Some(share), ..permit })
    }

    /// The number of permits that one client may hold now.
    pub(crate) fn limit_per_client(&self) -> usize {
        let free = self.total.capacity() - self.total.in_use();
        client_share(free, self.shares).clamp(1, self.max_per_client)
    }

    /// All permits, of all clients.
    pub(crate) fn total(&self) -> &Permits {
        &self.total
    }

    /// The share of a client.
    fn client_semaphore(&self, client: &Client) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = clients.get(client).and_then(Weak::upgrade) {
            return semaphore;
        }
        clients.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(self.max_per_client));
        clients.insert(client.clone(), Arc::downgrade(&semaphore));
        semaphore
    }
}

/// Size of a chunk, in bytes. The connection keeps a chunk until it is sent, so it gets small
/// copies instead of a reference to the whole body.
const CHUNK_BYTES: usize = 64 << 10;

/// A body that holds a permit until it is dropped.
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
    async fn one_client_holds_only_its_part_of_the_permits() {
        let permits = ClientPermits::new(4, 2);
        let (ann, bob, cid) = (Client::new("ann"), Client::new("bob"), Client::new("cid"));
        let first = permits.acquire(&ann).await.unwrap();
        let _second = permits.acquire(&ann).await.unwrap();
        let mut third = pin!(permits.acquire(&ann));
        let mut context = Context::from_waker(Waker::noop());
        assert!(third.as_mut().poll(&mut context).is_pending());
        let bobs = [permits.acquire(&bob).await.unwrap(), permits.acquire(&bob).await.unwrap()];
        let mut cids = pin!(permits.acquire(&cid));
        assert!(cids.as_mut().poll(&mut context).is_pending(), "all four permits are in use");
        drop(first);
        let cids = cids.as_mut().poll(&mut context);
        assert!(cids.is_ready(), "a client that waits for its own share does not block others");
        assert!(third.as_mut().poll(&mut context).is_pending());
        drop(bobs);
        assert!(third.as_mut().poll(&mut context).is_ready());
    }

    #[test]
    fn a_new_client_finds_permits_however_many_others_hold_theirs() {
        let permits = ClientPermits::new(512, 8);
        let take_all = |number: usize| {
            let client = Client::new(&number.to_string());
            std::iter::from_fn(|| permits.try_acquire(&client)).collect::<Vec<_>>()
        };
        let held: Vec<_> = (0..16).map(take_all).collect();
        assert_eq!(held[0].len(), 64, "a lone client gets an eighth");
        assert!(take_all(16).len() >= 7);
        drop(held);
        assert_eq!((permits.total().in_use(), take_all(0).len()), (0, 64));
    }

    #[test]
    fn a_client_may_hold_one_permit_of_a_few() {
        let permits = ClientPermits::new(8, 4);
        let take_all = |number: usize| {
            let client = Client::new(&number.to_string());
            std::iter::from_fn(|| permits.try_acquire(&client)).collect::<Vec<_>>()
        };
        let held: Vec<_> = (0..8).map(take_all).collect();
        let counts: Vec<_> = held.iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[tokio::test]
    async fn clients_without_permits_are_removed() {
        let permits = ClientPermits::new(4, 2);
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
