//! The side of a node whose searches others watch.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::analysis::{AnalysisUpdate, Client, JoinedSearch, SearchDigest, Service};
use crate::cluster::lending::{
    ALIVE_INTERVAL, Content, Message, Messenger, Reporter, SearchId, UPDATE_INTERVAL,
};

/// The most searches that other nodes watch at once.
const MAX_WATCHED: usize = 4_096;

/// The holder of a node's searches. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Holder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    messenger: Messenger,
    /// The searches that other nodes watch, with the signal that ends each.
    watched: watch::Sender<HashMap<SearchId, watch::Sender<bool>>>,
}

/// A search that another node watches. Dropping it forgets it.
struct WatchedHere {
    inner: Arc<Inner>,
    id: SearchId,
    reporter: Reporter,
}

impl Drop for WatchedHere {
    fn drop(&mut self) {
        self.inner.watched.send_modify(|watched| drop(watched.remove(&self.id)));
    }
}

impl Holder {
    /// The holder of this node.
    pub(in crate::cluster) fn new(messenger: Messenger) -> Holder {
        Holder(Arc::new(Inner { messenger, watched: watch::Sender::default() }))
    }

    /// Reports a search of this node to the node that watches it, for a client there.
    pub(in crate::cluster) fn receive_watch(
        &self,
        service: &Service,
        message: &Message,
        digest: SearchDigest,
        client: Client,
    ) {
        let Message { search: id, sender, .. } = message;
        let (stop, stopped) = watch::channel(false);
        let is_new = self.0.watched.send_if_modified(|watched| {
            let is_new = watched.len() < MAX_WATCHED && !watched.contains_key(id);
            if is_new {
                watched.insert(*id, stop);
            }
            is_new
        });
        if !is_new {
            return;
        }
        let reporter = Reporter::new(self.0.messenger.clone(), *id, sender.clone());
        let search = WatchedHere { inner: self.0.clone(), id: *id, reporter };
        let service = service.clone();
        tokio::spawn(async move {
            let joined = service.join_leased(digest, client).await;
            // A report does not keep the service alive.
            drop(service);
            search.run(joined, stopped).await;
        });
    }

    /// Leaves a search because the node that watches it needs no more.
    pub(in crate::cluster) fn receive_stop(&self, message: &Message) {
        if let Some(stop) = self.0.watched.borrow().get(&message.search) {
            stop.send_replace(true);
        }
    }

    /// Resolves when the other nodes know the end of all searches that they watch.
    pub(in crate::cluster) async fn ended(&self) {
        // The sender lives as long as `self`.
        let _ = self.0.watched.subscribe().wait_for(HashMap::is_empty).await;
    }
}

impl WatchedHere {
    /// Reports the search until it ends or nobody listens; `None` for one that is not held here.
    async fn run(mut self, joined: Option<JoinedSearch>, stopped: watch::Receiver<bool>) {
        let last = match joined {
            Some(joined) => self.report(joined, stopped).await,
            None => Some(Content::GivenUp),
        };
        if let Some(last) = last {
            self.send(last).await;
        }
    }

    /// Reports a search to its end. Returns the last message; `None` if nobody listens.
    async fn report(
        &mut self,
        joined: JoinedSearch,
        mut stopped: watch::Receiver<bool>,
    ) -> Option<Content> {
        let JoinedSearch { mut stream, report_encoding } = joined;
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
                    Ok(Some(AnalysisUpdate::Queued(_))) if !is_started => {
                        self.send(Content::Waiting).await;
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
        if !std::mem::replace(is_started, true) {
            self.send(Content::Started).await;
        }
    }

    async fn send(&self, content: Content) {
        if let Err(error) = self.reporter.send(content).await {
            tracing::debug!(error = error.to_string(), "the state of a search was not reported");
        }
    }
}
