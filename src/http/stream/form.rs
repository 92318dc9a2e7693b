//! The forms that an analysis can be told in, and which of them a client wants.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use headers_accept::Accept;
use mediatype::{MediaType, Name};

use crate::http::problem::Problem;

/// What an EventSource has heard last.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One object at the end.
    Json,
    /// One object a line.
    NdJson,
    /// Server-sent events.
    Events,
}

const APPLICATION: Name<'static> = Name::new_unchecked("application");
const JSON: MediaType<'static> = MediaType::new(APPLICATION, Name::new_unchecked("json"));
const NDJSON: MediaType<'static> = MediaType::new(APPLICATION, Name::new_unchecked("x-ndjson"));
const EVENTS: MediaType<'static> =
    MediaType::new(Name::new_unchecked("text"), Name::new_unchecked("event-stream"));

impl Form {
    /// The form that the client likes best; the usual one when all are the same to it.
    ///
    /// # Errors
    /// `not_acceptable` when it accepts none.
    pub(crate) fn negotiate(headers: &HeaderMap, usual: Form) -> Result<Form, Problem> {
        let accepted = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect::<Vec<_>>()
            .join(",");
        if accepted.trim().is_empty() {
            return Ok(usual);
        }
        // A header that is none says nothing.
        let Ok(accept) = accepted.parse::<Accept>() else { return Ok(usual) };
        let mut forms = [Form::Json, Form::NdJson, Form::Events];
        forms.sort_by_key(|&form| form != usual);
        let types = forms.map(Form::media_type);
        let best = accept
            .negotiate(&types)
            .and_then(|best| forms.into_iter().find(|form| form.media_type() == *best));
        best.ok_or_else(|| {
            Problem::not_acceptable(&accepted, &format!("{JSON}, {NDJSON} and {EVENTS}"))
        })
    }

    fn media_type(self) -> MediaType<'static> {
        match self {
            Form::Json => JSON,
            Form::NdJson => NDJSON,
            Form::Events => EVENTS,
        }
    }

    /// What stands in `Content-Type`.
    pub(super) const fn content_type(self) -> HeaderValue {
        match self {
            Form::Json => HeaderValue::from_static("application/json"),
            Form::NdJson => HeaderValue::from_static("application/x-ndjson"),
            Form::Events => HeaderValue::from_static("text/event-stream"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(accept: &'static str, usual: Form) -> Option<Form> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        Form::negotiate(&headers, usual).ok()
    }

    #[test]
    fn who_accepts_anything_gets_the_usual_form() {
        for usual in [Form::Json, Form::Events] {
            assert_eq!(Form::negotiate(&HeaderMap::new(), usual).ok(), Some(usual));
            for accept in ["*/*", "", "text/html, */*;q=0.1", "nonsense"] {
                assert_eq!(negotiated(accept, usual), Some(usual), "{accept}");
            }
        }
    }

    #[test]
    fn who_asks_for_a_form_gets_it() {
        for (accept, form) in [
            ("application/json", Some(Form::Json)),
            ("text/event-stream", Some(Form::Events)),
            ("application/x-ndjson", Some(Form::NdJson)),
            ("application/*", Some(Form::Json)),
            ("application/json;q=0.2, text/event-stream;q=0.8", Some(Form::Events)),
            ("text/html, text/event-stream", Some(Form::Events)),
            ("text/html", None),
            ("application/json;q=0", None),
        ] {
            assert_eq!(negotiated(accept, Form::Json), form, "{accept}");
        }
    }
}
