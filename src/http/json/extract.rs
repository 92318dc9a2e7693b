//! The extractor of JSON requests.

use axum::extract::{FromRequest, Request};

use super::body::read_json_body;
use super::{FromMembers, JsonValue, Members};
use crate::http::App;
use crate::http::problem::Problem;

/// A request's JSON body, read into `T`. Every refusal is a [`Problem`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: FromMembers> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Json<T>, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read_json_body(&parts.headers, body, app.body_limits()).await?;
        read(&bytes, app.caps().moves).map(Json)
    }
}

/// Reads a body into `T`.
///
/// # Errors
/// `malformed_json` with line and column, or `invalid_request` with all faults.
pub(crate) fn read<T: FromMembers>(bytes: &[u8], max_moves: usize) -> Result<T, Problem> {
    let value: JsonValue<'_> =
        serde_json::from_slice(bytes).map_err(|error| malformed(bytes, &error))?;
    read_value(value, max_moves)
}

/// Reads members into `T`.
///
/// # Errors
/// `invalid_request` with all faults.
pub(super) fn read_value<T: FromMembers>(
    value: JsonValue<'_>,
    max_moves: usize,
) -> Result<T, Problem> {
    let mut members = Members::new(value, max_moves);
    let read = T::read(&mut members);
    let errors = members.into_errors();
    match read {
        Some(request) if errors.is_empty() => Ok(request),
        _ => Err(Problem::invalid_request(&errors)),
    }
}

fn malformed(bytes: &[u8], error: &serde_json::Error) -> Problem {
    let (line, column) = error_position(bytes, error);
    let text = error.to_string();
    // serde_json's own place counts bytes, and ends its texts with it.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Problem::malformed_json(message, line, column)
}

/// Line and column of the first character that can't be read, both from 1, the column in
/// characters.
fn error_position(bytes: &[u8], error: &serde_json::Error) -> (usize, usize) {
    let line = error.line().max(1);
    let text = bytes.split(|&byte| byte == b'\n').nth(line - 1).unwrap_or_default();
    let before = if error.is_eof() { text.len() } else { error.column().saturating_sub(1) };
    let before = text.get(..before).unwrap_or(text);
    (line, String::from_utf8_lossy(before).chars().count() + 1)
}

#[cfg(test)]
mod tests {
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
}
