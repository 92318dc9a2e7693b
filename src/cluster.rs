//! Several nodes as one service, through a server that speaks the Redis protocol.
//!
//! The nodes know each other by what each writes to the server every second, and share finished
//! analyses and review jobs there. A node that cannot reach the server works alone. docs/cluster.md
//! explains the set-up, and what each failure costs.
//!
//! - `options`: how a node takes part;
//! - `endpoint`: where the server is;
//! - `command_error`: why a command has no answer;
//! - `error`: why a node does not start;
//! - `connection`: the connection and its time limits;
//! - `server_info`: what the server is, and what it must be;
//! - `keys`: the names of all keys;
//! - `node`: the identity of a node;
//! - `heartbeat`: what a node tells the others;
//! - `membership`: the nodes that are alive;
//! - `view`: a node's view of the others;
//! - `sessions`: which request of a session is the newest;
//! - `lending`: searches that nodes run for each other;
//! - `leasing`: searches that one node runs for all;
//! - `listener`: the messages of other nodes;
//! - `shared_cache`: the analyses that nodes share, read within `breaker`'s limits;
//! - `guard`: the limits of optional commands;
//! - `refusal_log`: the log of what the server refuses;
//! - `request_counts`, `tickets`: what `counters` has in common for all nodes;
//! - `jobs`: the review jobs that nodes share, perhaps on a server of their own;
//! - `redis_cluster`: all but the jobs behind the interface of the analysis service.

mod breaker;
mod command_error;
mod connection;
mod counters;
mod endpoint;
mod error;
mod guard;
mod heartbeat;
mod jobs;
mod keys;
mod leasing;
mod lending;
mod listener;
mod membership;
mod node;
mod options;
mod redis_cluster;
mod refusal_log;
mod request_counts;
mod server_info;
mod sessions;
mod shared_cache;
mod tickets;
mod view;

pub use command_error::CommandError;
pub use error::ClusterError;
pub use jobs::RedisJobs;
pub use node::InvalidNodeName;
pub use options::ClusterOptions;
pub use redis_cluster::RedisCluster;
pub use server_info::UnsuitableServer;
