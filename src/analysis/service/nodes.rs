//! The service as a node of a cluster: what it asks of the other nodes, and does for them.

use std::sync::Arc;
use std::time::Instant;

use super::{Inner, MAX_BATCH_WAIT, PendingAnswer, SearchOrigin, Service};
use crate::analysis::analysis_stream::{AnalysisStream, PendingSearch};
use crate::analysis::answer::{AnalysisError, Answer, CacheVerdict};
use crate::analysis::cluster::{Cluster, ClusterStatus};
use crate::analysis::evaluation_cache::{CachedAnalysis, SharedEntry};
use crate::analysis::flight::{Flight, is_long};
use crate::analysis::flight_id::FlightId;
use crate::analysis::following::{JoinedFlight, follow_flight};
use crate::analysis::in_flight::{SearchKey, VacantSearch};
use crate::analysis::queue::Submitter;
use crate::analysis::remote_search::{RemoteSearch, ReportEncoding};
use crate::analysis::request::{AnalysisRequest, PriorityClass};
use crate::analysis::search_task::SearchTask;
use crate::analysis::session::{Client, SessionId};
use crate::chess::Game;
use crate::engine::Limits;

impl Service {
    /// Joins a search for another node of the cluster, whose client needs its result; `None` if this
    /// node does not run it.
    pub async fn join_flight(&self, id: FlightId, client: Client) -> Option<JoinedFlight> {
        let key = self.0.flights.held(id).await?;
        self.0.join_held(&key, client)
    }

    /// Starts a search for another node of the cluster, which has looked for what is known.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    pub fn run_for_node(&self, search: RemoteSearch) -> Result<AnalysisStream, AnalysisError> {
        let RemoteSearch { game, limits, options, client, class } = search;
        let request = AnalysisRequest {
            game,
            limits,
            options,
            // The node that asks has looked for what is known. What this one knows may be no result
            // of a search with these limits.
            fresh: true,
            client,
            class,
            session: None,
            strength: None,
        };
        self.0.start_search(request, None, &[], SearchOrigin::OtherNode)
    }

    /// The workers that run searches of this node, those of other nodes included.
    pub fn workers_in_reach(&self) -> usize {
        let elsewhere = self.0.cache.cluster().map_or(0, |cluster| cluster.workers_elsewhere());
        self.0.options.workers + elsewhere
    }

    /// `true` while a worker is free and no request waits for one.
    pub fn has_free_worker(&self) -> bool {
        self.0.queue.has_free_worker()
    }

    /// Resolves when a worker is free and no request waits for one.
    pub async fn free_worker(&self) {
        let mut load = self.0.queue.watch_load();
        while !self.0.queue.has_free_worker() {
            // The sender lives as long as the queue.
            let _ = load.changed().await;
        }
    }

    /// Notes that a request on another node of the cluster has entered a session, as the given
    /// place among all of its requests. An older one on this node ends with its result so far.
    pub fn note_session_elsewhere(&self, session: SessionId, place: u64) {
        self.0.sessions.note_entry_elsewhere(session, place);
    }

    /// The state of the cluster, if the node belongs to one.
    pub fn cluster_status(&self) -> Option<ClusterStatus> {
        self.0.cache.cluster().map(|cluster| cluster.status())
    }
}

impl Inner {
    /// Reads what other nodes have found about the position of a request. Without a cluster that is
    /// nothing.
    pub(super) async fn read_cluster(&self, request: &AnalysisRequest) -> Vec<SharedEntry> {
        match self.cache.cluster() {
            // On the heap, so that the futures of cache hits stay small.
            Some(_) => Box::pin(self.read_unknown(request)).await,
            None => Vec::new(),
        }
    }

    /// Reads what other nodes have found, unless this node can answer, or no cache may.
    async fn read_unknown(&self, request: &AnalysisRequest) -> Vec<SharedEntry> {
        let key = self.search_key(request);
        let SearchKey { analysis_key, options, .. } = &key;
        let may_be_cached = key.limits.mate.is_none() && key.is_cacheable() && !key.fresh;
        if !may_be_cached || request.game.outcome().is_over() || self.knows(&key, &[]) {
            return Vec::new();
        }
        self.cache.read_shared(analysis_key, options.multipv, request.game.position()).await
    }

    /// `true` if an analysis of this node or of others answers a request with this key.
    fn knows(&self, key: &SearchKey, shared: &[SharedEntry]) -> bool {
        let SearchKey { analysis_key, limits, options, .. } = key;
        limits.mate.is_none()
            && key.is_cacheable()
            && !key.fresh
            && self.cache.knows(analysis_key, limits, options.multipv, shared)
    }

    /// The flight of a request for a long search, given what other nodes have found; `None` for
    /// other requests and while this node is alone.
    pub(super) async fn enter_flight(
        &self,
        request: &AnalysisRequest,
        shared: &[SharedEntry],
    ) -> Option<Arc<Flight>> {
        let cluster = self.cache.cluster()?;
        let is_candidate = request.class == PriorityClass::Interactive
            && request.strength.is_none()
            && !request.fresh
            && is_long(&request.limits)
            && cluster.workers_elsewhere() > 0;
        if !is_candidate {
            return None;
        }
        // On the heap, so that the futures of cache hits stay small.
        Box::pin(self.enter_flight_of_search(request, shared, cluster)).await
    }

    /// The flight of a request, unless it needs no search, or one that no other node may run.
    async fn enter_flight_of_search(
        &self,
        request: &AnalysisRequest,
        shared: &[SharedEntry],
        cluster: &Arc<dyn Cluster>,
    ) -> Option<Arc<Flight>> {
        let key = self.search_key(request);
        let AnalysisRequest { game, client, class, .. } = request;
        let limits = self.bounded_limits(&key.limits);
        RemoteSearch::new(game, limits, &key.options, client, *class)?;
        if self.searches.contains(&key) || self.knows(&key, shared) {
            return None;
        }
        Some(self.flights.enter(Arc::new(key), cluster).await)
    }

    /// The search as another node may run it.
    pub(super) fn remote_search(
        &self,
        key: &SearchKey,
        game: &Game,
        submitter: &Submitter,
        bounded_limits: Limits,
    ) -> Option<Arc<RemoteSearch>> {
        if self.cache.cluster().is_none() || key.unshared.is_some() || key.fresh {
            return None;
        }
        let Submitter { client, class, .. } = submitter;
        RemoteSearch::new(game, bounded_limits, &key.options, client, *class).map(Arc::new)
    }

    /// Follows a search that another node runs.
    pub(super) fn follow_elsewhere(
        &self,
        submitter: Submitter,
        vacant: VacantSearch<'_>,
        task: SearchTask,
        flight: Arc<Flight>,
        search: Arc<RemoteSearch>,
    ) -> Result<PendingAnswer, AnalysisError> {
        let (control, client) = (vacant.control().clone(), submitter.client.clone());
        match self.queue.push_lent(submitter, &control, Box::new(task)) {
            Ok(lent) => {
                let subscription = vacant.start(&self.queue, true);
                let queue = self.queue.clone();
                tokio::spawn(follow_flight(queue, control, flight, client, search, lent));
                Ok(PendingAnswer::Searching(subscription))
            }
            Err(task) => {
                // In this order, because the task's publisher locks the map when it is dropped.
                drop(vacant);
                drop(task);
                Err(AnalysisError::shutting_down())
            }
        }
    }

    /// Joins a search of this node for a client of another one, or takes its result from the cache.
    fn join_held(&self, key: &Arc<SearchKey>, client: Client) -> Option<JoinedFlight> {
        let submitter = Submitter {
            client,
            class: PriorityClass::Interactive,
            workers: key.options.threads,
            is_unlimited: false,
        };
        let lines = key.options.multipv;
        let stream = match self.searches.join_existing(key, &submitter, &self.queue) {
            Some(subscription) => AnalysisStream::from_search(
                None,
                // The other node has its own limit.
                PendingSearch::new(
                    Instant::now(),
                    MAX_BATCH_WAIT,
                    CacheVerdict::NotAsked,
                    subscription,
                    None,
                ),
            ),
            None => {
                let (CachedAnalysis { report, age }, reason) = self.lookup_again(key)?;
                AnalysisStream::from_answer(None, Answer::from_cache(report, age, reason))
            }
        };
        let report_encoding = ReportEncoding::new(&key.analysis_key, lines);
        Some(JoinedFlight { stream, report_encoding })
    }
}
