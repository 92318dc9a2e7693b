//! Server-sent events.

use serde_json::Value;

/// An event of a stream.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Event {
    /// Parses the lines of an event without the blank line at its end. `None` if it has no data.
    pub(crate) fn parse(text: &str) -> Option<Event> {
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let data = field("data: ")?;
        Some(Event {
            name: field("event: ").expect("an event has a name"),
            id: field("id: "),
            data: serde_json::from_str(&data).expect("the data of an event is JSON"),
        })
    }
}
