//! The identity of a node: a name for people, and random bits that tell equal names apart.

use std::fmt;
use std::str::FromStr;

/// The longest name of a node, in characters.
const MAX_LENGTH: usize = 64;

/// The name of a node in logs: 1 to 64 letters of ASCII, digits, `.`, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeName(String);

/// A text that is no name of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a node's name has 1 to {MAX_LENGTH} letters of ASCII, digits, '.', '_' and '-'")]
pub struct InvalidNodeName;

impl NodeName {
    /// The name of this machine, as far as its letters are allowed; `node` if it has none.
    pub(super) fn of_machine() -> NodeName {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let allowed: String = host.chars().filter(|c| is_allowed(*c)).take(MAX_LENGTH).collect();
        NodeName(if allowed.is_empty() { "node".to_owned() } else { allowed })
    }
}

impl FromStr for NodeName {
    type Err = InvalidNodeName;

    fn from_str(text: &str) -> Result<NodeName, InvalidNodeName> {
        let is_name = (1..=MAX_LENGTH).contains(&text.len()) && text.chars().all(is_allowed);
        if is_name { Ok(NodeName(text.to_owned())) } else { Err(InvalidNodeName) }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// The id of a running node: its name and 32 random bits. Two nodes with one name thus stay two
/// nodes, and a restarted node is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(String);

impl NodeId {
    /// A new id of a node with this name.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub(super) fn new(name: &NodeName) -> Result<NodeId, getrandom::Error> {
        let mut bits = [0; 4];
        getrandom::fill(&mut bits)?;
        Ok(NodeId(format!("{name}-{:08x}", u32::from_be_bytes(bits))))
    }

    /// The id with this text, as another node has written it. `None` if it is none.
    pub(super) fn parse(text: &str) -> Option<NodeId> {
        let (name, bits) = text.rsplit_once('-')?;
        let is_id = name.parse::<NodeName>().is_ok()
            && bits.len() == 8
            && bits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| NodeId(text.to_owned()))
    }

    /// The id as text.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in the id.
    pub(super) fn name(&self) -> &str {
        self.0.rsplit_once('-').map_or("", |(name, _)| name)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let longest = "x".repeat(MAX_LENGTH);
        for name in ["a", "node-1", "eu.west_2", &longest] {
            assert_eq!(name.parse::<NodeName>().unwrap().to_string(), name);
        }
        for text in ["", "a b", "é", "a\n", "a:b", &format!("{longest}x")] {
            assert_eq!(text.parse::<NodeName>(), Err(InvalidNodeName), "{text}");
        }
    }

    #[test]
    fn two_nodes_with_one_name_have_two_ids() {
        let name: NodeName = "a-b".parse().unwrap();
        let (first, second) = (NodeId::new(&name).unwrap(), NodeId::new(&name).unwrap());
        assert_ne!(first, second);
        assert_eq!((first.name(), second.name()), ("a-b", "a-b"));
        assert_eq!(NodeId::parse(first.as_str()), Some(first));
    }

    #[test]
    fn an_id_of_another_form_is_none() {
        for text in
            ["", "a", "a-", "-12345678", "a-1234567", "a-1234567g", "a-1234567A", "é-12345678"]
        {
            assert_eq!(NodeId::parse(text), None, "{text}");
        }
    }
}
