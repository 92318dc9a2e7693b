//! Requests that all nodes count together, by the generic cell rate algorithm (Wikipedia, "Generic
//! cell rate algorithm").
//!
//! A key has the theoretical arrival time of the client's next request, in microseconds of the
//! server's clock. It expires when the client has its full allowance again.

use std::num::NonZeroU32;
use std::time::Duration;

use redis::cmd;

use super::command_error::CommandError;
use super::connection::Connection;
use super::keys::Keys;
use crate::analysis::{Client, CountMode, RequestCount};

/// Counts a request, or looks whether it may be made. Returns 1 and the remaining requests after
/// it, or 0 and the microseconds until it may be made.
///
/// `KEYS`: the arrival time. `ARGV`: microseconds of the window, its requests, 1 to count.
const COUNT: &str = "
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, window = ARGV[1] / ARGV[2], tonumber(ARGV[1])
local stored = tonumber(redis.call('GET', KEYS[1]) or 0)
-- After a step of the clock or a shorter window, it may lie too far ahead.
local arrival = math.min(math.max(stored, now), now + window)
local wait = arrival + interval - window - now
if wait > 0.5 then return {0, math.ceil(wait)} end
if ARGV[3] == '1' then
  local text = string.format('%.0f', arrival + interval)
  redis.call('SET', KEYS[1], text, 'PX', math.ceil((arrival + interval - now) / 1000))
end
return {1, math.max(0, math.floor((window - (arrival + interval - now)) / interval + 0.001))}";

/// Counts a request of a client.
///
/// # Errors
/// The server does not answer in time, or refuses.
pub(super) async fn count(
    connection: &Connection,
    keys: &Keys,
    client: &Client,
    (requests, window): (NonZeroU32, Duration),
    mode: CountMode,
    limit: Duration,
) -> Result<RequestCount, CommandError> {
    let mut command = cmd("EVAL");
    command
        .arg(COUNT)
        .arg(1)
        .arg(keys.request_count(&client.to_string()))
        .arg(window.as_micros() as u64)
        .arg(requests.get())
        .arg(u8::from(mode == CountMode::Count));
    let (allowed, number): (u8, u64) = connection.run(&command, limit).await?;
    Ok(if allowed == 1 {
        // A peek leaves the request to be made.
        let own = u64::from(mode == CountMode::Peek);
        let remaining = u32::try_from(number + own).unwrap_or(u32::MAX).min(requests.get());
        RequestCount::Allowed { remaining }
    } else {
        RequestCount::Exceeded { retry_after: Duration::from_micros(number) }
    })
}
