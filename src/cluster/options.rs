//! Options of a node's place in a cluster.

use std::fmt;

use super::endpoint::Endpoint;
use super::error::ClusterError;
use super::node::{NodeId, NodeName};
use super::server_info::JobsRole;

/// The longest prefix of keys, in bytes.
const MAX_PREFIX: usize = 64;

/// How a node takes part in a cluster: options that were checked.
#[derive(Clone)]
pub struct ClusterOptions {
    pub(super) endpoint: Endpoint,
    /// The server of the jobs, by default the same.
    pub(super) jobs_endpoint: Endpoint,
    pub(super) jobs_role: JobsRole,
    /// The number of replicas of the jobs' server that must have a write.
    pub(super) replicas: u32,
    pub(super) node: NodeId,
    /// The prefix of all keys.
    pub(super) prefix: String,
}

impl ClusterOptions {
    /// Options from the settings `cluster.url`, `cluster.node` and `cluster.prefix`. An empty node
    /// means the name of the machine.
    ///
    /// # Errors
    /// One of them has a form that is not allowed.
    pub fn new(url: &str, node: &str, prefix: &str) -> Result<ClusterOptions, ClusterError> {
        let endpoint = Endpoint::parse(url).ok_or(ClusterError::Url)?;
        let name = if node.is_empty() { NodeName::of_machine() } else { node.parse()? };
        if prefix.len() > MAX_PREFIX || !prefix.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ClusterError::Prefix { max: MAX_PREFIX });
        }
        Ok(ClusterOptions {
            jobs_endpoint: endpoint.clone(),
            jobs_role: JobsRole::Shared,
            endpoint,
            replicas: 0,
            node: NodeId::new(&name)?,
            prefix: prefix.to_owned(),
        })
    }

    /// The same options with the settings `cluster.jobs_url`, which may be empty, and
    /// `cluster.replicas`.
    ///
    /// # Errors
    /// The URL has a form that is not allowed.
    pub fn with_jobs(self, url: &str, replicas: u32) -> Result<ClusterOptions, ClusterError> {
        if url.is_empty() {
            return Ok(ClusterOptions { replicas, ..self });
        }
        let jobs_endpoint = Endpoint::parse(url).ok_or(ClusterError::JobsUrl)?;
        Ok(ClusterOptions { jobs_endpoint, jobs_role: JobsRole::Alone, replicas, ..self })
    }
}

impl fmt::Debug for ClusterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URLs may have a password.
        let ClusterOptions { replicas, node, prefix, .. } = self;
        let mut out = f.debug_struct("ClusterOptions");
        out.field("replicas", replicas).field("node", node).field("prefix", prefix);
        out.finish_non_exhaustive()
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
            "redis+sentinel://node:secret@10.0.0.1,10.0.0.2:26380/main",
        ] {
            ClusterOptions::new(url, "eu-1", "chess:").expect(url);
        }
        ClusterOptions::new("redis://localhost", "", "").expect("the name of the machine");
    }

    #[test]
    fn an_error_names_the_setting_and_no_password() {
        for url in [
            "",
            "localhost:6379",
            "http://localhost",
            "redis://:secret@host:x",
            "redis://host/x",
            "rediss://:secret@host#insecure",
            "redis://host?protocol=resp3",
            "unix:///run/redis.sock",
            "redis+unix:///run/redis.sock",
            "redis+sentinel://:secret@10.0.0.1",
        ] {
            let error = error(url, "", "");
            assert!(error.starts_with("cluster.url: "), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
            if !url.is_empty() {
                let options = ClusterOptions::new("redis://localhost", "", "").unwrap();
                let error = options.with_jobs(url, 0).unwrap_err().to_string();
                assert!(error.starts_with("cluster.jobs_url: "), "{url}: {error}");
                assert!(!error.contains("secret"), "{error}");
            }
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
