//! A node's view of the others: which are alive, and what of that is logged.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::heartbeat::Heartbeat;
use super::keys::EngineGroup;
use super::membership::{DEAD_AFTER, Nodes};
use super::node::NodeId;
use crate::analysis::ClusterStatus;

/// The view of a node.
#[derive(Debug)]
pub(super) struct View {
    node: NodeId,
    group: EngineGroup,
    /// The live nodes as of the last heartbeat; `None` while the server cannot be used.
    nodes: Option<Nodes>,
    /// The last heartbeat of this node.
    own: Option<Heartbeat>,
    /// The last failure that was logged, until a heartbeat succeeds.
    failure: Option<String>,
    /// Other nodes with this node's name, and since when they are known. `None` once that was
    /// logged.
    namesakes: BTreeMap<NodeId, Option<Instant>>,
}

impl View {
    /// The view of a node that does not know the others yet.
    pub(super) fn new(node: NodeId, group: EngineGroup) -> View {
        View { node, group, nodes: None, own: None, failure: None, namesakes: BTreeMap::new() }
    }

    /// Sets this node's own state.
    pub(super) fn set_own(&mut self, heartbeat: Heartbeat) {
        self.own = Some(heartbeat);
    }

    /// Notes the live nodes and logs what has changed.
    pub(super) fn update(&mut self, server: &str, nodes: Nodes) {
        match &self.nodes {
            Some(earlier) => self.log_changes(earlier, &nodes),
            None => self.log_joined(server, &nodes),
        }
        self.note_namesakes(&nodes);
        self.nodes = Some(nodes);
        self.failure = None;
    }

    /// Notes that the server cannot be used. Only a new reason is logged.
    pub(super) fn note_failure(&mut self, server: &str, error: &str) {
        self.nodes = None;
        if self.failure.as_deref() != Some(error) {
            self.failure = Some(error.to_owned());
            tracing::error!(
                server,
                error,
                "the cluster's server cannot be used; this node works alone and keeps trying"
            );
        }
    }

    /// The nodes that share searches and analyses, without the counts of the cache.
    pub(super) fn status(&self) -> ClusterStatus {
        let heartbeats: Vec<&Heartbeat> = match &self.nodes {
            Some(nodes) => nodes.values().filter(|other| other.group == self.group).collect(),
            None => self.own.iter().collect(),
        };
        let sum = |part: fn(&Heartbeat) -> u32| {
            heartbeats.iter().map(|heartbeat| part(heartbeat) as usize).sum()
        };
        ClusterStatus {
            nodes: heartbeats.len(),
            workers: sum(|heartbeat| heartbeat.workers),
            free_workers: sum(|heartbeat| heartbeat.free_workers),
            is_unreachable: self.nodes.is_none(),
            ..ClusterStatus::default()
        }
    }

    /// The workers of the other nodes that share searches with this one.
    pub(super) fn workers_elsewhere(&self) -> usize {
        let others = self.nodes.iter().flatten().filter(|(id, _)| **id != self.node);
        let of_group = others.filter(|(_, heartbeat)| heartbeat.group == self.group);
        of_group.map(|(_, heartbeat)| heartbeat.workers as usize).sum()
    }

    fn log_joined(&self, server: &str, nodes: &Nodes) {
        let is_of_group = |heartbeat: &&Heartbeat| heartbeat.group == self.group;
        let same_engine = nodes.values().filter(is_of_group).count();
        let (node, others) = (self.node.as_str(), nodes.len() - same_engine);
        tracing::info!(node, nodes = same_engine, server, "in the cluster");
        if others > 0 {
            tracing::warn!(
                nodes = others,
                "nodes with another engine, network or set of tablebases share no searches and no \
                 analyses with this one"
            );
        }
    }

    fn log_changes(&self, earlier: &Nodes, nodes: &Nodes) {
        for (id, heartbeat) in nodes.iter().filter(|(id, _)| !earlier.contains_key(id)) {
            let node = id.as_str();
            if heartbeat.group == self.group {
                tracing::info!(node, "a node joined the cluster");
            } else {
                tracing::warn!(
                    node,
                    "a node joined the cluster with another engine, network or set of tablebases; \
                     it shares no searches and no analyses with this one"
                );
            }
        }
        for id in earlier.keys().filter(|id| !nodes.contains_key(id)) {
            tracing::info!(node = id.as_str(), "a node left the cluster");
        }
    }

    /// Warns about another node with this node's name, once it is sure that it is not this node
    /// before a restart.
    fn note_namesakes(&mut self, nodes: &Nodes) {
        let now = Instant::now();
        self.namesakes.retain(|id, _| nodes.contains_key(id));
        let namesakes =
            nodes.keys().filter(|id| **id != self.node && id.name() == self.node.name());
        for id in namesakes {
            let since = self.namesakes.entry(id.clone()).or_insert(Some(now));
            if since.is_some_and(|since| now - since > DEAD_AFTER) {
                *since = None;
                let node = id.as_str();
                tracing::warn!(node, "another node has this node's name; set cluster.node");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: EngineGroup = EngineGroup([1; 8]);

    fn heartbeat(group: EngineGroup, free_workers: u32) -> Heartbeat {
        Heartbeat { group, workers: 4, free_workers, waiting: 0 }
    }

    fn view() -> View {
        let mut view = View::new(NodeId::parse("a-00000001").unwrap(), GROUP);
        view.set_own(heartbeat(GROUP, 3));
        view
    }

    #[test]
    fn a_node_that_knows_no_others_counts_itself() {
        let mut view = view();
        let alone = ClusterStatus {
            nodes: 1,
            workers: 4,
            free_workers: 3,
            is_unreachable: true,
            ..ClusterStatus::default()
        };
        assert_eq!(view.status(), alone);
        view.update("server", Nodes::new());
        view.note_failure("server", "gone");
        assert_eq!(view.status(), alone);
    }

    #[test]
    fn nodes_of_other_engines_do_not_count() {
        let mut view = view();
        let nodes =
            [("a-00000001", GROUP), ("b-00000002", GROUP), ("c-00000003", EngineGroup([2; 8]))];
        let of = |(id, group)| (NodeId::parse(id).unwrap(), heartbeat(group, 1));
        view.update("server", nodes.map(of).into_iter().collect());
        let status = view.status();
        assert_eq!((status.nodes, status.workers, status.free_workers), (2, 8, 2));
        assert!(!status.is_unreachable);
    }
}
