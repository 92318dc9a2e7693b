//! Sessions across nodes: each entry of a request into a session gets a place, and all nodes hear
//! of it.
//!
//! A message has the version as a byte, the session's id, and as text the place and the id of the
//! node. A place is the server's time in microseconds, or one more than the last place if that is
//! higher. So places grow even if the server has lost its data.

use std::time::Duration;

use redis::cmd;

use super::command_error::CommandError;
use super::connection::Connection;
use super::keys::Keys;
use super::node::NodeId;
use crate::analysis::{Service, SessionId};

/// The version of a message.
const VERSION: u8 = 1;

/// The longest message, in bytes.
const MAX_BYTES: usize = 1 + 16 + 20 + 1 + 73;

/// The longest time until an entry is answered. The request does not wait for it.
const LIMIT: Duration = Duration::from_secs(2);

/// How long the server keeps the last place of a session.
const KEPT: Duration = Duration::from_secs(3_600);

/// Takes the next place in a session and tells all nodes.
///
/// `KEYS`: the last place of the session. `ARGV`: the channel, the message up to the place, how
/// long the place is kept in milliseconds, the id of the node.
const ENTER: &str = "
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
local place = string.format('%.0f', math.max(time[1] * 1000000 + time[2], last + 1))
redis.call('SET', KEYS[1], place, 'PX', ARGV[3])
redis.call('PUBLISH', ARGV[1], ARGV[2] .. place .. ' ' .. ARGV[4])
return place";

/// Enters a session and returns the place in it.
///
/// # Errors
/// The server does not answer in time, or refuses.
pub(super) async fn enter(
    connection: &Connection,
    keys: &Keys,
    node: &NodeId,
    session: SessionId,
) -> Result<u64, CommandError> {
    let mut command = cmd("EVAL");
    command
        .arg(ENTER)
        .arg(1)
        .arg(keys.session(&session.0))
        .arg(keys.session_channel())
        .arg([&[VERSION], &session.0[..]].concat())
        .arg(KEPT.as_millis() as u64)
        .arg(node.as_str());
    connection.run(&command, LIMIT).await
}

/// Tells the service of an entry on another node.
pub(super) fn receive(message: &[u8], node: &NodeId, service: &Service) {
    if let Some((session, place)) = parse(message, node) {
        service.note_session_elsewhere(session, place);
    }
}

/// The session and the place in a message of another node; `None` for one of this node, of another
/// version, or a damaged one.
fn parse(message: &[u8], node: &NodeId) -> Option<(SessionId, u64)> {
    let (&version, rest) = message.split_first()?;
    let (id, text) = rest.split_first_chunk::<16>()?;
    if version != VERSION || message.len() > MAX_BYTES {
        return None;
    }
    let (place, sender) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    let sender = NodeId::parse(sender)?;
    let place = place.parse().ok()?;
    (sender != *node).then_some((SessionId(*id), place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str) -> NodeId {
        NodeId::parse(id).unwrap()
    }

    #[test]
    fn a_message_of_another_node_has_session_and_place() {
        let message = [&[VERSION][..], &[7; 16], b"1764201234567890 b-00000002"].concat();
        let expected = Some((SessionId([7; 16]), 1_764_201_234_567_890));
        assert_eq!(parse(&message, &node("a-00000001")), expected);
        assert_eq!(parse(&message, &node("b-00000002")), None, "its own message");
    }

    #[test]
    fn other_versions_and_damaged_messages_are_ignored() {
        let message = [&[VERSION][..], &[7; 16], b"17 b-00000002"].concat();
        let own = node("a-00000001");
        assert!(parse(&message, &own).is_some());
        for length in 0..message.len() {
            assert_eq!(parse(&message[..length], &own), None, "{length}");
        }
        assert_eq!(parse(&[&[2], &message[1..]].concat(), &own), None);
        for text in ["", "17", "x b-00000002", "-1 b-00000002", "17 b", "17  b-00000002"] {
            let message = [&[VERSION][..], &[7; 16], text.as_bytes()].concat();
            assert_eq!(parse(&message, &own), None, "{text}");
        }
    }
}
