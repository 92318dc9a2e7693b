//! The interface to the other nodes of a cluster: what the service shares with them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::remote_search::{RemoteRun, RemoteSearch};
use super::session::{Client, SessionId};
use crate::store::{EntryKey, Record};

/// The fewest search nodes of an analysis that is shared. A shorter search takes about as long as
/// the way to another node.
pub(super) const MIN_SHARED_NODES: u64 = 20_000;

/// The records of a position, once the shared cache has answered.
pub type SharedRecords<'a> = Pin<Box<dyn Future<Output = Vec<Record>> + Send + 'a>>;

/// The place of a request in its session, once the cluster has answered.
pub type SessionPlace<'a> = Pin<Box<dyn Future<Output = Option<u64>> + Send + 'a>>;

/// The identity of a search on all nodes: the first bytes of the SHA-256 of what decides its
/// result, which are its position with the history, its limits, and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SearchDigest(pub [u8; 16]);

/// The name of a node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterNode(pub Arc<str>);

/// Where a search runs, once the cluster has answered.
pub type LeaseAnswer<'a> = Pin<Box<dyn Future<Output = SearchPlace> + Send + 'a>>;

/// Where a search runs for all nodes.
#[derive(Debug)]
pub enum SearchPlace {
    /// On this node, which has the lease.
    Here(SearchLease),
    /// On this other node.
    Elsewhere(ClusterNode),
    /// Nobody knows: each node searches alone.
    Unknown,
}

/// The right to run a search for all nodes. Dropping it ends it.
#[derive(Debug)]
pub struct SearchLease {
    _guard: Box<dyn fmt::Debug + Send>,
}

impl SearchLease {
    /// A lease that ends when `guard` is dropped.
    pub fn new(guard: impl fmt::Debug + Send + 'static) -> SearchLease {
        SearchLease { _guard: Box::new(guard) }
    }
}

/// A node that no longer runs a search for the others, or seems not to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostNode {
    /// The node.
    pub node: ClusterNode,
    /// It has given the search up, or is gone. Otherwise it was silent for too long.
    pub is_certain: bool,
}

/// A search that another node runs for requests of its own.
#[derive(Clone, Debug)]
pub struct WatchedSearch {
    /// The identity of the search.
    pub digest: SearchDigest,
    /// The node that runs it.
    pub node: ClusterNode,
    /// The client here that needs the result.
    pub client: Client,
    /// The search, to check its reports.
    pub search: Arc<RemoteSearch>,
}

/// How long a read of the shared cache may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLimit {
    /// Some milliseconds.
    Short,
    /// Longer, for a search that takes far longer still: it must not begin anew what another node
    /// has found.
    Long,
}

/// What an analysis for the shared cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedWrite {
    /// The result of a search. It replaces analyses that are not deeper.
    Result,
    /// What a search has found so far. It replaces only what is less deep.
    Checkpoint,
}

/// The cluster to which this node belongs.
///
/// Nothing here fails: a node that cannot reach the others works alone.
pub trait Cluster: fmt::Debug + Send + Sync + 'static {
    /// What is known of the nodes.
    fn status(&self) -> ClusterStatus;

    /// Reads the shared analyses under these keys, which are of one position. Resolves within a
    /// limit, without any record if the cache has not answered by then.
    fn read_cache(&self, keys: Vec<EntryKey>, limit: ReadLimit) -> SharedRecords<'_>;

    /// Takes an analysis for the shared cache, to be written soon. Never waits.
    fn write_cache(&self, record: Record, kind: SharedWrite);

    /// Notes that a record from the shared cache is not valid, and removes it there.
    fn discard(&self, record: &Record);

    /// Tells the other nodes that a request on this one has entered a session. Resolves with its
    /// place among all requests of the session, later ones having higher numbers, or with `None` if
    /// the cluster cannot be reached.
    fn enter_session(&self, session: SessionId) -> SessionPlace<'_>;

    /// The workers of the other nodes that run searches of this one.
    fn workers_elsewhere(&self) -> usize;

    /// Offers a search to the other nodes.
    fn offer(&self, search: Arc<RemoteSearch>) -> RemoteRun;

    /// Asks where a search runs for all nodes: here, unless another node has the lease. A node that
    /// is `lost` loses its lease, if that is certain or it has not renewed it. Resolves within
    /// milliseconds.
    fn lease_search(&self, digest: SearchDigest, lost: Option<LostNode>) -> LeaseAnswer<'_>;

    /// Watches a search that another node runs for requests of its own.
    fn watch_search(&self, search: WatchedSearch) -> RemoteRun;
}

/// The nodes of a cluster that share searches and analyses, this one included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterStatus {
    /// Nodes.
    pub nodes: usize,
    /// Their workers.
    pub workers: usize,
    /// Their workers without a search.
    pub free_workers: usize,
    /// `true` while this node cannot reach the others and works alone.
    pub is_unreachable: bool,
    /// How the shared cache answered and took analyses since the start.
    pub cache: SharedCacheCounts,
    /// Searches of this node that others have started since the start.
    pub lent_searches: u64,
    /// Searches of other nodes that this one has started since the start.
    pub helped_searches: u64,
    /// Searches of other nodes whose results this one has shared since the start.
    pub watched_searches: u64,
}

/// The shared cache's answers and writes since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCacheCounts {
    /// Reads that were answered in time, with or without a record.
    pub reads: u64,
    /// Reads that were not answered in time.
    pub late_reads: u64,
    /// Reads that were not made, because the cache is slow, cannot be reached or refuses.
    pub skipped_reads: u64,
    /// Records that were damaged or not legal.
    pub invalid: u64,
    /// Records written.
    pub writes: u64,
    /// Changes that the server refused, or that were dropped because it was slow or unreachable.
    pub dropped_writes: u64,
}
