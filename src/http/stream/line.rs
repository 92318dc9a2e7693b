//! One line of a stream.

use axum::body::Bytes;
use serde::Serialize;

use super::ResponseFormat;

/// Longer than any number that a client's reconnection would wait for by itself.
const RETRY_MS: u32 = 2_000;

/// A line, written in its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(super) bytes: Bytes,
    pub(super) delivery: Delivery,
}

/// What becomes of a line that waits too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    /// A newer one says more: it may give way.
    Droppable,
    /// It has to be read.
    Required,
}

/// The last line's id: whoever comes back with it has heard everything.
pub(crate) const END_EVENT_ID: &str = "end";

impl Line {
    /// A line that may give way to newer ones.
    ///
    /// # Errors
    /// When the object cannot be written.
    pub(crate) fn droppable(
        format: ResponseFormat,
        event: &str,
        id: Option<&str>,
        payload: &impl Serialize,
    ) -> serde_json::Result<Line> {
        Ok(Line {
            bytes: serialize_line(format, event, id, payload)?,
            delivery: Delivery::Droppable,
        })
    }

    /// A line that has to be read.
    ///
    /// # Errors
    /// When the object cannot be written.
    pub(crate) fn required(
        format: ResponseFormat,
        event: &str,
        id: Option<&str>,
        payload: &impl Serialize,
    ) -> serde_json::Result<Line> {
        Ok(Line {
            bytes: serialize_line(format, event, id, payload)?,
            delivery: Delivery::Required,
        })
    }

    /// What comes before all lines, in forms that have such a thing.
    pub(crate) fn preamble(format: ResponseFormat) -> Option<Line> {
        let bytes = Bytes::from(format!("retry: {RETRY_MS}\n\n"));
        (format == ResponseFormat::Sse).then_some(Line { bytes, delivery: Delivery::Required })
    }
}

fn serialize_line(
    format: ResponseFormat,
    event: &str,
    id: Option<&str>,
    payload: &impl Serialize,
) -> serde_json::Result<Bytes> {
    let mut text = Vec::with_capacity(512);
    if format == ResponseFormat::Sse {
        text.extend_from_slice(format!("event: {event}\n").as_bytes());
        if let Some(id) = id {
            text.extend_from_slice(format!("id: {id}\n").as_bytes());
        }
        text.extend_from_slice(b"data: ");
    }
    // JSON as serde_json writes it has no line breaks of its own.
    serde_json::to_writer(&mut text, payload)?;
    text.extend_from_slice(if format == ResponseFormat::Sse { b"\n\n" } else { b"\n" });
    Ok(Bytes::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_or_an_event() {
        let object = serde_json::json!({ "type": "info", "seq": 3 });
        let text = |form| {
            String::from_utf8(
                Line::droppable(form, "info", Some("3"), &object).unwrap().bytes.to_vec(),
            )
            .unwrap()
        };
        assert_eq!(text(ResponseFormat::NdJson), "{\"type\":\"info\",\"seq\":3}\n");
        assert_eq!(
            text(ResponseFormat::Sse),
            "event: info\nid: 3\ndata: {\"type\":\"info\",\"seq\":3}\n\n"
        );
        assert!(Line::preamble(ResponseFormat::NdJson).is_none());
    }
}
