//! The side of a node whose searches others follow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::analysis::{AnalysisUpdate, Client, FlightId, JoinedFlight, Service};
use crate::cluster::connection::Connection;
use crate::cluster::keys::Keys;
use crate::cluster::lending::{
    ALIVE_INTERVAL, Content, Message, Reporter, SearchId, UPDATE_INTERVAL,
};
use crate::cluster::node::NodeId;

/// The most searches that other nodes follow at once.
const MAX_FOLLOWED: usize = 4_096;

/// The leader of a node. Clones share its searches.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Leader(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Arc<Connection>,
    keys: Keys,
    node: NodeId,
    /// The searches that other nodes follow, with the signal that ends each.
    followed: Mutex<HashMap<SearchId, watch::Sender<bool>>>,
}

/// A search that another node follows. Dropping it forgets it.
struct FollowedSearch {
    inner: Arc<Inner>,
    id: SearchId,
    reporter: Reporter,
}

impl Drop for FollowedSearch {
    fn drop(&mut self) {
        self.inner.followed().remove(&self.id);
    }
}

impl Leader {
    /// The leader of this node.
    pub(in crate::cluster) fn new(connection: Arc<Connection>, keys: Keys, node: NodeId) -> Leader {
        Leader(Arc::new(Inner { connection, keys, node, followed: Mutex::default() }))
    }

    /// Reports a search of this node to one that follows it.
    pub(in crate::cluster) fn receive_follow(
        &self,
        service: &Service,
        id: SearchId,
        receiver: NodeId,
        flight: FlightId,
        client: Client,
    ) {
        let Inner { connection, keys, node, .. } = &*self.0;
        let (connection, keys, node) = (connection.clone(), keys.clone(), node.clone());
        let (stop, stopped) = watch::channel(false);
        {
            let mut followed = self.0.followed();
            if followed.len() >= MAX_FOLLOWED || followed.contains_key(&id) {
                return;
            }
            followed.insert(id, stop);
        }
        let reporter = Reporter::new(connection, keys, node, id, receiver);
        let search = FollowedSearch { inner: self.0.clone(), id, reporter };
        let service = service.clone();
        tokio::spawn(search.run(service, flight, client, stopped));
    }

    /// Leaves a search because the node that follows it needs no more.
    pub(in crate::cluster) fn receive_stop(&self, message: &Message) {
        if let Some(stop) = self.0.followed().get(&message.search) {
            stop.send_replace(true);
        }
    }
}

impl Inner {
    fn followed(&self) -> MutexGuard<'_, HashMap<SearchId, watch::Sender<bool>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FollowedSearch {
    /// Reports the search until it ends or nobody listens.
    async fn run(
        mut self,
        service: Service,
        flight: FlightId,
        client: Client,
        stopped: watch::Receiver<bool>,
    ) {
        let joined = service.join_flight(flight, client).await;
        // Its lease would keep the service alive.
        drop(service);
        let last = match joined {
            Some(joined) => self.follow(joined, stopped).await,
            None => Some(Content::GivenUp),
        };
        if let Some(last) = last
            && let Err(error) = self.reporter.send(last).await
        {
            tracing::debug!(error = error.to_string(), "the end of a search was not reported");
        }
    }

    /// Follows the search to its end. Returns the last message; `None` if nobody listens.
    async fn follow(
        &mut self,
        joined: JoinedFlight,
        mut stopped: watch::Receiver<bool>,
    ) -> Option<Content> {
        let JoinedFlight { mut stream, report_encoding } = joined;
        let mut alive = interval(ALIVE_INTERVAL);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut updates = interval(UPDATE_INTERVAL);
        updates.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_started = false;
        loop {
            tokio::select! {
                update = stream.next() => match update {
                    Ok(Some(AnalysisUpdate::Iteration(report))) => {
                        self.report_start(&mut is_started).await;
                        self.reporter.note_update(report_encoding.encode(&report)).await;
                    }
                    Ok(Some(AnalysisUpdate::End(answer))) => {
                        self.report_start(&mut is_started).await;
                        let report = report_encoding.encode_answer(&answer);
                        return Some(report.map_or(Content::GivenUp, Content::Finished));
                    }
                    Ok(Some(AnalysisUpdate::Queued(_) | AnalysisUpdate::Cached(_))) => {}
                    Ok(None) | Err(_) => return Some(Content::GivenUp),
                },
                Ok(()) = stopped.changed() => stream.stop(),
                _ = updates.tick(), if self.reporter.has_unsent() => {
                    self.reporter.send_unsent().await;
                }
                _ = alive.tick() => {
                    if self.reporter.stay_alive(false).await {
                        return None;
                    }
                }
            }
        }
    }

    /// Reports that the search has started, once.
    async fn report_start(&mut self, is_started: &mut bool) {
        if !std::mem::replace(is_started, true)
            && let Err(error) = self.reporter.send(Content::Started).await
        {
            tracing::debug!(error = error.to_string(), "the start of a search was not reported");
        }
    }
}
