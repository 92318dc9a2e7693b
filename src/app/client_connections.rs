//! The open connections of each client, which are limited in number.
//!
//! Besides the limit of the settings, a client holds at most a seventh of the connections that are
//! free, so that a new client always finds some. It is the rule of the memory of requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::analysis::Client;
use crate::analysis::{CLIENT_SHARES, client_share};
use crate::http::{Peer, TrustedProxies};

/// The open connections of all clients of a listener. Clones share the counts.
#[derive(Clone, Debug)]
pub(super) struct ClientConnections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Most connections of all clients.
    max: usize,
    /// Most connections of one client.
    max_per_client: usize,
    /// Their connections are those of many clients, so that no limit applies.
    proxies: TrustedProxies,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_client: HashMap<Client, usize>,
}

/// A connection of a client, counted until it is dropped.
#[derive(Debug)]
pub(super) struct ClientConnection {
    shared: Arc<Shared>,
    client: Client,
}

impl ClientConnections {
    /// Creates the counts of at most `max` connections, with a limit for each client that is no
    /// trusted proxy. A limit of `max` or more turns the shares off.
    pub(super) fn new(
        max: usize,
        max_per_client: usize,
        proxies: TrustedProxies,
    ) -> ClientConnections {
        let open = Mutex::default();
        ClientConnections(Arc::new(Shared { max, max_per_client, proxies, open }))
    }

    /// Counts a new connection; `None` if its client has as many as it may.
    pub(super) fn open(&self, address: IpAddr, peer: &Peer) -> Option<ClientConnection> {
        let client = peer.client().clone();
        let mut open = self.0.lock();
        let limit = self.0.limit(open.total);
        let count = open.by_client.entry(client.clone()).or_default();
        if *count >= limit && !self.0.proxies.trusts(address.to_canonical()) {
            return None;
        }
        *count += 1;
        open.total += 1;
        Some(ClientConnection { shared: self.0.clone(), client })
    }
}

impl Shared {
    /// How many connections one client may hold while so many are open.
    fn limit(&self, open: usize) -> usize {
        if self.max_per_client >= self.max {
            return self.max;
        }
        let share = client_share(self.max.saturating_sub(open), CLIENT_SHARES);
        self.max_per_client.min(share.max(1))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        let mut open = self.shared.lock();
        open.total -= 1;
        if let Some(count) = open.by_client.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_limit_and_a_trusted_proxy_has_none() {
        let proxies = TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let connections = ClientConnections::new(100, 2, proxies);
        let open = |address: &str| {
            let address = address.parse().unwrap();
            connections.open(address, &Peer::new(address))
        };
        let first = open("192.0.2.1").unwrap();
        let _second = open("192.0.2.1").unwrap();
        assert!(open("192.0.2.1").is_none());
        assert!(open("::ffff:192.0.2.1").is_none(), "the same address");
        let _other = open("192.0.2.2").unwrap();
        drop(first);
        let _third = open("192.0.2.1").unwrap();
        let _v6 = (open("2001:db8::1").unwrap(), open("2001:db8::2").unwrap());
        assert!(open("2001:db8::3").is_none(), "one /64 network is one client");
        let behind_proxy: Vec<_> = (0..5).map(|_| open("10.1.2.3").unwrap()).collect();
        drop(behind_proxy);
        let open = connections.0.lock();
        assert_eq!((open.by_client.len(), open.total), (3, 5));
    }

    #[test]
    fn a_new_client_finds_connections_however_many_others_hold_theirs() {
        let connections = ClientConnections::new(2_048, 256, TrustedProxies::default());
        let take_all = |number: u8| {
            let address = IpAddr::from([192, 0, 2, number]);
            let all = std::iter::from_fn(|| connections.open(address, &Peer::new(address)));
            all.collect::<Vec<_>>()
        };
        let held: Vec<_> = (0..16).map(take_all).collect();
        assert!((250..=256).contains(&held[0].len()), "{}", held[0].len());
        assert!(take_all(16).len() >= 20);
        drop(held);
        let one = ClientConnections::new(8, 8, TrustedProxies::default());
        let address = IpAddr::from([192, 0, 2, 1]);
        let all = std::iter::from_fn(|| one.open(address, &Peer::new(address)));
        assert_eq!(all.take(8).collect::<Vec<_>>().len(), 8, "without shares");
    }
}
