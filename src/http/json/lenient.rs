//! Values of routes in the format of other services, whose clients are less exact.

use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, Type};

use super::from_value::{FromValue, JsonPath, wrong_type};
use super::value::JsonValue;
use crate::http::problem::InvalidMember;

/// A value, or null with the meaning of a missing member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrNull<T>(Option<T>);

impl<T> OrNull<T> {
    pub(crate) fn into_option(self) -> Option<T> {
        self.0
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for OrNull<T> {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<OrNull<T>> {
        match value {
            JsonValue::Null => Some(OrNull(None)),
            value => T::read(value, path, errors).map(|value| OrNull(Some(value))),
        }
    }

    fn schema() -> Schema {
        T::schema()
    }
}

/// A number, also as text. The route clamps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LenientNumber(f64);

impl LenientNumber {
    /// The number without its fraction, clamped to a range.
    pub(crate) fn clamped(self, min: u16, max: u16) -> u16 {
        self.0.clamp(min.into(), max.into()) as u16
    }
}

impl<'a> FromValue<'a> for LenientNumber {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<LenientNumber> {
        let number = match &value {
            JsonValue::Unsigned(number) => Some(*number as f64),
            JsonValue::Negative(number) => Some(*number as f64),
            JsonValue::Float(number) => Some(*number),
            JsonValue::Text(text) | JsonValue::QueryText(text) => number_of(text),
            _ => None,
        };
        match number {
            Some(number) => Some(LenientNumber(number)),
            None => wrong_type(errors, path, "a number", &value),
        }
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Number).into()
    }
}

fn number_of(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
