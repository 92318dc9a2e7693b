//! Leased searches: of all nodes that want the result of equal searches, one runs the search.
//!
//! The first node that asks gets the lease of the search. The others watch it. When the node with
//! the lease is lost, one of those that watch takes its place, with what was found so far.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use dashmap::DashMap;
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, watch};
use tokio::time::{sleep, timeout};

use super::cluster::{Cluster, ClusterNode, LostNode, SearchDigest, SearchPlace};
use super::in_flight::SearchKey;
use crate::engine::Limits;
use crate::store::EntryKey;

/// The version of what a [`SearchDigest`] is made of.
const VERSION: u8 = 1;

/// Searches with smaller limits end about as soon as other nodes have heard of them.
const MIN_NODES: u64 = 200_000;
const MIN_DEPTH: u8 = 14;
const MIN_TIME: Duration = Duration::from_millis(200);

/// How long a lease outlasts its search. Meanwhile the result reaches the shared cache, and this
/// node answers those that ask late from its own.
const KEPT: Duration = Duration::from_millis(100);

/// The longest time between the lease of a search and its place in the queue.
const START_LIMIT: Duration = Duration::from_millis(500);

/// `true` if a search takes so long, as far as its limits say, that nodes share it.
pub(super) fn is_long(limits: &Limits) -> bool {
    let Limits { depth, nodes, movetime, clock, .. } = *limits;
    nodes.is_none_or(|nodes| nodes >= MIN_NODES)
        && depth.is_none_or(|depth| depth >= MIN_DEPTH)
        && movetime.is_none_or(|time| time >= MIN_TIME)
        && clock.is_none()
}

/// The identity of a search with these limits, which are those of its key and of the service.
fn digest(key: &SearchKey, limits: &Limits) -> SearchDigest {
    let SearchKey { analysis_key, options, .. } = key;
    let Limits { depth, nodes, movetime, mate, .. } = *limits;
    let micros = movetime.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    let limits = [depth.map(u64::from), nodes, micros, mate.map(u64::from)];
    let [high, low] = analysis_key.history.to_parts();
    let position = EntryKey::position_bytes(analysis_key.zobrist_key, &analysis_key.packed);
    let mut digest = Sha256::new()
        .chain_update([VERSION])
        .chain_update(position)
        .chain_update(high.to_be_bytes())
        .chain_update(low.to_be_bytes())
        .chain_update(analysis_key.halfmove_clock.to_be_bytes());
    for limit in limits {
        digest.update([u8::from(limit.is_some())]);
        digest.update(limit.unwrap_or(0).to_be_bytes());
    }
    digest.update((options.threads as u64).to_be_bytes());
    digest.update((options.multipv as u64).to_be_bytes());
    digest.update([u8::from(options.use_tablebase)]);
    for mv in &options.search_moves {
        digest.update(mv.code().to_be_bytes());
    }
    let digest = digest.finalize();
    SearchDigest(std::array::from_fn(|index| digest[index]))
}

/// The leased searches of a node. Clones share them.
#[derive(Clone, Default)]
pub(super) struct LeasedSearches(Arc<DashMap<SearchDigest, Weak<LeasedSearch>>>);

/// Equal requests on this node, and where their search runs.
pub(super) struct LeasedSearch {
    digest: SearchDigest,
    key: Arc<SearchKey>,
    cluster: Arc<dyn Cluster>,
    /// Set once the cluster was asked for the place.
    asked: OnceCell<()>,
    place: Mutex<SearchPlace>,
    progress: watch::Sender<Progress>,
    searches: LeasedSearches,
}

/// How far the search of a [`LeasedSearch`] is on this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// Some request needs it.
    Requested,
    /// It waits or runs.
    Started,
    /// New requests need another one.
    Ended,
}

impl LeasedSearches {
    /// The search of equal requests with these limits, once its place is known. `None` if this node
    /// runs it under another key: the limit of the service and an equal one of a request are two.
    pub(super) async fn enter(
        &self,
        key: SearchKey,
        limits: &Limits,
        cluster: &Arc<dyn Cluster>,
    ) -> Option<Arc<LeasedSearch>> {
        let search = self.get_or_insert(digest(&key, limits), &key, cluster);
        if *search.key != key {
            return None;
        }
        search.asked.get_or_init(|| search.ask(None)).await;
        Some(search)
    }

    fn get_or_insert(
        &self,
        digest: SearchDigest,
        key: &SearchKey,
        cluster: &Arc<dyn Cluster>,
    ) -> Arc<LeasedSearch> {
        // Dropped after the lock, which the drop of the last one needs.
        let ended;
        let mut known = self.0.entry(digest).or_default();
        match known.upgrade() {
            Some(search) if !search.has_ended() => return search,
            other => ended = other,
        }
        let search = Arc::new(LeasedSearch {
            digest,
            key: Arc::new(key.clone()),
            cluster: cluster.clone(),
            asked: OnceCell::new(),
            place: Mutex::new(SearchPlace::Unknown),
            progress: watch::Sender::new(Progress::Requested),
            searches: self.clone(),
        });
        *known = Arc::downgrade(&search);
        drop(known);
        drop(ended);
        search
    }

    /// The key of a search that this node may run for all, once it waits or runs, or has ended.
    pub(super) async fn held(&self, digest: SearchDigest) -> Option<Arc<SearchKey>> {
        let search = self.0.get(&digest)?.upgrade()?;
        if search.elsewhere().is_some() {
            return None;
        }
        let (key, mut progress) = (search.key.clone(), search.progress.subscribe());
        // Its request may turn out to need no search. Then the sender ends.
        drop(search);
        let has_started = |progress: &Progress| *progress >= Progress::Started;
        let _ = timeout(START_LIMIT, progress.wait_for(has_started)).await;
        Some(key)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl LeasedSearch {
    /// The identity.
    pub(super) fn digest(&self) -> SearchDigest {
        self.digest
    }

    /// The key of the search.
    pub(super) fn key(&self) -> &SearchKey {
        &self.key
    }

    /// The cluster of this node.
    pub(super) fn cluster(&self) -> &dyn Cluster {
        &*self.cluster
    }

    /// The other node that runs the search, if one does.
    pub(super) fn elsewhere(&self) -> Option<ClusterNode> {
        match &*self.place() {
            SearchPlace::Elsewhere(node) => Some(node.clone()),
            SearchPlace::Here(_) | SearchPlace::Unknown => None,
        }
    }

    /// Asks again for the place, because a node does not run the search any more.
    pub(super) async fn leave_node(&self, lost: LostNode) {
        // This node may have the lease before it knows that. Others may ask it at once.
        *self.place() = SearchPlace::Unknown;
        self.ask(Some(lost)).await;
    }

    /// Lets other nodes watch the search, which waits or runs.
    pub(super) fn note_start(&self) {
        self.progress.send_if_modified(|progress| {
            let is_new = *progress == Progress::Requested;
            if is_new {
                *progress = Progress::Started;
            }
            is_new
        });
    }

    fn has_ended(&self) -> bool {
        *self.progress.borrow() == Progress::Ended
    }

    async fn ask(&self, lost: Option<LostNode>) {
        let place = self.cluster.lease_search(self.digest, lost).await;
        *self.place() = place;
    }

    fn place(&self) -> MutexGuard<'_, SearchPlace> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LeasedSearch {
    fn drop(&mut self) {
        self.searches.0.remove_if(&self.digest, |_, known| known.strong_count() == 0);
    }
}

impl fmt::Debug for LeasedSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedSearch").field("digest", &self.digest).finish_non_exhaustive()
    }
}

/// What keeps the lease of a search, or its place elsewhere, until the search has ended. Dropping
/// it marks the end. The lease itself ends a little later.
#[derive(Debug)]
pub(super) struct LeaseKeeper {
    search: Arc<LeasedSearch>,
    runtime: Handle,
}

impl LeaseKeeper {
    /// The keeper for a search.
    ///
    /// # Panics
    /// Panics outside a runtime.
    pub(super) fn new(search: Arc<LeasedSearch>) -> LeaseKeeper {
        LeaseKeeper { search, runtime: Handle::current() }
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        self.search.progress.send_replace(Progress::Ended);
        let search = self.search.clone();
        // A runtime that shuts down drops the task at once.
        self.runtime.spawn(async move {
            sleep(KEPT).await;
            drop(search);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cache_key::AnalysisKey;
    use crate::analysis::tests::{game_of, start_game};
    use crate::chess::Game;
    use crate::engine::SearchOptions;

    const LIMITS: Limits =
        Limits { depth: Some(20), nodes: None, movetime: None, mate: None, clock: None };

    fn id(game: &Game, limits: Limits, options: SearchOptions) -> SearchDigest {
        let analysis_key = AnalysisKey::of(game);
        digest(&SearchKey { analysis_key, limits, options, fresh: false, unshared: None }, &limits)
    }

    #[test]
    fn whatever_changes_the_result_changes_the_identity() {
        let options = SearchOptions::default;
        let moves = game_of("e2e4 e7e5").moves().to_vec();
        let of_limits = |limits| id(&start_game(), limits, options());
        let ids = [
            of_limits(LIMITS),
            of_limits(Limits { depth: Some(21), ..LIMITS }),
            of_limits(Limits { depth: None, nodes: Some(20), ..LIMITS }),
            of_limits(Limits { depth: None, mate: Some(20), ..LIMITS }),
            of_limits(Limits { movetime: Some(Duration::from_micros(20)), ..LIMITS }),
            of_limits(Limits { depth: None, ..LIMITS }),
            id(&game_of("g1f3 g8f6 f3g1 f6g8"), LIMITS, options()),
            id(&game_of("e2e4"), LIMITS, options()),
            id(&start_game(), LIMITS, SearchOptions { threads: 2, ..options() }),
            id(&start_game(), LIMITS, SearchOptions { multipv: 2, ..options() }),
            id(&start_game(), LIMITS, SearchOptions { use_tablebase: false, ..options() }),
            id(&start_game(), LIMITS, SearchOptions { search_moves: moves, ..options() }),
        ];
        for (number, one) in ids.iter().enumerate() {
            assert!(!ids[..number].contains(one), "number {number}");
        }
        assert_eq!(of_limits(LIMITS), ids[0]);
    }

    #[test]
    fn the_identity_is_version_1() {
        let SearchDigest(id) = id(&start_game(), LIMITS, SearchOptions::default());
        assert_eq!(u128::from_be_bytes(id), 0x3b75_1d95_6a19_6807_7d9c_6041_25c2_99de);
    }

    #[test]
    fn a_search_is_long_if_each_of_its_limits_is() {
        assert!(is_long(&Limits::default()) && is_long(&LIMITS));
        assert!(!is_long(&Limits { nodes: Some(MIN_NODES - 1), ..LIMITS }));
        assert!(!is_long(&Limits { depth: Some(MIN_DEPTH - 1), nodes: Some(MIN_NODES), ..LIMITS }));
        assert!(!is_long(&Limits { movetime: Some(Duration::from_millis(199)), ..LIMITS }));
    }
}
