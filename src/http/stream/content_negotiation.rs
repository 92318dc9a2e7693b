//! Content negotiation: the response formats of an analysis, and the choice by `Accept`.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use headers_accept::Accept;
use mediatype::{MediaType, Name};

use crate::http::problem::Problem;

/// A response format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// One JSON object at the end.
    Json,
    /// One JSON object per line.
    NdJson,
    /// Server-sent events.
    Sse,
}

const APPLICATION: Name<'static> = Name::new_unchecked("application");
const JSON: MediaType<'static> = MediaType::new(APPLICATION, Name::new_unchecked("json"));
const NDJSON: MediaType<'static> = MediaType::new(APPLICATION, Name::new_unchecked("x-ndjson"));
const SSE: MediaType<'static> =
    MediaType::new(Name::new_unchecked("text"), Name::new_unchecked("event-stream"));

impl ResponseFormat {
    /// The format that the client prefers, or the default format if it has no preference.
    ///
    /// # Errors
    /// Fails with `not_acceptable` if the client accepts none of the formats.
    pub(crate) fn negotiate(
        headers: &HeaderMap,
        default_format: ResponseFormat,
    ) -> Result<ResponseFormat, Problem> {
        let accepted = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect::<Vec<_>>()
            .join(",");
        if accepted.trim().is_empty() {
            return Ok(default_format);
        }
        // An invalid header is ignored.
        let Ok(accept) = accepted.parse::<Accept>() else { return Ok(default_format) };
        let mut formats = [ResponseFormat::Json, ResponseFormat::NdJson, ResponseFormat::Sse];
        formats.sort_by_key(|&format| format != default_format);
        let types = formats.map(ResponseFormat::media_type);
        let best = accept
            .negotiate(&types)
            .and_then(|best| formats.into_iter().find(|format| format.media_type() == *best));
        best.ok_or_else(|| {
            Problem::not_acceptable(&accepted, &format!("{JSON}, {NDJSON} and {SSE}"))
        })
    }

    fn media_type(self) -> MediaType<'static> {
        match self {
            ResponseFormat::Json => JSON,
            ResponseFormat::NdJson => NDJSON,
            ResponseFormat::Sse => SSE,
        }
    }

    /// The value of `Content-Type`.
    pub(super) const fn content_type(self) -> HeaderValue {
        match self {
            ResponseFormat::Json => HeaderValue::from_static("application/json"),
            ResponseFormat::NdJson => HeaderValue::from_static("application/x-ndjson"),
            ResponseFormat::Sse => HeaderValue::from_static("text/event-stream"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(accept: &'static str, default_format: ResponseFormat) -> Option<ResponseFormat> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        ResponseFormat::negotiate(&headers, default_format).ok()
    }

    #[test]
    fn a_client_that_accepts_anything_gets_the_default_format() {
        for default_format in [ResponseFormat::Json, ResponseFormat::Sse] {
            assert_eq!(
                ResponseFormat::negotiate(&HeaderMap::new(), default_format).ok(),
                Some(default_format)
            );
            for accept in ["*/*", "", "text/html, */*;q=0.1", "nonsense"] {
                assert_eq!(negotiated(accept, default_format), Some(default_format), "{accept}");
            }
        }
    }

    #[test]
    fn the_best_accepted_format_is_chosen() {
        for (accept, format) in [
            ("application/json", Some(ResponseFormat::Json)),
            ("text/event-stream", Some(ResponseFormat::Sse)),
            ("application/x-ndjson", Some(ResponseFormat::NdJson)),
            ("application/*", Some(ResponseFormat::Json)),
            ("application/json;q=0.2, text/event-stream;q=0.8", Some(ResponseFormat::Sse)),
            ("text/html, text/event-stream", Some(ResponseFormat::Sse)),
            ("text/html", None),
            ("application/json;q=0", None),
        ] {
            assert_eq!(negotiated(accept, ResponseFormat::Json), format, "{accept}");
        }
    }
}
