//! The errors of a text that is not JSON: what is wrong, and where.

use crate::http::problem::Problem;

/// Messages of serde_json that name its own concepts, each with a description for clients.
const PLAIN_MESSAGES: [(&str, &str); 11] = [
    ("EOF while parsing a list", "the text ends within an array"),
    ("EOF while parsing a string", "the text ends within a string"),
    ("EOF while parsing a value", "the text ends before a value"),
    ("EOF while parsing an object", "the text ends within an object"),
    (
        "control character (\\u0000-\\u001F) found while parsing a string",
        "a string has a line break, a tab or another control character without escape",
    ),
    ("expected ident", "expected true, false or null"),
    ("invalid unicode code point", "a string is not UTF-8"),
    ("key must be a string", "expected the name of a member in double quotes"),
    ("lone leading surrogate in hex escape", INCOMPLETE_PAIR),
    ("recursion limit exceeded", "arrays and objects are nested more than 127 deep"),
    ("unexpected end of hex escape", INCOMPLETE_PAIR),
];

const INCOMPLETE_PAIR: &str = "a \\u escape is half of a surrogate pair";

/// The text that a request is read from. Error messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextSource {
    /// A whole body.
    Body,
    /// The line of a body with this number, from 1.
    Line(usize),
    /// An element of an array.
    Element,
    /// A message of a live board.
    Message,
}

impl TextSource {
    /// The text in an error message.
    pub(super) fn name(self) -> &'static str {
        match self {
            TextSource::Body => "the body",
            TextSource::Line(_) => "the line",
            TextSource::Element => "the element",
            TextSource::Message => "the message",
        }
    }
}

/// The problem of a text that is not JSON.
pub(super) fn malformed(source: TextSource, bytes: &[u8], error: &serde_json::Error) -> Problem {
    let (line, column) = error_position(bytes, error);
    let message = &description(error);
    match source {
        TextSource::Body => Problem::malformed_json(message, line, column),
        TextSource::Line(number) => Problem::malformed_line(message, number, column),
        TextSource::Element | TextSource::Message => Problem::malformed_json(message, line, column)
            .with_more_detail(&format!(" of {}", source.name())),
    }
}

/// What is wrong, without the position.
fn description(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The position at the end of serde_json's messages counts bytes; ours counts characters.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let plain = PLAIN_MESSAGES.into_iter().find(|(original, _)| *original == message);
    plain.map_or(message, |(_, plain)| plain).to_owned()
}

/// Line and column of the first invalid character, both from 1. The column counts characters.
fn error_position(bytes: &[u8], error: &serde_json::Error) -> (usize, usize) {
    let line = error.line().max(1);
    let text = bytes.split(|&byte| byte == b'\n').nth(line - 1).unwrap_or_default();
    let before = if error.is_eof() { text.len() } else { error.column().saturating_sub(1) };
    let before = text.get(..before).unwrap_or(text);
    (line, String::from_utf8_lossy(before).chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::super::value::JsonValue;
    use super::*;

    fn position_of(text: &[u8]) -> (usize, usize) {
        let error = serde_json::from_slice::<JsonValue<'_>>(text).unwrap_err();
        error_position(text, &error)
    }

    #[test]
    fn an_error_is_reported_at_its_first_bad_character() {
        assert_eq!(position_of(b""), (1, 1));
        assert_eq!(position_of(b"{"), (1, 2));
        assert_eq!(position_of(br#"{"fen": }"#), (1, 9));
        assert_eq!(position_of(b"{\n  \"fen\": nope}"), (2, 11));
        assert_eq!(
            position_of("{\"ä\" 1}".as_bytes()),
            (1, 6),
            "characters are counted, not bytes"
        );
        assert_eq!(position_of(br#"{"fen": "a"} x"#), (1, 14));
        assert_eq!(position_of(b"{\"fen\": \"\xff\"}").0, 1);
    }

    #[test]
    fn an_error_is_described_in_the_words_of_json() {
        let nested = "[".repeat(128);
        for (text, message) in [
            ("[1", "the text ends within an array"),
            (r#"{"fen"#, "the text ends within a string"),
            (r#"{"fen":"#, "the text ends before a value"),
            ("{", "the text ends within an object"),
            ("[\"a\tb\"]", "a string has a line break, a tab or another control character"),
            ("fen=startpos", "expected true, false or null"),
            ("{fen: 1}", "expected the name of a member in double quotes"),
            (r#"["\ud800"]"#, "a \\u escape is half of a surrogate pair"),
            (r#"["\ud800\u0041"]"#, "a \\u escape is half of a surrogate pair"),
            (&nested, "arrays and objects are nested more than 127 deep"),
            (r#"{"fen": }"#, "expected value"),
        ] {
            let error = serde_json::from_str::<JsonValue<'_>>(text).unwrap_err();
            let found = description(&error);
            assert!(found.starts_with(message), "{text}: {found}");
        }
        let error = serde_json::from_slice::<JsonValue<'_>>(b"[\"\xff\"]").unwrap_err();
        assert_eq!(description(&error), "a string is not UTF-8");
    }
}
