//! Watching: a search that another node runs for requests of its own answers requests here.

use std::sync::Arc;

use super::analysis_stream::AnalysisStream;
use super::cluster::{ClusterNode, LostNode, ReadLimit, WatchedSearch};
use super::evaluation_cache::{CachedAnalysis, EvaluationCache};
use super::leased_search::LeasedSearch;
use super::queue::{Queue, RemoteTask, TaskControl};
use super::remote_run::{RunEnd, RunHere, finish, publish_run};
use super::remote_search::{RemoteSearch, ReportEncoding, with_reason};
use super::session::Client;
use crate::engine::Report;

/// After so many nodes in a row that do not bring a search to its end, it runs here.
const MAX_LOST_NODES: usize = 3;

/// A search of this node that another one watches.
pub struct JoinedSearch {
    /// Its updates. Dropping the stream leaves the search.
    pub stream: AnalysisStream,
    /// The encoding of its reports.
    pub report_encoding: ReportEncoding,
}

/// A search that runs on another node, as a task of this one.
pub(super) struct Watching {
    pub(super) queue: Arc<Queue>,
    pub(super) control: Arc<TaskControl>,
    pub(super) cache: Arc<EvaluationCache>,
    pub(super) leased: Arc<LeasedSearch>,
    pub(super) client: Client,
    pub(super) search: Arc<RemoteSearch>,
}

impl Watching {
    /// Publishes what other nodes find until the search ends, or runs here: because they are lost,
    /// or because it waits for a worker there and one is free here.
    pub(super) async fn run(self, mut task: RemoteTask) {
        let Watching { queue, control, leased, .. } = &self;
        let mut lost_nodes = 0;
        while let Some(node) = leased.elsewhere().filter(|_| lost_nodes < MAX_LOST_NODES) {
            let run = leased.cluster().watch_search(self.on(node.clone()));
            match publish_run(queue, control, run, task, RunHere::WhenIdle).await {
                RunEnd::Published | RunEnd::RunsHere => return,
                RunEnd::Lost { task: lost, is_certain } => {
                    task = lost;
                    leased.leave_node(LostNode { node, is_certain }).await;
                    lost_nodes += 1;
                }
            }
        }
        leased.note_start();
        // The message with the result may be what was lost.
        match self.known_result().await {
            Some(report) => finish(queue, task, report).await,
            None => queue.give_back(task),
        }
    }

    fn on(&self, node: ClusterNode) -> WatchedSearch {
        let (client, search) = (self.client.clone(), self.search.clone());
        WatchedSearch { digest: self.leased.digest(), node, client, search }
    }

    /// The result, if this node or the shared cache knows it.
    async fn known_result(&self) -> Option<Report> {
        let key = self.leased.key();
        if !key.uses_cache() {
            return None;
        }
        let (lines, position) = (key.options.multipv, self.search.game.position());
        let limit = ReadLimit::Long;
        let shared = self.cache.read_shared(&key.analysis_key, lines, position, limit).await;
        let known = self.cache.find(&key.analysis_key, &key.limits, lines, &shared);
        let (CachedAnalysis { report, .. }, reason) = known.sufficient?;
        with_reason(&report, reason)
    }
}
