//! Tickets that any node redeems.
//!
//! A ticket stands under the SHA-256 of its token, so that whoever reads the keys cannot use it.
//! Its value is the version as a byte, the client, and the name of its API key, an empty text
//! without one. Two sorted sets have the times when the tickets of a client, and all tickets,
//! expire.

use std::time::Duration;

use redis::cmd;
use sha2::{Digest, Sha256};

use super::command_error::CommandError;
use super::connection::Connection;
use super::keys::Keys;
use crate::analysis::{Client, PutTicket, TicketHolder, TicketRules, TicketToken};
use crate::store::DecodeError;
use crate::store::bytes::{ByteReader, write_text};

/// The version of a value.
const VERSION: u8 = 1;

/// Stores a ticket. Returns 0, or the milliseconds until the oldest one expires if there are too
/// many.
///
/// `KEYS`: the ticket, the tickets of the client, all tickets. `ARGV`: the value, the lifetime in
/// milliseconds, the most tickets of a client, and of all.
const PUT: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, 3 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
  if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[i + 1]) then
    return math.max(redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2] - now, 1)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
for i = 2, 3 do
  redis.call('ZADD', KEYS[i], now + ARGV[2], KEYS[1])
  redis.call('PEXPIRE', KEYS[i], ARGV[2])
end
return 0";

/// Takes a ticket away and returns its value.
///
/// `KEYS`: the ticket, all tickets.
const TAKE: &str = "
local value = redis.call('GETDEL', KEYS[1])
if value then redis.call('ZREM', KEYS[2], KEYS[1]) end
return value";

/// Stores a ticket.
///
/// # Errors
/// The server does not answer in time, or refuses.
pub(super) async fn put(
    connection: &Connection,
    keys: &Keys,
    token: &TicketToken,
    holder: &TicketHolder,
    rules: TicketRules,
    limit: Duration,
) -> Result<PutTicket, CommandError> {
    let client = holder.client.to_string();
    let mut command = cmd("EVAL");
    command
        .arg(PUT)
        .arg(3)
        .arg(keys.ticket(&Sha256::digest(token)))
        .arg(keys.tickets_of(&client))
        .arg(keys.tickets())
        .arg(encode(holder))
        .arg(rules.lifetime.as_millis() as u64)
        .arg(rules.max_per_client)
        .arg(rules.max);
    let wait_ms: u64 = connection.run(&command, limit).await?;
    Ok(match wait_ms {
        0 => PutTicket::Stored,
        wait_ms => PutTicket::TooMany { retry_after: Duration::from_millis(wait_ms) },
    })
}

/// Takes a ticket away. A damaged one, or one of another version, is none.
///
/// # Errors
/// The server does not answer in time, or refuses.
pub(super) async fn take(
    connection: &Connection,
    keys: &Keys,
    token: &TicketToken,
    limit: Duration,
) -> Result<Option<TicketHolder>, CommandError> {
    let key = keys.ticket(&Sha256::digest(token));
    let mut command = cmd("EVAL");
    command.arg(TAKE).arg(2).arg(&key).arg(keys.tickets());
    let value: Option<Vec<u8>> = connection.run(&command, limit).await?;
    let Some(holder) = value.and_then(|value| decode(&value).ok()) else { return Ok(None) };
    // The place of the ticket becomes free. If that fails, it does when the ticket expires.
    let mut free = cmd("ZREM");
    free.arg(keys.tickets_of(&holder.client.to_string())).arg(&key);
    if let Err(error) = connection.run::<()>(&free, limit).await {
        tracing::debug!(error = error.to_string(), "the place of a ticket becomes free later");
    }
    Ok(Some(holder))
}

fn encode(TicketHolder { client, key }: &TicketHolder) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    write_text(&mut bytes, &client.to_string());
    write_text(&mut bytes, key.as_deref().unwrap_or_default());
    bytes
}

fn decode(bytes: &[u8]) -> Result<TicketHolder, DecodeError> {
    let mut reader = ByteReader::new(bytes);
    if reader.read_u8()? != VERSION {
        return Err(DecodeError);
    }
    let (client, key) = (Client::new(&reader.read_text()?), reader.read_text()?);
    reader.expect_end()?;
    Ok(TicketHolder { client, key: Some(key).filter(|key| !key.is_empty()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_version_1() {
        let holder = TicketHolder { client: Client::new("key a"), key: Some("a".to_owned()) };
        assert_eq!(encode(&holder), b"\x01\x05key a\x01a");
        assert_eq!(decode(b"\x01\x05key a\x01a"), Ok(holder));
        let anonymous = TicketHolder { client: Client::new("10.0.0.1"), key: None };
        assert_eq!(encode(&anonymous), b"\x01\x0810.0.0.1\x00");
        assert_eq!(decode(b"\x01\x0810.0.0.1\x00"), Ok(anonymous));
    }

    #[test]
    fn other_values_are_errors() {
        for value in
            [&b""[..], b"\x02\x01a\x00", b"\x01\x01a", b"\x01\x01a\x00x", b"\x01\x01\xff\x00"]
        {
            assert_eq!(decode(value), Err(DecodeError), "{value:?}");
        }
    }
}
