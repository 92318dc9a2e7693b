//! The leases of searches: for each flight, a key with the node that runs it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::cmd;
use tokio::runtime::Handle;
use tokio::time::{MissedTickBehavior, interval};

use crate::analysis::{ClusterNode, FlightId, FlightLease, FlightPlace};
use crate::cluster::breaker::Breaker;
use crate::cluster::command_error::CommandError;
use crate::cluster::connection::Connection;
use crate::cluster::keys::Keys;
use crate::cluster::node::NodeId;

/// The longest time for which a request waits for the place of its flight.
const ENTER_LIMIT: Duration = Duration::from_millis(5);

/// The longest time until other commands are answered.
const LIMIT: Duration = Duration::from_secs(1);

/// How long a lease that is not renewed lasts.
const LIFETIME: Duration = Duration::from_secs(6);

/// The time between two renewals.
const RENEWAL: Duration = Duration::from_secs(2);

/// Takes the lease unless another node has it. Returns the node that has it then.
///
/// `KEYS`: the lease. `ARGV`: this node, the lifetime in milliseconds, a lost node or an empty text.
const ENTER: &str = "
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and (ARGV[3] == '' or holder ~= ARGV[3]) then return holder end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]";

/// Renews the lease if this node has it, or if it is lost with the server's data.
///
/// `KEYS`: the lease. `ARGV`: this node, the lifetime in milliseconds.
const RENEW: &str = "
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1";

/// Ends the lease if this node has it.
///
/// `KEYS`: the lease. `ARGV`: this node.
const LEAVE: &str = "
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0";

/// The leases of a node. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Leases(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Arc<Connection>,
    keys: Keys,
    node: NodeId,
    breaker: Breaker,
    /// The leases of this node, by number.
    held: Mutex<HashMap<u64, FlightId>>,
    next_number: AtomicU64,
    /// A refusal of the server was logged.
    is_refusal_logged: AtomicBool,
}

/// A lease of this node. Dropping it ends it.
#[derive(Debug)]
struct Lease {
    leases: Leases,
    number: u64,
    flight: FlightId,
    runtime: Handle,
}

impl Leases {
    /// The leases of this node.
    pub(in crate::cluster) fn new(connection: Arc<Connection>, keys: Keys, node: NodeId) -> Leases {
        Leases(Arc::new(Inner {
            connection,
            keys,
            node,
            breaker: Breaker::default(),
            held: Mutex::default(),
            next_number: AtomicU64::new(0),
            is_refusal_logged: AtomicBool::new(false),
        }))
    }

    /// Takes the lease of a flight, unless another node has it that is not `lost`.
    pub(in crate::cluster) async fn enter(
        &self,
        flight: FlightId,
        lost: Option<ClusterNode>,
    ) -> FlightPlace {
        let Inner { connection, keys, node, breaker, is_refusal_logged, .. } = &*self.0;
        if !connection.is_connected() || !breaker.allows() {
            return FlightPlace::Unknown;
        }
        let lost = lost.as_ref().map_or("", |ClusterNode(node)| node);
        let mut command = cmd("EVAL");
        command.arg(ENTER).arg(1).arg(keys.flight(&flight.0)).arg(node.as_str());
        command.arg(LIFETIME.as_millis() as u64).arg(lost);
        match connection.run::<String>(&command, ENTER_LIMIT).await {
            Ok(holder) => {
                breaker.record(true);
                is_refusal_logged.store(false, Ordering::Relaxed);
                self.place(flight, &holder)
            }
            Err(error) => {
                self.0.note_failure(&error);
                FlightPlace::Unknown
            }
        }
    }

    fn place(&self, flight: FlightId, holder: &str) -> FlightPlace {
        if holder != self.0.node.as_str() {
            // Anything else is no node, and nobody can be asked.
            let holder = NodeId::parse(holder);
            return holder.map_or(FlightPlace::Unknown, |holder| {
                FlightPlace::Elsewhere(ClusterNode(holder.as_str().into()))
            });
        }
        let number = self.0.next_number.fetch_add(1, Ordering::Relaxed);
        self.0.held().insert(number, flight);
        let (leases, runtime) = (self.clone(), Handle::current());
        FlightPlace::Here(FlightLease::new(Lease { leases, number, flight, runtime }))
    }

    /// Renews the leases of this node, again and again.
    pub(in crate::cluster) async fn keep(&self) {
        let mut ticks = interval(RENEWAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.0.renew().await {
                tracing::debug!(error = error.to_string(), "leases of searches were not renewed");
            }
        }
    }
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, HashMap<u64, FlightId>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn renew(&self) -> Result<(), CommandError> {
        let flights: Vec<FlightId> = self.held().values().copied().collect();
        if flights.is_empty() {
            return Ok(());
        }
        let mut commands = redis::pipe();
        for flight in flights {
            let command = commands.cmd("EVAL").arg(RENEW).arg(1).arg(self.keys.flight(&flight.0));
            command.arg(self.node.as_str()).arg(LIFETIME.as_millis() as u64).ignore();
        }
        self.connection.run_all(&commands, LIMIT).await
    }

    async fn leave(&self, flight: FlightId) {
        let mut command = cmd("EVAL");
        command.arg(LEAVE).arg(1).arg(self.keys.flight(&flight.0)).arg(self.node.as_str());
        if let Err(error) = self.connection.run::<()>(&command, LIMIT).await {
            tracing::debug!(error = error.to_string(), "the lease of a search ends by itself");
        }
    }

    fn note_failure(&self, error: &CommandError) {
        if error.server_code().is_none() {
            self.breaker.record(false);
        } else if !self.is_refusal_logged.swap(true, Ordering::Relaxed) {
            let error = error.to_string();
            tracing::warn!(error, "the cluster's server refuses leases of searches");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let (inner, flight) = (self.leases.0.clone(), self.flight);
        let mut held = inner.held();
        held.remove(&self.number);
        let is_last = !held.values().any(|other| *other == flight);
        drop(held);
        if is_last {
            // Of a runtime that shuts down, the task is dropped at once, and the lease ends by
            // itself.
            self.runtime.spawn(async move { inner.leave(flight).await });
        }
    }
}
