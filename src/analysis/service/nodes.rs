//! The service as a node of a cluster: what it asks of the other nodes, and does for them.

use std::sync::Arc;
use std::time::Instant;

use super::{ClusterAnswer, Inner, MAX_BATCH_WAIT, PendingAnswer, SearchOrigin, Service};
use crate::analysis::analysis_stream::{AnalysisStream, PendingSearch};
use crate::analysis::answer::{AnalysisError, Answer, CacheVerdict};
use crate::analysis::cluster::{Cluster, ClusterStatus, ReadLimit, SearchDigest};
use crate::analysis::evaluation_cache::{CachedAnalysis, SharedEntry};
use crate::analysis::in_flight::{SearchKey, VacantSearch};
use crate::analysis::leased_search::{LeasedSearch, is_long};
use crate::analysis::queue::Submitter;
use crate::analysis::remote_search::{RemoteSearch, ReportEncoding};
use crate::analysis::request::{AnalysisRequest, PriorityClass};
use crate::analysis::search_task::SearchTask;
use crate::analysis::session::{Client, SessionId};
use crate::analysis::watching::{JoinedSearch, Watching};
use crate::chess::Game;
use crate::engine::Limits;

impl Service {
    /// Joins a search for another node of the cluster, whose client needs its result; `None` if
    /// this node does not run it.
    pub async fn join_leased(&self, digest: SearchDigest, client: Client) -> Option<JoinedSearch> {
        let key = self.0.leased_searches.held(digest).await?;
        self.0.join_held(&key, client)
    }

    /// Starts a search for another node of the cluster, which has looked for what is known.
    ///
    /// # Errors
    /// A full queue or a shutdown.
    pub fn run_for_node(&self, search: RemoteSearch) -> Result<AnalysisStream, AnalysisError> {
        let RemoteSearch { game, limits, options, client, class } = search;
        let request = AnalysisRequest {
            game: Arc::unwrap_or_clone(game),
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
        self.0.start_search(request, None, &[], SearchOrigin::OtherNode, Instant::now())
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
        self.0.queue.worker_is_free().await;
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
    /// Asks what other nodes have found about the position of a request, and which of them runs an
    /// equal long search. Without a cluster that is nothing.
    pub(super) async fn ask_cluster(&self, request: &AnalysisRequest) -> ClusterAnswer {
        match self.cache.cluster() {
            // On the heap, so that the futures of cache hits stay small.
            Some(cluster) => Box::pin(self.ask(request, cluster)).await,
            None => ClusterAnswer::default(),
        }
    }

    /// Asks the cluster, unless the request needs no search.
    async fn ask(&self, request: &AnalysisRequest, cluster: &Arc<dyn Cluster>) -> ClusterAnswer {
        let key = self.search_key(request);
        let SearchKey { analysis_key, options, .. } = &key;
        if request.game.outcome().is_over() || self.knows(&key, &[]) {
            return ClusterAnswer::default();
        }
        let (position, is_long) = (request.game.position(), is_long(&key.limits));
        let limit = if is_long { ReadLimit::Long } else { ReadLimit::Short };
        let shared = if key.uses_cache() {
            self.cache.read_shared(analysis_key, options.multipv, position, limit).await
        } else {
            Vec::new()
        };
        let limits = self.bounded_limits(&key.limits);
        let needs_lease = request.class == PriorityClass::Interactive
            && key.unshared.is_none()
            && !key.fresh
            && is_long
            && RemoteSearch::is_suitable(&request.game, &limits, options)
            && cluster.workers_elsewhere() > 0
            && !self.searches.contains(&key)
            && !self.knows(&key, &shared);
        let leased = if needs_lease {
            self.leased_searches.enter(key, &limits, cluster).await
        } else {
            None
        };
        ClusterAnswer { shared, leased }
    }

    /// `true` if an analysis of this node or of others answers a request with this key.
    fn knows(&self, key: &SearchKey, shared: &[SharedEntry]) -> bool {
        let SearchKey { analysis_key, limits, options, .. } = key;
        let known = || self.cache.find(analysis_key, limits, options.multipv, shared);
        key.uses_cache() && known().sufficient.is_some()
    }

    /// The search as another node may run it.
    pub(super) fn remote_search(
        &self,
        key: &SearchKey,
        game: &Arc<Game>,
        submitter: &Submitter,
        bounded_limits: Limits,
    ) -> Option<Arc<RemoteSearch>> {
        if self.cache.cluster().is_none() || key.unshared.is_some() || key.fresh {
            return None;
        }
        let Submitter { client, class, .. } = submitter;
        RemoteSearch::new(game, bounded_limits, &key.options, client, *class).map(Arc::new)
    }

    /// Watches a search that another node runs. A client that watches too many has this one run
    /// here.
    pub(super) fn watch_or_enqueue(
        &self,
        submitter: Submitter,
        vacant: VacantSearch<'_>,
        task: SearchTask,
        leased: Arc<LeasedSearch>,
    ) -> Result<PendingAnswer, AnalysisError> {
        let Some(search) = task.remote_search.clone() else {
            return self.enqueue(submitter, vacant, task);
        };
        if !self.queue.may_watch(&submitter.client) {
            return self.enqueue(submitter, vacant, task);
        }
        let watching = Watching {
            queue: self.queue.clone(),
            control: vacant.control().clone(),
            cache: self.cache.clone(),
            leased,
            client: submitter.client.clone(),
            search,
        };
        match self.queue.push_remote(submitter, &watching.control, Box::new(task)) {
            Ok(lent) => {
                let subscription = vacant.start(&self.queue);
                tokio::spawn(watching.run(lent));
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
    fn join_held(&self, key: &Arc<SearchKey>, client: Client) -> Option<JoinedSearch> {
        let submitter = Submitter {
            client,
            class: PriorityClass::Interactive,
            workers: key.options.threads,
            is_unlimited: false,
        };
        let stream = match self.searches.join_existing(key, &submitter, &self.queue) {
            Some(subscription) => {
                let (now, verdict) = (Instant::now(), CacheVerdict::NotAsked);
                // The other node has a time limit of its own for the wait.
                let pending = PendingSearch::new(now, MAX_BATCH_WAIT, verdict, subscription, None);
                AnalysisStream::from_search(None, pending)
            }
            None => {
                let known = if key.uses_cache() { self.lookup_again(key) } else { None };
                let (CachedAnalysis { report, age }, reason) = known?;
                AnalysisStream::from_answer(None, Answer::from_cache(report, age, reason))
            }
        };
        let report_encoding = ReportEncoding::new(&key.analysis_key, key.options.multipv);
        Some(JoinedSearch { stream, report_encoding })
    }
}
