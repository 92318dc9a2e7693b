//! The bytes of a request's body: declared as JSON, not too many, and in time.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT};

use crate::http::problem::{Problem, ProblemCode};

/// How much of a body that is too large is read all the same, as a multiple of the limit: many
/// clients look at the answer only when they have sent everything.
const DISCARD_FACTOR: usize = 64;

/// How bodies are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Most bytes.
    pub(crate) max_bytes: usize,
    /// Longest time until the body is there.
    pub(crate) timeout: Duration,
}

/// Reads a body.
///
/// # Errors
/// `unsupported_media_type`, `body_too_large`, `request_timeout`; `malformed_json` when it breaks
/// off.
pub(super) async fn read_json_body(
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
) -> Result<Bytes, Problem> {
    check_media_type(headers)?;
    read_bytes(headers, body, limits).await
}

/// Reads a body of whatever kind.
///
/// # Errors
/// `body_too_large`, `request_timeout`; `malformed_json` when it breaks off.
pub(crate) async fn read_bytes(
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
) -> Result<Bytes, Problem> {
    let length =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let too_large = length.is_some_and(|length| length > limits.max_bytes);
    if too_large && headers.contains_key(EXPECT) {
        return Err(Problem::body_too_large(limits.max_bytes));
    }
    let mut collected = pin!(collect(body, length.unwrap_or(0), limits.max_bytes));
    // Most are there already: no clock has to be set for them.
    let collected = match poll_fn(|context| Poll::Ready(collected.as_mut().poll(context))).await {
        Poll::Ready(all) => Ok(all),
        Poll::Pending => tokio::time::timeout(limits.timeout, collected).await,
    };
    match collected {
        Ok(Some(Ok(bytes))) => Ok(bytes),
        Ok(Some(Err(error))) => {
            tracing::debug!(error = error.to_string(), "a body broke off");
            Err(Problem::malformed_json("the body broke off", 1, 1))
        }
        Ok(None) => Err(Problem::body_too_large(limits.max_bytes)),
        Err(_late) if too_large => Err(Problem::body_too_large(limits.max_bytes)),
        Err(_late) => Err(Problem::request_timeout(limits.timeout)),
    }
}

/// The whole body; `None` when it is larger than `max`.
async fn collect(mut body: Body, length: usize, max: usize) -> Option<Result<Bytes, axum::Error>> {
    let mut buffer: Vec<u8> = Vec::new();
    let mut received = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let data = match frame.map(|frame| frame.into_data()) {
            Ok(Ok(data)) => data,
            Ok(Err(_trailers)) => continue,
            Err(error) => return Some(Err(error)),
        };
        received += data.len();
        if received == data.len() && received == length && received <= max {
            return Some(Ok(data));
        }
        if received > max.saturating_mul(DISCARD_FACTOR) {
            return None;
        }
        if received <= max {
            buffer.extend_from_slice(&data);
        }
    }
    (received <= max).then(|| Ok(Bytes::from(buffer)))
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    check_encoding(headers)?;
    let declared = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    if declared.is_some_and(is_json_media_type) { Ok(()) } else { Err(Problem::not_json(declared)) }
}

/// Refuses a body that is packed.
///
/// # Errors
/// `unsupported_media_type`
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Problem::new(
                ProblemCode::UnsupportedMediaType,
                "a body must come without Content-Encoding",
            ))
        }
        _ => Ok(()),
    }
}

/// `application/json`, or anything of the suffix `+json`, with or without parameters.
pub(crate) fn is_json_media_type(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let Some((kind, subtype)) = essence.split_once('/') else {
        return false;
    };
    let suffix = subtype.rsplit('+').next().unwrap_or_default();
    kind.eq_ignore_ascii_case("application") && suffix.eq_ignore_ascii_case("json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_by_its_media_type() {
        for good in
            ["application/json", "Application/JSON; charset=utf-8", "application/vnd.chess+json"]
        {
            assert!(is_json_media_type(good), "{good}");
        }
        for bad in [
            "text/plain",
            "application/jsonp",
            "application/x-www-form-urlencoded",
            "json",
            "text/json",
            "",
        ] {
            assert!(!is_json_media_type(bad), "{bad}");
        }
    }
}
