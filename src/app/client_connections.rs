//! The open connections of each client, which are limited in number.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::analysis::Client;
use crate::http::{Peer, TrustedProxies};

/// The open connections of all clients of a listener. Clones share the counts.
#[derive(Clone, Debug)]
pub(super) struct ClientConnections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Most connections of one client.
    max_per_client: usize,
    /// Their connections are those of many clients, so that no limit applies.
    proxies: TrustedProxies,
    open: Mutex<HashMap<Client, usize>>,
}

/// A connection of a client, counted until it is dropped.
#[derive(Debug)]
pub(super) struct ClientConnection {
    shared: Arc<Shared>,
    client: Client,
}

impl ClientConnections {
    /// Creates the counts, with this limit for each client that is no trusted proxy.
    pub(super) fn new(max_per_client: usize, proxies: TrustedProxies) -> ClientConnections {
        ClientConnections(Arc::new(Shared { max_per_client, proxies, open: Mutex::default() }))
    }

    /// Counts a new connection; `None` if its client has as many as it may.
    pub(super) fn open(&self, address: IpAddr, peer: &Peer) -> Option<ClientConnection> {
        let client = peer.client().clone();
        let mut open = self.0.lock();
        let count = open.entry(client.clone()).or_default();
        if *count >= self.0.max_per_client && !self.0.proxies.trusts(address.to_canonical()) {
            return None;
        }
        *count += 1;
        Some(ClientConnection { shared: self.0.clone(), client })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, HashMap<Client, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        let mut open = self.shared.lock();
        if let Some(count) = open.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.client);
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
        let connections = ClientConnections::new(2, proxies);
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
        assert_eq!(connections.0.lock().len(), 3);
    }
}
