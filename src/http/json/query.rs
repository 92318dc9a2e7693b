//! The extractor of requests that stand in a query.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use percent_encoding::percent_decode;

use super::{FromMembers, JsonValue, extract};
use crate::http::App;
use crate::http::problem::Problem;

/// A request's query, read into `T`: the members of the same request's JSON as parameters, lists
/// with commas between their items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<T>(pub T);

impl<T: FromMembers> FromRequestParts<App> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Query<T>, Problem> {
        let value = parameters(parts.uri.query().unwrap_or_default())?;
        extract::read_value(value, app.caps().moves).map(Query)
    }
}

/// The parameters of a query, as `application/x-www-form-urlencoded` writes them.
fn parameters(query: &str) -> Result<JsonValue<'static>, Problem> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((decode(name)?, JsonValue::QueryText(decode(value)?)))
    });
    pairs.collect::<Result<_, _>>().map(JsonValue::Object)
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
