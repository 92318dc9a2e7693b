//! Extractors that read requests from JSON bodies and query parameters.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use axum::http::request::Parts;
use percent_encoding::{percent_decode, percent_decode_str};

use super::from_value::JsonPath;
use super::members::{FromMembers, Members};
use super::syntax_error::{TextSource, malformed};
use super::value::JsonValue;
use crate::chess::excerpt;
use crate::http::problem::{MemberErrorCode, Problem, ProblemCode};
use crate::http::request_memory::{
    FREE_BODY_BYTES, PartialReservation, Reservation, ShareExceeded,
};

/// The JSON body of a request, read into `T`. Every rejection is a [`Problem`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub T);

/// The limits on requests, which the application state provides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonLimits {
    /// The limits on a body.
    pub(crate) body: BodyLimits,
    /// The maximum number of entries in the member `moves`.
    pub(crate) max_moves: usize,
}

impl<T, S> FromRequest<S> for Json<T>
where
    T: FromMembers,
    S: Sync,
    JsonLimits: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, Problem> {
        let limits = JsonLimits::from_ref(state);
        let (mut parts, body) = request.into_parts();
        MembersInBody::from_request_parts(&mut parts, state).await?;
        let reservation = parts.extensions.get::<Arc<Reservation>>();
        let mut memory = reservation.map(|reservation| reservation.part());
        let declared = content_type(&parts.headers);
        check_encoding(&parts.headers)?;
        if !may_be_json(declared) {
            return Err(Problem::not_json(declared));
        }
        let bytes = read_bytes(&parts.headers, body, limits.body, memory.as_mut()).await?;
        if is_undeclared(declared) && !is_object_or_empty(&bytes) {
            return Err(Problem::not_json(declared));
        }
        read(&bytes, limits.max_moves).map(Json)
    }
}

/// Reads a body into `T`.
///
/// # Errors
/// As [`read_from`].
pub(crate) fn read<T: FromMembers>(bytes: &[u8], max_moves: usize) -> Result<T, Problem> {
    read_from(TextSource::Body, bytes, max_moves)
}

/// Reads the text of this source into `T`.
///
/// # Errors
/// Fails with `malformed_json` and its line and column, or with `invalid_request` and all errors.
pub(crate) fn read_from<T: FromMembers>(
    source: TextSource,
    bytes: &[u8],
    max_moves: usize,
) -> Result<T, Problem> {
    if bytes.trim_ascii().is_empty() {
        return Err(Problem::empty_json(source.name()));
    }
    let value: JsonValue<'_> =
        serde_json::from_slice(bytes).map_err(|error| malformed(source, bytes, &error))?;
    read_value(source.name(), value, max_moves)
}

/// Reads members into `T`.
///
/// # Errors
/// Fails with `invalid_request` and all errors.
fn read_value<T: FromMembers>(
    name: &str,
    value: JsonValue<'_>,
    max_moves: usize,
) -> Result<T, Problem> {
    let mut members = Members::new(name, value, max_moves);
    let read = T::read(&mut members);
    let errors = members.into_errors();
    match read {
        Some(request) if errors.is_empty() => Ok(request),
        _ => Err(Problem::invalid_request(&errors)),
    }
}

/// How much of a body above the limit is read and discarded, as a multiple of the limit. Many
/// clients read the response only after they have sent everything.
const DISCARD_FACTOR: usize = 64;

/// A body that grows is copied: for a moment there are its old and its new buffer.
const BODY_COPIES: usize = 2;

/// The limits on a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Maximum size, in bytes.
    pub(crate) max_bytes: usize,
    /// Maximum time until the whole body has arrived.
    pub(crate) timeout: Duration,
}

/// The declared length of a body, in bytes.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a body of any media type. `memory` is the part of the request's memory that the body
/// takes; `None` if a permit stands for it.
///
/// # Errors
/// Fails with `body_too_large` or `request_timeout`, with `malformed_json` if the body ends early,
/// and with `queue_full` if the client's share of memory does not suffice.
pub(crate) async fn read_bytes(
    headers: &HeaderMap,
    body: Body,
    limits: BodyLimits,
    memory: Option<&mut PartialReservation>,
) -> Result<Bytes, Problem> {
    let length = content_length(headers);
    let too_large = length.is_some_and(|length| length > limits.max_bytes);
    if too_large && headers.contains_key(EXPECT) {
        return Err(Problem::body_too_large(limits.max_bytes));
    }
    let mut collected = pin!(collect(body, length.unwrap_or(0), limits.max_bytes, memory));
    // Most bodies have already arrived, so that no timer is needed.
    let collected = match poll_fn(|context| Poll::Ready(collected.as_mut().poll(context))).await {
        Poll::Ready(all) => Ok(all),
        Poll::Pending => tokio::time::timeout(limits.timeout, collected).await,
    };
    match collected {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(CollectError::Broken(error))) => {
            tracing::debug!(error = error.to_string(), "request body ended early");
            Err(Problem::malformed_json("the body ended early", 1, 1))
        }
        Ok(Err(CollectError::TooLarge)) => Err(Problem::body_too_large(limits.max_bytes)),
        Ok(Err(CollectError::ShareExceeded)) => Err(Problem::memory_share_exceeded()),
        Err(_elapsed) if too_large => Err(Problem::body_too_large(limits.max_bytes)),
        Err(_elapsed) => Err(Problem::request_timeout(limits.timeout)),
    }
}

/// The reason why a body could not be read.
enum CollectError {
    /// The connection failed.
    Broken(axum::Error),
    /// The body is larger than the limit.
    TooLarge,
    /// The client's share of memory does not suffice.
    ShareExceeded,
}

/// Reads the whole body of at most `max` bytes.
async fn collect(
    mut body: Body,
    length: usize,
    max: usize,
    mut memory: Option<&mut PartialReservation>,
) -> Result<Bytes, CollectError> {
    let mut buffer: Vec<u8> = Vec::new();
    let mut received = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let data = match frame.map_err(CollectError::Broken)?.into_data() {
            Ok(data) => data,
            Err(_trailers) => continue,
        };
        received += data.len();
        if received > max.saturating_mul(DISCARD_FACTOR) {
            return Err(CollectError::TooLarge);
        }
        if received > max {
            continue;
        }
        if received > FREE_BODY_BYTES
            && let Some(memory) = &mut memory
        {
            let bytes = BODY_COPIES * received;
            memory.grow_to(bytes).map_err(|ShareExceeded| CollectError::ShareExceeded)?;
        }
        if received == data.len() && received == length {
            return Ok(data);
        }
        buffer.extend_from_slice(&data);
    }
    if received <= max { Ok(Bytes::from(buffer)) } else { Err(CollectError::TooLarge) }
}

/// Refuses an encoded (for example compressed) body.
///
/// # Errors
/// Fails with `unsupported_media_type`.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Problem::new(
                ProblemCode::UnsupportedMediaType,
                "Content-Encoding is not supported; send the body unencoded",
            ))
        }
        _ => Ok(()),
    }
}

/// The header `Content-Type`; empty if it is not ASCII text.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default())
}

/// Whether a declared media type, without its parameters, is one of these.
pub(crate) fn is_media_type(declared: &str, media_types: &[&str]) -> bool {
    media_types.iter().any(|media_type| essence(declared).eq_ignore_ascii_case(media_type))
}

/// Whether the client does not declare what the body is: the header is absent, or has the type that
/// curl sends by default.
pub(crate) fn is_undeclared(declared: Option<&str>) -> bool {
    declared.is_none_or(|declared| is_media_type(declared, &["application/x-www-form-urlencoded"]))
}

/// Whether the body is declared as JSON, or undeclared.
pub(crate) fn may_be_json(declared: Option<&str>) -> bool {
    is_undeclared(declared) || declared.is_some_and(is_json_media_type)
}

/// Whether an undeclared body counts as a JSON object. An empty body is one that is missing.
pub(crate) fn is_object_or_empty(body: &[u8]) -> bool {
    body.trim_ascii_start().first().is_none_or(|&first| first == b'{')
}

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// Whether a media type is `application/json` or has the suffix `+json`; parameters are ignored.
pub(crate) fn is_json_media_type(media_type: &str) -> bool {
    let Some((kind, subtype)) = essence(media_type).split_once('/') else {
        return false;
    };
    let suffix = subtype.rsplit('+').next().unwrap_or_default();
    kind.eq_ignore_ascii_case("application") && suffix.eq_ignore_ascii_case("json")
}

/// The query of a request, read into `T`. The parameters are the members of the JSON request;
/// commas or spaces separate the items of a list, or the parameter is repeated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<T>(pub T);

impl<T, S> FromRequestParts<S> for Query<T>
where
    T: FromMembers,
    S: Sync,
    JsonLimits: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>, Problem> {
        let value = parameters(parts.uri.query().unwrap_or_default())?;
        read_value("the query", value, JsonLimits::from_ref(state).max_moves).map(Query)
    }
}

/// The parameters of a route that takes none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoParameters;

impl FromMembers for NoParameters {
    fn read(_: &mut Members<'_>) -> Option<NoParameters> {
        Some(NoParameters)
    }
}

/// A request that has its members in the body. A parameter in its query is refused, since it would
/// have no effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MembersInBody;

impl<S: Sync> FromRequestParts<S> for MembersInBody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<MembersInBody, Problem> {
        let pairs = parts.uri.query().unwrap_or_default().split('&');
        let names = pairs.filter_map(|pair| pair.split('=').next());
        let mut errors = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            let name = percent_decode_str(name).decode_utf8_lossy();
            let detail = format!(
                "{:?} is in the query; the members of this request belong in the body",
                excerpt(&name)
            );
            JsonPath::Member(&name).add_error(&mut errors, MemberErrorCode::UnknownMember, detail);
        }
        if errors.is_empty() { Ok(MembersInBody) } else { Err(Problem::invalid_request(&errors)) }
    }
}

/// Parses the parameters of a query in `application/x-www-form-urlencoded`.
fn parameters(query: &str) -> Result<JsonValue<'static>, Problem> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(name)?, JsonValue::QueryText(decode(value)?)))
    });
    pairs.collect::<Result<_, _>>().map(JsonValue::Object)
}

/// The value of a query's first parameter with this name, unless it is malformed.
pub(crate) fn query_text(query: &str, name: &str) -> Option<Cow<'static, str>> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(other, _)| *other == name).and_then(|(_, value)| decode(value).ok())
}

fn decode(text: &str) -> Result<Cow<'static, str>, Problem> {
    let malformed = || Problem::malformed_query(text);
    let bytes = text.replace('+', " ").into_bytes();
    let mut escapes = bytes.split(|&byte| byte == b'%').skip(1);
    if !escapes.all(|after| after.len() >= 2 && after[..2].iter().all(u8::is_ascii_hexdigit)) {
        return Err(malformed());
    }
    let text = percent_decode(&bytes).decode_utf8().map_err(|_| malformed())?;
    Ok(Cow::Owned(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::problem::ProblemCode;

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

    fn query_texts(query: &str) -> Vec<(String, String)> {
        let Ok(JsonValue::Object(members)) = parameters(query) else { panic!("{query}") };
        let text = |(name, value)| match value {
            JsonValue::QueryText(text) => (Cow::into_owned(name), Cow::into_owned(text)),
            other => panic!("{other:?}"),
        };
        members.into_iter().map(text).collect()
    }

    #[test]
    fn names_and_values_are_decoded() {
        let pairs =
            query_texts("fen=4k3/8/8/8/8/8/8/4K3+w+-+-&moves=Ke2%2C%20Kd7&fresh&&a%20b=%C3%A4");
        let expected = [
            ("fen", "4k3/8/8/8/8/8/8/4K3 w - -"),
            ("moves", "Ke2, Kd7"),
            ("fresh", ""),
            ("a b", "ä"),
        ];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(query_texts("").is_empty());
    }

    #[test]
    fn invalid_percent_encoding_is_refused() {
        for bad in ["fen=%", "fen=%4", "fen=%zz", "fen=%ff", "%e4=1"] {
            assert_eq!(parameters(bad).unwrap_err().code(), ProblemCode::MalformedQuery, "{bad}");
        }
    }
}
