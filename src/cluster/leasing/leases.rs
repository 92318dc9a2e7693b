//! The leases of searches: for each search, a key with the node that runs it.
//!
//! The value is the node and a number that is different for each lease of the node, so that the end
//! of an old lease does not end a new one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::{Cmd, cmd};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::analysis::{ClusterNode, LostNode, SearchDigest, SearchLease, SearchPlace};
use crate::cluster::command_error::{COMMAND_LIMIT, CommandError};
use crate::cluster::connection::Connection;
use crate::cluster::guard::Guard;
use crate::cluster::keys::Keys;
use crate::cluster::node::NodeId;

/// The longest time for which a request waits for the place of its search: little beside the time
/// of a long search.
const ENTER_LIMIT: Duration = Duration::from_millis(20);

/// How long a lease that is not renewed lasts.
const LIFETIME: Duration = Duration::from_secs(6);

/// The time between two renewals.
const RENEWAL: Duration = Duration::from_secs(2);

/// A lease with no more than this left was not renewed in time. A node that was silent loses it.
const OVERDUE: Duration = Duration::from_secs(3);

/// Takes the lease unless another node has it. Returns the node that has it then.
///
/// `KEYS`: the lease. `ARGV`: this node, the value of its lease, its lifetime in milliseconds, a
/// lost node or an empty text, how much a lease that this node has lost may have left.
const ENTER: &str = "
local value = redis.call('GET', KEYS[1])
local holder = value and string.match(value, '^(%S+) %d+$')
if holder and holder ~= ARGV[1] then
  if holder ~= ARGV[4] or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[5]) then return holder end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[1]";

/// Renews a lease, also if it is lost with the server's data. One that another node has taken
/// meanwhile stays its own: both search.
///
/// `KEYS`: the lease. `ARGV`: its value, the lifetime in milliseconds.
const RENEW: &str = "
local value = redis.call('GET', KEYS[1])
if not value or value == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 0";

/// Ends a lease.
///
/// `KEYS`: the lease. `ARGV`: its value.
const LEAVE: &str = "
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0";

/// The leases of a node. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Leases(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Arc<Connection>,
    keys: Keys,
    node: NodeId,
    guard: Guard,
    /// The leases of this node by their numbers, until they were ended on the server. `None` for
    /// one that is about to be ended.
    held: watch::Sender<HashMap<u64, Option<SearchDigest>>>,
    next_number: AtomicU64,
}

/// A lease of this node, or one that it may have. Dropping it ends it.
#[derive(Debug)]
struct Lease {
    inner: Arc<Inner>,
    number: u64,
    digest: SearchDigest,
    runtime: Handle,
}

impl Leases {
    /// The leases of this node.
    pub(in crate::cluster) fn new(connection: Arc<Connection>, keys: Keys, node: NodeId) -> Leases {
        let refusal = "the cluster's server refuses leases of searches";
        let guard = Guard::new(connection.clone(), refusal);
        let (held, next_number) = (watch::Sender::default(), AtomicU64::new(0));
        Leases(Arc::new(Inner { connection, keys, node, guard, held, next_number }))
    }

    /// Takes the lease of a search, unless another node has it that is not `lost`.
    pub(in crate::cluster) async fn enter(
        &self,
        digest: SearchDigest,
        lost: Option<LostNode>,
    ) -> SearchPlace {
        let inner = &self.0;
        let entered = async {
            // If the answer is late, the server may have given the lease all the same. Dropping it
            // ends it.
            let lease = self.new_lease(digest);
            let command = inner.enter_command(&lease, lost.as_ref());
            let holder = inner.connection.run::<String>(&command, ENTER_LIMIT).await?;
            Ok(inner.place(&holder, lease))
        };
        inner.guard.answer(entered).await.unwrap_or(SearchPlace::Unknown)
    }

    fn new_lease(&self, digest: SearchDigest) -> Lease {
        let inner = self.0.clone();
        let number = inner.next_number.fetch_add(1, Ordering::Relaxed);
        inner.held.send_modify(|held| {
            held.insert(number, Some(digest));
        });
        Lease { inner, number, digest, runtime: Handle::current() }
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

    /// Resolves when all leases were ended on the server.
    pub(in crate::cluster) async fn ended(&self) {
        // The sender lives as long as `self`.
        let _ = self.0.held.subscribe().wait_for(HashMap::is_empty).await;
    }
}

impl Inner {
    /// The value of a lease of this node.
    fn value(&self, number: u64) -> String {
        format!("{} {number}", self.node)
    }

    fn enter_command(&self, lease: &Lease, lost: Option<&LostNode>) -> Cmd {
        let (lost, left) = match lost {
            Some(LostNode { node, is_certain: true }) => (&*node.0, LIFETIME),
            Some(LostNode { node, is_certain: false }) => (&*node.0, OVERDUE),
            None => ("", Duration::ZERO),
        };
        let mut command = cmd("EVAL");
        command.arg(ENTER).arg(1).arg(self.keys.lease(&lease.digest.0)).arg(self.node.as_str());
        command.arg(self.value(lease.number)).arg(LIFETIME.as_millis() as u64);
        command.arg(lost).arg(left.as_millis() as u64);
        command
    }

    fn place(&self, holder: &str, lease: Lease) -> SearchPlace {
        if holder == self.node.as_str() {
            return SearchPlace::Here(SearchLease::new(lease));
        }
        lease.forget();
        // Anything else is no node, and nobody can be asked.
        NodeId::parse(holder).map_or(SearchPlace::Unknown, |holder| {
            SearchPlace::Elsewhere(ClusterNode(holder.as_str().into()))
        })
    }

    async fn renew(&self) -> Result<(), CommandError> {
        let mut held = self.held.borrow().clone();
        held.retain(|_, digest| digest.is_some());
        let mut commands = redis::pipe();
        for (&number, digest) in &held {
            let Some(digest) = digest else { continue };
            let command = commands.cmd("EVAL").arg(RENEW).arg(1).arg(self.keys.lease(&digest.0));
            command.arg(self.value(number)).arg(LIFETIME.as_millis() as u64).ignore();
        }
        if held.is_empty() {
            return Ok(());
        }
        let renewed = self.connection.run_all(&commands, COMMAND_LIMIT).await;
        // One that has ended meanwhile may have been renewed after its end.
        held.retain(|number, _| !self.is_held(*number));
        for (number, digest) in held {
            if let Some(digest) = digest {
                self.leave(number, digest).await;
            }
        }
        renewed
    }

    fn is_held(&self, number: u64) -> bool {
        self.held.borrow().get(&number).is_some_and(Option::is_some)
    }

    async fn leave(&self, number: u64, digest: SearchDigest) {
        let mut command = cmd("EVAL");
        command.arg(LEAVE).arg(1).arg(self.keys.lease(&digest.0)).arg(self.value(number));
        if let Err(error) = self.connection.run::<()>(&command, COMMAND_LIMIT).await {
            tracing::debug!(error = error.to_string(), "the lease of a search ends by itself");
        }
        self.remove(number);
    }

    fn remove(&self, number: u64) {
        self.held.send_modify(|held| {
            held.remove(&number);
        });
    }
}

impl Lease {
    /// Drops a lease that another node has, so that nothing need be ended.
    fn forget(self) {
        self.inner.remove(self.number);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let (inner, number, digest) = (self.inner.clone(), self.number, self.digest);
        let is_held = inner.held.send_if_modified(|held| {
            held.get_mut(&number).is_some_and(|digest| digest.take().is_some())
        });
        if is_held {
            // A runtime that shuts down drops the task at once, and the lease ends by itself.
            self.runtime.spawn(async move { inner.leave(number, digest).await });
        }
    }
}
