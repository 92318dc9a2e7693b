//! What a client calls one of many requests that travel together.

use serde::Serialize;
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::http::json::{FromValue, JsonPath, JsonValue};
use crate::http::problem::{InvalidMember, MemberErrorCode};

/// The name of a request among others; it comes back in what answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum CorrelationId {
    /// None was given: null.
    #[default]
    None,
    /// A string.
    Text(String),
    /// A whole number that is not negative.
    Unsigned(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Float(f64),
}

impl<'a> FromValue<'a> for CorrelationId {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<CorrelationId> {
        match value {
            JsonValue::Text(text) => Some(CorrelationId::Text(text.into_owned())),
            JsonValue::Unsigned(number) => Some(CorrelationId::Unsigned(number)),
            JsonValue::Negative(number) => Some(CorrelationId::Negative(number)),
            JsonValue::Float(number) => Some(CorrelationId::Float(number)),
            other => {
                let detail = format!("id must be a string or a number, not {}", other.kind());
                errors.push(InvalidMember {
                    code: MemberErrorCode::WrongType,
                    pointer: path.pointer(),
                    detail,
                });
                None
            }
        }
    }
}

impl CorrelationId {
    /// The id that stands in a request, whatever else is wrong with that.
    pub(crate) fn extract_from(request: &[u8]) -> CorrelationId {
        let Ok(JsonValue::Object(members)) = serde_json::from_slice::<JsonValue<'_>>(request)
        else {
            return CorrelationId::None;
        };
        let id = members.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
        id.and_then(|id| CorrelationId::read(id, JsonPath::Member("id"), &mut Vec::new()))
            .unwrap_or_default()
    }

    /// Its schema.
    pub(crate) fn schema() -> Schema {
        let kinds = SchemaType::from_iter([Type::String, Type::Number, Type::Null]);
        ObjectBuilder::new()
            .schema_type(kinds)
            .description(Some("Comes back in the answer: a string or a number."))
            .into()
    }
}
