//! Single flight in a cluster: an interactive search that another node runs already is followed,
//! not repeated.
//!
//! Of all nodes that want the result of equal searches, the first one runs the search and holds its
//! lease. The others follow it. When the node that holds the lease is lost, one of those that follow
//! it takes its place, with what was found so far.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use dashmap::DashMap;
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::sync::{OnceCell, watch};
use tokio::time::{sleep, timeout};

use super::cluster::{Cluster, ClusterNode, FlightPlace};
use super::flight_id::FlightId;
use super::in_flight::SearchKey;
use crate::engine::Limits;
use crate::store::EntryKey;

/// The version of what a [`FlightId`] is made of.
const VERSION: u8 = 1;

/// Searches with smaller limits end about as soon as other nodes have heard of them.
const MIN_NODES: u64 = 200_000;
const MIN_DEPTH: u8 = 14;
const MIN_TIME: Duration = Duration::from_millis(200);

/// How long a lease outlasts its search. Meanwhile the result reaches the shared cache, and this
/// node answers those that follow late from its own.
const KEPT: Duration = Duration::from_millis(100);

/// The longest time between the lease of a search and its place in the queue.
const START_LIMIT: Duration = Duration::from_millis(500);

/// The identity of a search without a clock.
fn flight_id(key: &SearchKey) -> FlightId {
    let SearchKey { analysis_key, limits, options, .. } = key;
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
    FlightId(std::array::from_fn(|index| digest[index]))
}

/// `true` if a search with these limits takes so long that nodes share it.
pub(super) fn is_long(limits: &Limits) -> bool {
    let Limits { depth, nodes, movetime, clock, .. } = *limits;
    nodes.is_none_or(|nodes| nodes >= MIN_NODES)
        && depth.is_none_or(|depth| depth >= MIN_DEPTH)
        && movetime.is_none_or(|time| time >= MIN_TIME)
        && clock.is_none()
}

/// The flights of a node. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Flights(Arc<DashMap<FlightId, Weak<Flight>>>);

/// Equal requests on this node, and the node on which their search runs.
pub(super) struct Flight {
    id: FlightId,
    key: Arc<SearchKey>,
    cluster: Arc<dyn Cluster>,
    /// Set once the cluster was asked for the place.
    asked: OnceCell<()>,
    place: Mutex<FlightPlace>,
    /// `true` once this node's search waits or runs.
    is_started: watch::Sender<bool>,
    flights: Flights,
}

impl Flights {
    /// The flight of equal requests, once its place is known.
    pub(super) async fn enter(
        &self,
        key: Arc<SearchKey>,
        cluster: &Arc<dyn Cluster>,
    ) -> Arc<Flight> {
        let flight = self.get_or_insert(key, cluster);
        flight.asked.get_or_init(|| flight.ask(None)).await;
        flight
    }

    fn get_or_insert(&self, key: Arc<SearchKey>, cluster: &Arc<dyn Cluster>) -> Arc<Flight> {
        let id = flight_id(&key);
        let mut known = self.0.entry(id).or_default();
        if let Some(flight) = known.upgrade() {
            return flight;
        }
        let flight = Arc::new(Flight {
            id,
            key,
            cluster: cluster.clone(),
            asked: OnceCell::new(),
            place: Mutex::new(FlightPlace::Unknown),
            is_started: watch::Sender::new(false),
            flights: self.clone(),
        });
        *known = Arc::downgrade(&flight);
        flight
    }

    /// The key of a flight for which this node holds the lease, once its search waits or runs.
    pub(super) async fn held(&self, id: FlightId) -> Option<Arc<SearchKey>> {
        let flight = self.0.get(&id)?.upgrade()?;
        let key = flight.key.clone();
        let mut is_started = flight.is_started.subscribe();
        if !flight.may_hold_lease() {
            return None;
        }
        // The request may not need a search after all.
        drop(flight);
        // A sender that is gone means the same as none in time: the search did not start.
        let _ = timeout(START_LIMIT, is_started.wait_for(|is_started| *is_started)).await;
        Some(key)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Flight {
    /// The identity.
    pub(super) fn id(&self) -> FlightId {
        self.id
    }

    /// The cluster of this node.
    pub(super) fn cluster(&self) -> &dyn Cluster {
        &*self.cluster
    }

    /// The other node that runs the search, if one does.
    pub(super) fn elsewhere(&self) -> Option<ClusterNode> {
        match &*self.place() {
            FlightPlace::Elsewhere(node) => Some(node.clone()),
            FlightPlace::Here(_) | FlightPlace::Unknown => None,
        }
    }

    /// Asks again for the place, because a node does not run the search any more.
    pub(super) async fn leave_node(&self, lost: ClusterNode) {
        self.ask(Some(lost)).await;
    }

    /// Lets other nodes follow the search, which waits or runs.
    pub(super) fn note_start(&self) {
        self.is_started.send_replace(true);
    }

    async fn ask(&self, lost: Option<ClusterNode>) {
        let place = self.cluster.enter_flight(self.id, lost).await;
        *self.place() = place;
    }

    /// `false` if another node holds the lease. The answer of the cluster may still be on its way.
    fn may_hold_lease(&self) -> bool {
        self.elsewhere().is_none()
    }

    fn place(&self) -> MutexGuard<'_, FlightPlace> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.flights.0.remove_if(&self.id, |_, known| known.strong_count() == 0);
    }
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The flight of a search. Dropping it ends the flight, a little later.
#[derive(Debug)]
pub(super) struct FlightOfSearch {
    flight: Option<Arc<Flight>>,
    runtime: Handle,
}

impl FlightOfSearch {
    /// The flight of a search.
    ///
    /// # Panics
    /// Panics outside a runtime.
    pub(super) fn new(flight: Arc<Flight>) -> FlightOfSearch {
        FlightOfSearch { flight: Some(flight), runtime: Handle::current() }
    }

    /// The flight.
    pub(super) fn flight(&self) -> Option<Arc<Flight>> {
        self.flight.clone()
    }
}

impl Drop for FlightOfSearch {
    fn drop(&mut self) {
        let flight = self.flight.take();
        // Of a runtime that shuts down, the task is dropped at once.
        self.runtime.spawn(async move {
            sleep(KEPT).await;
            drop(flight);
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

    fn id(game: &Game, limits: Limits, options: SearchOptions) -> FlightId {
        let analysis_key = AnalysisKey::of(game);
        flight_id(&SearchKey { analysis_key, limits, options, fresh: false, unshared: None })
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
        let FlightId(id) = id(&start_game(), LIMITS, SearchOptions::default());
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
