//! A JSON value or query parameter that borrows its strings from the body. Unlike
//! `serde_json::Value` it copies nothing, and it keeps duplicate members, so that they can be
//! refused.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::chess::excerpt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonValue<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number from 0 to 2⁶⁴ − 1.
    Unsigned(u64),
    /// A whole number below 0, down to −2⁶³.
    Negative(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// The text of a query parameter. The member that reads it determines its type.
    QueryText(Cow<'a, str>),
    /// An array.
    Array(Vec<JsonValue<'a>>),
    /// An object, with its members in order.
    Object(Vec<(Cow<'a, str>, JsonValue<'a>)>),
}

impl fmt::Display for JsonValue<'_> {
    /// Writes the value for an error message: strings are cut, arrays and objects only named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonValue::Null => f.write_str("null"),
            JsonValue::Bool(value) => write!(f, "{value}"),
            JsonValue::Unsigned(number) => write!(f, "{number}"),
            JsonValue::Negative(number) => write!(f, "{number}"),
            // Debug uses an exponent where Display would write hundreds of digits.
            JsonValue::Float(number) => write!(f, "{number:?}"),
            JsonValue::Text(text) | JsonValue::QueryText(text) => write!(f, "{:?}", excerpt(text)),
            JsonValue::Array(_) => f.write_str("an array"),
            JsonValue::Object(_) => f.write_str("an object"),
        }
    }
}

impl<'de> Deserialize<'de> for JsonValue<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonValue<'de>, D::Error> {
        deserializer.deserialize_any(JsonValueVisitor)
    }
}

struct JsonValueVisitor;

impl<'de> Visitor<'de> for JsonValueVisitor {
    type Value = JsonValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<JsonValue<'de>, E> {
        Ok(u64::try_from(value).map_or(JsonValue::Negative(value), JsonValue::Unsigned))
    }

    fn visit_f64<E>(self, value: f64) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Float(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<JsonValue<'de>, E> {
        Ok(JsonValue::Text(Cow::Owned(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonValue<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(JsonValue::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<JsonValue<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some(MemberName(name)) = members.next_key()? {
            object.push((name, members.next_value()?));
        }
        Ok(JsonValue::Object(object))
    }
}

struct MemberName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for MemberName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MemberName<'de>, D::Error> {
        struct MemberNameVisitor;

        impl<'de> Visitor<'de> for MemberNameVisitor {
            type Value = MemberName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(MemberNameVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_without_escapes_are_borrowed() {
        let value: JsonValue<'_> =
            serde_json::from_str(r#"{"fen": "startpos", "a\n": ["\u0041"]}"#).unwrap();
        let JsonValue::Object(members) = value else { panic!("an object") };
        assert!(matches!(
            &members[0],
            (Cow::Borrowed("fen"), JsonValue::Text(Cow::Borrowed("startpos")))
        ));
        assert!(matches!(&members[1], (Cow::Owned(name), JsonValue::Array(_)) if name == "a\n"));
    }

    #[test]
    fn duplicate_members_are_kept() {
        let value: JsonValue<'_> = serde_json::from_str(r#"{"a": 1, "a": -1}"#).unwrap();
        assert_eq!(
            value,
            JsonValue::Object(vec![
                ("a".into(), JsonValue::Unsigned(1)),
                ("a".into(), JsonValue::Negative(-1))
            ])
        );
    }
}
