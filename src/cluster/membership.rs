//! The nodes that are alive: those whose heartbeat is not older than [`DEAD_AFTER`].
//!
//! The time is the server's, so the clocks of the nodes do not matter.

use std::collections::BTreeMap;
use std::time::Duration;

use redis::cmd;

use super::command_error::{COMMAND_LIMIT, CommandError};
use super::connection::Connection;
use super::heartbeat::{Heartbeat, MAX_BYTES};
use super::keys::Keys;
use super::node::NodeId;

/// The time between two heartbeats of a node.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// A node without a heartbeat for this long is dead.
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(3);

/// How long the server keeps a heartbeat.
const KEPT: Duration = Duration::from_secs(5);

/// The most nodes that a node knows.
const MAX_NODES: usize = 1_000;

/// Writes a heartbeat and returns those of all nodes that are alive, as ids and values in turn.
///
/// `KEYS`: this node's heartbeat, and the ids of the nodes by the time of their last heartbeat.
/// `ARGV`: the heartbeat, the node's id, the prefix of heartbeats, and in milliseconds how long the
/// server keeps them and after what time a node is dead; the most nodes.
const BEAT: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
redis.call('ZADD', KEYS[2], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local nodes = {}
for _, id in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, ARGV[6] - 1)) do
  local heartbeat = redis.call('GET', ARGV[3] .. id)
  if heartbeat then
    table.insert(nodes, id)
    table.insert(nodes, heartbeat)
  end
end
return nodes";

/// The nodes that are alive, with what they have told.
pub(super) type Nodes = BTreeMap<NodeId, Heartbeat>;

/// Tells the other nodes the state of this one, and returns the nodes that are alive.
///
/// # Errors
/// The server does not answer in time, or refuses.
pub(super) async fn beat(
    connection: &Connection,
    keys: &Keys,
    node: &NodeId,
    heartbeat: Heartbeat,
) -> Result<Nodes, CommandError> {
    let prefix = keys.heartbeat_prefix();
    let mut command = cmd("EVAL");
    command
        .arg(BEAT)
        .arg(2)
        .arg(format!("{prefix}{node}"))
        .arg(keys.nodes())
        .arg(heartbeat.to_bytes())
        .arg(node.as_str())
        .arg(&prefix)
        .arg(KEPT.as_millis() as u64)
        .arg(DEAD_AFTER.as_millis() as u64)
        .arg(MAX_NODES);
    let answer: Vec<Vec<u8>> = connection.run(&command, COMMAND_LIMIT).await?;
    Ok(parse(&answer))
}

/// Tells the other nodes that this one has left.
///
/// # Errors
/// As [`beat`]. Then the others notice after [`DEAD_AFTER`].
pub(super) async fn leave(
    connection: &Connection,
    keys: &Keys,
    node: &NodeId,
) -> Result<(), CommandError> {
    let mut commands = redis::pipe();
    commands.del(format!("{}{node}", keys.heartbeat_prefix())).ignore();
    commands.zrem(keys.nodes(), node.as_str()).ignore();
    connection.run_all(&commands, COMMAND_LIMIT).await
}

/// Reads ids and heartbeats in turn. Those of another version, or damaged ones, are left out.
fn parse(answer: &[Vec<u8>]) -> Nodes {
    let pairs = answer.chunks_exact(2).take(MAX_NODES);
    let nodes = pairs.filter_map(|pair| {
        let node = NodeId::parse(std::str::from_utf8(&pair[0]).ok()?)?;
        let bytes = Some(&pair[1]).filter(|bytes| bytes.len() <= MAX_BYTES)?;
        Some((node, Heartbeat::from_bytes(bytes).ok()?))
    });
    nodes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::keys::EngineGroup;

    #[test]
    fn heartbeats_that_cannot_be_read_are_left_out() {
        let heartbeat =
            Heartbeat { group: EngineGroup([7; 8]), workers: 4, free_workers: 1, waiting: 0 };
        let bytes = heartbeat.to_bytes();
        let of_next_version = [&[2], &bytes[1..]].concat();
        let pairs: [(&[u8], &[u8]); 5] = [
            (b"a-00000001", &bytes),
            (b"b-00000002", &of_next_version),
            (b"c", &bytes),
            (b"\xff-00000003", &bytes),
            (b"d-00000004", &[1; MAX_BYTES + 1]),
        ];
        let answer: Vec<Vec<u8>> =
            pairs.iter().flat_map(|(id, value)| [id.to_vec(), value.to_vec()]).collect();
        let nodes = parse(&answer);
        let expected = NodeId::parse("a-00000001").unwrap();
        assert_eq!(nodes.into_iter().collect::<Vec<_>>(), [(expected, heartbeat)]);
    }
}
