//! The names of all keys on the server.
//!
//! Each begins with `cluster.prefix` and the version of the layout, `k1:`. The names of analyses
//! include an [`EngineGroup`], because other groups must not use them.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use super::node::NodeId;
use crate::analysis::PriorityClass;
use crate::store::EntryKey;

/// The version of all names and values. Nodes ignore the keys of another version.
const LAYOUT: &str = "k1:";

/// The prefix of all keys of jobs.
pub(super) fn jobs_root(prefix: &str) -> String {
    format!("{prefix}{LAYOUT}{{j}}:")
}

/// The nodes that share searches and analyses: those with the same engine, network and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EngineGroup(pub(super) [u8; 8]);

impl EngineGroup {
    /// The group of the nodes with this [`engine_id`](crate::analysis::Searcher::engine_id) and
    /// this layout of records: the first bytes of the SHA-256 of the layout and the id.
    pub(super) fn new(engine_id: &str, layout: u8) -> EngineGroup {
        let digest = Sha256::new().chain_update([layout]).chain_update(engine_id).finalize();
        EngineGroup(std::array::from_fn(|index| digest[index]))
    }
}

impl fmt::Display for EngineGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The names of the keys of a node.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// The prefix of all names.
    prefix: String,
    group: EngineGroup,
}

impl Keys {
    /// The names behind this prefix, for a node of this group.
    pub(super) fn new(prefix: &str, group: EngineGroup) -> Keys {
        Keys { prefix: format!("{prefix}{LAYOUT}"), group }
    }

    /// The prefix of the heartbeats, whose rest is the id of the node.
    pub(super) fn heartbeat_prefix(&self) -> String {
        format!("{}n:", self.prefix)
    }

    /// The ids of all nodes by the time of their last heartbeat.
    pub(super) fn nodes(&self) -> String {
        format!("{}nodes", self.prefix)
    }

    /// The last place of a session.
    pub(super) fn session(&self, id: &[u8; 16]) -> Vec<u8> {
        [self.prefix.as_bytes(), b"s:", id].concat()
    }

    /// The channel that tells all nodes of entries into sessions.
    pub(super) fn session_channel(&self) -> String {
        format!("{}sessions", self.prefix)
    }

    /// The searches of this class that any node of the group may run.
    pub(super) fn searches(&self, class: PriorityClass) -> Vec<u8> {
        let class = match class {
            PriorityClass::Interactive => "live",
            PriorityClass::Batch => "batch",
        };
        format!("{}w:{}:{class}", self.prefix, self.group).into_bytes()
    }

    /// The channel of the messages for a node.
    pub(super) fn node_channel(&self, node: &NodeId) -> String {
        format!("{}to:{node}", self.prefix)
    }

    /// The result of a search that was lent.
    pub(super) fn result(&self, search: &str) -> String {
        format!("{}r:{search}", self.prefix)
    }

    /// The lease of a search.
    pub(super) fn lease(&self, digest: &[u8; 16]) -> Vec<u8> {
        [format!("{}f:{}:", self.prefix, self.group).as_bytes(), digest].concat()
    }

    /// The count of a client's requests.
    pub(super) fn request_count(&self, client: &str) -> Vec<u8> {
        self.by_digest(b"q:", client)
    }

    /// The ticket under this digest of its token.
    pub(super) fn ticket(&self, digest: &[u8]) -> Vec<u8> {
        [self.prefix.as_bytes(), b"t:", digest].concat()
    }

    /// The tickets of a client by the time when they expire.
    pub(super) fn tickets_of(&self, client: &str) -> Vec<u8> {
        self.by_digest(b"tc:", client)
    }

    /// All tickets by the time when they expire.
    pub(super) fn tickets(&self) -> Vec<u8> {
        format!("{}tickets", self.prefix).into_bytes()
    }

    /// A name with a part of the SHA-256 of a client, so that it is short.
    fn by_digest(&self, kind: &[u8], client: &str) -> Vec<u8> {
        [self.prefix.as_bytes(), kind, &Sha256::digest(client)[..16]].concat()
    }

    /// The analyses of the position of this key.
    pub(super) fn analyses_of(&self, key: &EntryKey) -> Vec<u8> {
        self.analyses(&EntryKey::position_bytes(key.zobrist_key, &key.position))
    }

    /// The analyses of a position, given [`EntryKey::position_bytes`].
    pub(super) fn analyses(&self, position: &[u8]) -> Vec<u8> {
        let mut name = self.prefix.clone();
        // Writing to a String cannot fail.
        let _ = write!(name, "d:{}:", self.group);
        [name.as_bytes(), position].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_layout_1() {
        // sha256sum of a byte of 1 and "engine 1".
        let group = EngineGroup::new("engine 1", 1);
        assert_eq!(group.to_string(), "891161b5de05e73d");
        let keys = Keys::new("chess:", group);
        assert_eq!(keys.heartbeat_prefix(), "chess:k1:n:");
        assert_eq!(keys.nodes(), "chess:k1:nodes");
        assert_eq!(jobs_root("chess:"), "chess:k1:{j}:");
        assert_eq!(
            keys.session(&[1; 16]),
            b"chess:k1:s:\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"
        );
        assert_eq!(keys.session_channel(), "chess:k1:sessions");
        assert_eq!(keys.searches(PriorityClass::Interactive), b"chess:k1:w:891161b5de05e73d:live");
        assert_eq!(keys.searches(PriorityClass::Batch), b"chess:k1:w:891161b5de05e73d:batch");
        let node = NodeId::parse("a-00000001").unwrap();
        assert_eq!(keys.node_channel(&node), "chess:k1:to:a-00000001");
        assert_eq!(keys.result("07"), "chess:k1:r:07");
        assert_eq!(keys.lease(&[1; 16]), [&b"chess:k1:f:891161b5de05e73d:"[..], &[1; 16]].concat());
        // The beginning of `printf ann | sha256sum`.
        let ann = b"\x49\x91\x5e\x0d";
        assert!(keys.request_count("ann").starts_with(&[&b"chess:k1:q:"[..], ann].concat()));
        assert!(keys.tickets_of("ann").starts_with(&[&b"chess:k1:tc:"[..], ann].concat()));
        assert_eq!(keys.tickets_of("ann").len(), "chess:k1:tc:".len() + 16);
        assert_eq!(keys.ticket(b"\x01\xff"), b"chess:k1:t:\x01\xff");
        assert_eq!(keys.tickets(), b"chess:k1:tickets");
        assert_eq!(keys.analyses(b"\x01\xff"), b"chess:k1:d:891161b5de05e73d:\x01\xff");
    }
}
