//! The messages of other nodes: a subscription that is renewed whenever it fails.

use std::time::Duration;

use futures_util::StreamExt;
use redis::RedisError;
use tokio::time::{interval, sleep};

use super::command_error::{CommandError, within};
use super::endpoint::Endpoint;

/// The time between two attempts to subscribe.
const RETRY: Duration = Duration::from_millis(500);

/// The time between two checks that the subscription still works, and the longest check.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
const CHECK_LIMIT: Duration = Duration::from_secs(2);

/// Passes the messages of channels on, with the number of the channel, until it is dropped.
pub(super) async fn listen(
    endpoint: Endpoint,
    channels: Vec<String>,
    mut on_message: impl FnMut(usize, &[u8]),
) {
    let mut logged_refusal = String::new();
    loop {
        match listen_once(&endpoint, &channels, &mut on_message).await {
            Ok(()) => logged_refusal.clear(),
            Err(error) => log_failure(&error, &mut logged_refusal),
        }
        sleep(RETRY).await;
    }
}

/// Logs a refusal of the server, once for each reason. The heartbeats tell of a missing server.
fn log_failure(error: &CommandError, logged_refusal: &mut String) {
    let text = error.to_string();
    if !error.is_refusal() {
        tracing::debug!(error = text, "no messages of other nodes for now");
    } else if *logged_refusal != text {
        tracing::warn!(
            error = text,
            "the cluster's server refuses messages: a newer request on another node does not end \
             the older one of its session, and no search is lent or shared"
        );
        *logged_refusal = text;
    }
}

/// Subscribes and passes messages on until the connection ends.
async fn listen_once(
    endpoint: &Endpoint,
    channels: &[String],
    on_message: &mut impl FnMut(usize, &[u8]),
) -> Result<(), CommandError> {
    let client = endpoint.client().await?;
    let subscribe = async {
        let (mut sink, messages) = client.get_async_pubsub().await?.split();
        sink.subscribe(channels).await?;
        Ok::<_, RedisError>((sink, messages))
    };
    let (mut sink, mut messages) = within(CHECK_LIMIT, subscribe).await?;
    let mut checks = interval(CHECK_INTERVAL);
    loop {
        tokio::select! {
            message = messages.next() => {
                let Some(message) = message else { return Ok(()) };
                let name = message.get_channel_name();
                if let Some(channel) = channels.iter().position(|channel| channel == name) {
                    on_message(channel, message.get_payload_bytes());
                }
            }
            // A connection that is cut off without a word shows only here.
            _ = checks.tick() => drop(within(CHECK_LIMIT, sink.ping::<redis::Value>()).await?),
        }
    }
}
