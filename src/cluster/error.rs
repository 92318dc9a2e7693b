//! Errors of the cluster. Every text names the configuration key, because the operator has to
//! correct the cause.

use super::command_error::CommandError;
use super::node::InvalidNodeName;
use super::server_info::UnsuitableServer;

/// The reason why a node does not start in a cluster. A server that cannot be reached is none: the
/// node starts alone and keeps trying.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The URL has another form, or names an unknown scheme. The text leaves the URL out, because
    /// it may have a password.
    #[error(
        "cluster.url: it must have the form redis://[user:password@]host[:port][/database] or \
         redis+sentinel://[user:password@]host[:port][,host[:port]…]/primary[/database], with \
         rediss for TLS, and nothing after it; other characters than letters, \
         digits, -, ., _ and ~ of user and password as %XX"
    )]
    Url,
    /// A setting has no effect, because the node belongs to no cluster.
    #[error("{0}: it has no effect without cluster.url")]
    NoCluster(&'static str),
    /// The URL of the jobs' server has another form.
    #[error(
        "cluster.jobs_url: it must be empty or have the form \
         redis://[user:password@]host[:port][/database] or \
         redis+sentinel://[user:password@]host[:port][,host[:port]…]/primary[/database], with \
         rediss for TLS, and nothing after it; other characters than letters, \
         digits, -, ., _ and ~ of user and password as %XX"
    )]
    JobsUrl,
    /// The name of the node has another form.
    #[error("cluster.node: {0}")]
    Node(#[from] InvalidNodeName),
    /// The prefix of the keys has another form.
    #[error("cluster.prefix: it must have at most {max} characters of ASCII and no spaces")]
    Prefix {
        /// The most characters.
        max: usize,
    },
    /// The server refuses the user or the password, or the user may not do what is needed.
    #[error("cluster.url: the server refuses this user: {0}")]
    Refused(CommandError),
    /// The server cannot be used.
    #[error("cluster.url: {0}")]
    Unsuitable(#[from] UnsuitableServer),
    /// The jobs' server, which this setting names, refuses the user or the password, or what the
    /// user needs.
    #[error("{0}: the server refuses this user: {1}")]
    JobsRefused(&'static str, CommandError),
    /// The jobs' server, which this setting names, cannot be used.
    #[error("{0}: {1}")]
    UnsuitableForJobs(&'static str, UnsuitableServer),
    /// The system provides no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}
