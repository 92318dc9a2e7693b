//! The server-sent events of a response.

use reqwest::Response;

use super::line_stream::{LineStream, MAX_LINE_BYTES, StreamError};

/// A stream of server-sent events.
#[derive(Debug)]
pub struct EventStream(LineStream);

/// An event. Its name is also a member of its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The id, which a reconnecting client sends as `Last-Event-ID`.
    pub id: Option<String>,
    /// The data, JSON on one line.
    pub data: String,
}

impl EventStream {
    /// The events of a response's body.
    pub fn new(response: Response) -> EventStream {
        EventStream(LineStream::new(response))
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// The stream failed or ended early.
    pub async fn next_event(&mut self) -> Result<Event, StreamError> {
        let EventStream(lines) = self;
        let mut event = Event::default();
        loop {
            let line = lines.next_line().await?;
            let line = String::from_utf8_lossy(line.trim_ascii_end());
            if line.is_empty() && !event.data.is_empty() {
                return Ok(event);
            }
            if let Some(id) = line.strip_prefix("id:") {
                event.id = Some(id.trim_start().to_owned());
            } else if let Some(data) = line.strip_prefix("data:") {
                event.data.push_str(data.trim_start());
            }
            if event.data.len() > MAX_LINE_BYTES {
                return Err(StreamError::LineTooLong);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(body: &'static str) -> EventStream {
        EventStream::new(axum::http::Response::new(reqwest::Body::from(body)).into())
    }

    #[tokio::test]
    async fn events_have_ids_and_data() {
        let mut stream =
            events(": comment\n\nid: 7\nevent: move\ndata: {\"ply\":1}\n\ndata: {}\r\n\r\nid: 8\n");
        let first = stream.next_event().await.unwrap();
        let expected = Event { id: Some("7".to_owned()), data: "{\"ply\":1}".to_owned() };
        assert_eq!(first, expected);
        let second = stream.next_event().await.unwrap();
        assert_eq!(second, Event { id: None, data: "{}".to_owned() });
        assert!(matches!(stream.next_event().await, Err(StreamError::UnexpectedEnd)));
    }
}
