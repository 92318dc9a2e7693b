//! The memory of requests that are being read or answered, shared out between clients.
//!
//! A client holds at most its [`client_share`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;

use crate::analysis::{CLIENT_SHARES, Client, client_share};

/// The bytes that each request takes from its head to the end of its response: its task and its
/// HTTP/2 stream, its headers, and the part of its body and response up to
/// [`FREE_BODY_BYTES`] each.
pub(crate) const REQUEST_BYTES: usize = 16 << 10;

/// The part of a body that waits in the buffers of its connection while the server reads nothing:
/// the HTTP/2 window, which is larger than the buffer of HTTP/1.
pub(crate) const UNREAD_BODY_BYTES: usize = 32 << 10;

/// Bodies and responses up to this size are covered by [`REQUEST_BYTES`].
pub(crate) const FREE_BODY_BYTES: usize = 4 << 10;

/// Beyond this number of known clients, those without requests are forgotten.
const MAX_IDLE_CLIENTS: usize = 1_024;

/// The memory that all requests may take together.
#[derive(Debug)]
pub(crate) struct RequestMemory {
    capacity: usize,
    in_use: AtomicUsize,
    clients: DashMap<Client, Arc<AtomicUsize>>,
}

/// The memory of one request, released when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    memory: Arc<RequestMemory>,
    /// The bytes that all requests of the client hold.
    client_bytes: Arc<AtomicUsize>,
    bytes: AtomicUsize,
}

/// A part of a reservation that is given back earlier, when it is dropped.
#[derive(Debug)]
pub(crate) struct PartialReservation {
    reservation: Arc<Reservation>,
    bytes: usize,
}

/// Marks a response whose body takes no memory of its own, or has a permit that stands for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountedBody;

/// The client's share does not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShareExceeded;

impl RequestMemory {
    /// Creates the memory of this many bytes.
    pub(crate) fn new(capacity: usize) -> Arc<RequestMemory> {
        Arc::new(RequestMemory { capacity, in_use: AtomicUsize::new(0), clients: DashMap::new() })
    }

    /// Reserves the memory of a new request of this client.
    ///
    /// # Errors
    /// Fails if the client would hold more than its share.
    pub(crate) fn reserve(
        self: &Arc<RequestMemory>,
        client: &Client,
    ) -> Result<Arc<Reservation>, ShareExceeded> {
        let client_bytes = self.client_bytes(client);
        self.take(&client_bytes, REQUEST_BYTES)?;
        Ok(Arc::new(Reservation {
            memory: self.clone(),
            client_bytes,
            bytes: AtomicUsize::new(REQUEST_BYTES),
        }))
    }

    /// The bytes that all requests hold.
    pub(crate) fn in_use(&self) -> usize {
        self.in_use.load(Ordering::Relaxed)
    }

    fn client_bytes(&self, client: &Client) -> Arc<AtomicUsize> {
        if let Some(bytes) = self.clients.get(client) {
            return bytes.clone();
        }
        if self.clients.len() >= MAX_IDLE_CLIENTS {
            // A counter that a reservation holds has a second owner.
            self.clients.retain(|_, bytes| Arc::strong_count(bytes) > 1);
        }
        self.clients.entry(client.clone()).or_default().clone()
    }

    /// Adds bytes of a client. Both counters are raised first and lowered again on a failure, so
    /// that concurrent requests never exceed the capacity together.
    fn take(&self, client_bytes: &AtomicUsize, bytes: usize) -> Result<(), ShareExceeded> {
        let in_use = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let of_client = client_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let free = self.capacity.saturating_sub(in_use);
        if of_client <= client_share(free, CLIENT_SHARES) {
            return Ok(());
        }
        self.give_back(client_bytes, bytes);
        Err(ShareExceeded)
    }

    fn give_back(&self, client_bytes: &AtomicUsize, bytes: usize) {
        client_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.in_use.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Reservation {
    /// Reserves more bytes, until the request ends.
    ///
    /// # Errors
    /// Fails if the client would hold more than its share.
    pub(crate) fn grow(self: &Arc<Reservation>, bytes: usize) -> Result<(), ShareExceeded> {
        let mut part = self.part();
        part.grow_to(bytes)?;
        part.keep();
        Ok(())
    }

    /// An empty part, which can grow and is given back on its own.
    pub(crate) fn part(self: &Arc<Reservation>) -> PartialReservation {
        PartialReservation { reservation: self.clone(), bytes: 0 }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.give_back(&self.client_bytes, *self.bytes.get_mut());
    }
}

impl PartialReservation {
    /// Raises the part to this number of bytes, or leaves a larger part as it is.
    ///
    /// # Errors
    /// Fails if the client would hold more than its share.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), ShareExceeded> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 {
            self.reservation.memory.take(&self.reservation.client_bytes, more)?;
            self.bytes += more;
        }
        Ok(())
    }

    /// Keeps the part until the request ends.
    pub(crate) fn keep(mut self) {
        self.reservation.bytes.fetch_add(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for PartialReservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.reservation.memory.give_back(&self.reservation.client_bytes, self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1 << 20;

    fn client(number: usize) -> Client {
        Client::new(&format!("client {number}"))
    }

    /// Takes all that a client gets, and returns it with its size.
    fn take_all(memory: &Arc<RequestMemory>, number: usize) -> (Vec<Arc<Reservation>>, usize) {
        let all: Vec<_> = std::iter::from_fn(|| memory.reserve(&client(number)).ok()).collect();
        let bytes = all.len() * REQUEST_BYTES;
        (all, bytes)
    }

    #[test]
    fn a_lone_client_gets_an_eighth() {
        let memory = RequestMemory::new(32 * MB);
        let (_held, bytes) = take_all(&memory, 0);
        assert_eq!(bytes, 4 * MB);
    }

    #[test]
    fn a_new_client_always_finds_a_share() {
        let memory = RequestMemory::new(32 * MB);
        let held: Vec<_> = (0..16).map(|number| take_all(&memory, number)).collect();
        assert!(held.iter().map(|(_, bytes)| bytes).sum::<usize>() < 32 * MB);
        let (_, bytes) = take_all(&memory, 16);
        assert!(bytes >= 8 * REQUEST_BYTES, "{bytes}");
    }

    #[test]
    fn everything_is_given_back() {
        let memory = RequestMemory::new(32 * MB);
        let reservation = memory.reserve(&client(0)).unwrap();
        reservation.grow(MB).unwrap();
        let mut part = reservation.part();
        part.grow_to(100).unwrap();
        part.grow_to(MB).unwrap();
        part.grow_to(7).unwrap();
        assert_eq!(part.grow_to(4 * MB), Err(ShareExceeded));
        assert_eq!(reservation.grow(3 * MB), Err(ShareExceeded));
        assert_eq!(memory.in_use(), REQUEST_BYTES + 2 * MB);
        drop(part);
        assert_eq!(memory.in_use(), REQUEST_BYTES + MB);
        drop(reservation);
        assert_eq!(memory.in_use(), 0);
    }

    #[test]
    fn clients_without_requests_are_forgotten_beyond_a_bound() {
        let memory = RequestMemory::new(32 * MB);
        let _held = memory.reserve(&client(0)).unwrap();
        for number in 1..3 * MAX_IDLE_CLIENTS {
            drop(memory.reserve(&client(number)).unwrap());
        }
        assert!(memory.clients.len() <= MAX_IDLE_CLIENTS, "{}", memory.clients.len());
        assert!(memory.clients.contains_key(&client(0)));
    }
}
