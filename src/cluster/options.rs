//! How a node takes part in a cluster.

use std::fmt;

use redis::Client;

use super::error::ClusterError;
use super::node::NodeName;

/// The longest prefix of keys, in bytes.
const MAX_PREFIX: usize = 64;

/// How a node takes part in a cluster: options that were checked.
#[derive(Clone)]
pub struct ClusterOptions {
    pub(super) client: Client,
    /// The name of the node in logs.
    pub(super) node: NodeName,
    /// What stands before the name of each key.
    pub(super) prefix: String,
}

impl ClusterOptions {
    /// Options from the settings `cluster.url`, `cluster.node` and `cluster.prefix`. An empty node
    /// means the name of the machine.
    ///
    /// # Errors
    /// One of them has a form that is not allowed.
    pub fn new(url: &str, node: &str, prefix: &str) -> Result<ClusterOptions, ClusterError> {
        // The URL may have a password, so the library's error stays out of the text.
        let client = Client::open(url).map_err(|_| ClusterError::Url)?;
        let node = if node.is_empty() { NodeName::of_machine() } else { node.parse()? };
        if prefix.len() > MAX_PREFIX || !prefix.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ClusterError::Prefix { max: MAX_PREFIX });
        }
        Ok(ClusterOptions { client, node, prefix: prefix.to_owned() })
    }
}

impl fmt::Debug for ClusterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may have a password.
        let ClusterOptions { client: _, node, prefix } = self;
        let mut out = f.debug_struct("ClusterOptions");
        out.field("node", node).field("prefix", prefix).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(url: &str, node: &str, prefix: &str) -> String {
        ClusterOptions::new(url, node, prefix).unwrap_err().to_string()
    }

    #[test]
    fn options_of_these_forms_are_accepted() {
        for url in [
            "redis://localhost",
            "redis://:secret@10.0.0.1:6380/2",
            "rediss://node:secret@valkey.example:6379",
            "valkey://localhost",
        ] {
            ClusterOptions::new(url, "eu-1", "chess:").expect(url);
        }
        ClusterOptions::new("redis://localhost", "", "").expect("the name of the machine");
    }

    #[test]
    fn an_error_names_the_setting_and_no_password() {
        for url in ["", "localhost:6379", "http://localhost", "redis://:secret@host:x"] {
            let error = error(url, "", "");
            assert!(error.starts_with("cluster.url: "), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let text = error("redis://localhost", "a b", "");
        assert!(text.starts_with("cluster.node: "), "{text}");
        for prefix in ["a b", "é", &"x".repeat(MAX_PREFIX + 1)] {
            let text = error("redis://localhost", "", prefix);
            assert!(text.starts_with("cluster.prefix: "), "{text}");
        }
    }

    #[test]
    fn the_debug_output_has_no_password() {
        let options = ClusterOptions::new("redis://:secret@localhost", "a", "").unwrap();
        assert!(!format!("{options:?}").contains("secret"));
    }
}
