//! The types of the values of members: how a value is read, and its schema in the contract.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU64;

use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, Schema, SchemaFormat};
use utoipa::openapi::{ObjectBuilder, RefOr, Type};

use super::suggestions::suggestion;
use super::value::JsonValue;
use crate::chess::excerpt;
use crate::http::problem::{InvalidMember, MemberErrorCode};

/// Maximum number of errors reported for a request. More would not help, and a small body could
/// cause a huge response.
pub(super) const MAX_ERRORS: usize = 100;

/// A type that the value of a member can have.
pub(crate) trait FromValue<'a>: Sized {
    /// Reads the value. Returns `None` and adds an error at `path` if the value has another type.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Self>;

    /// The schema of the value.
    fn schema() -> Schema;

    /// Whether the value is a list. A query may then repeat the parameter.
    const IS_LIST: bool = false;

    /// The value of a missing member as JSON, if the contract names it.
    fn default_value() -> Option<serde_json::Value> {
        None
    }
}

/// The path of a value in a request. It becomes text only for an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonPath<'p> {
    /// The whole request, with its name in error messages: a body, a line of one, or a message.
    Whole(&'p str),
    /// A member of the request.
    Member(&'p str),
    /// An item of a list.
    Item(&'p JsonPath<'p>, usize),
    /// A member of an object within the request.
    Field(&'p JsonPath<'p>, &'p str),
}

impl JsonPath<'_> {
    /// The path as a JSON Pointer (RFC 6901).
    pub(crate) fn pointer(self) -> String {
        match self {
            JsonPath::Whole(_) => String::new(),
            JsonPath::Member(name) => format!("/{}", escape(name)),
            JsonPath::Item(list, index) => format!("{}/{index}", list.pointer()),
            JsonPath::Field(object, name) => format!("{}/{}", object.pointer(), escape(name)),
        }
    }

    /// Adds an error of the value at this path, unless there are already [`MAX_ERRORS`].
    pub(crate) fn add_error(
        self,
        errors: &mut Vec<InvalidMember>,
        code: MemberErrorCode,
        detail: String,
    ) {
        if errors.len() < MAX_ERRORS {
            errors.push(InvalidMember { code, pointer: self.pointer(), detail });
        }
    }
}

/// A name as a reference token of a JSON Pointer.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl fmt::Display for JsonPath<'_> {
    /// Writes the path for an error message, as in `moves[3]` or `before.value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonPath::Whole(name) | JsonPath::Member(name) => f.write_str(name),
            JsonPath::Item(list, index) => write!(f, "{list}[{index}]"),
            JsonPath::Field(object, name) => write!(f, "{object}.{name}"),
        }
    }
}

impl<'a> FromValue<'a> for u64 {
    /// Reads a whole number. A value above 2⁶⁴ − 1 counts as 2⁶⁴ − 1, since every cap is lower.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<u64> {
        match value {
            JsonValue::QueryText(text) => u64::read(parse_query_number(text), path, errors),
            JsonValue::Unsigned(number) => Some(number),
            JsonValue::Float(number) if number.fract() == 0.0 && number >= 0.0 => {
                Some(number as u64)
            }
            JsonValue::Negative(number) => {
                let detail = format!("{path} is {number}; it must not be negative");
                path.add_error(errors, MemberErrorCode::OutOfRange, detail);
                None
            }
            JsonValue::Float(number) if number.fract() == 0.0 => {
                path.add_error(
                    errors,
                    MemberErrorCode::OutOfRange,
                    format!("{path} is {number:?}; it must not be negative"),
                );
                None
            }
            JsonValue::Float(number) => {
                path.add_error(
                    errors,
                    MemberErrorCode::WrongType,
                    format!("{path} is {number:?}; it must be a whole number"),
                );
                None
            }
            other => wrong_type(errors, path, "a whole number", &other),
        }
    }

    fn schema() -> Schema {
        int64(0).into()
    }
}

impl<'a> FromValue<'a> for NonZeroU64 {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<NonZeroU64> {
        let number = NonZeroU64::new(u64::read(value, path, errors)?);
        if number.is_none() {
            let detail = format!("{path} is 0; it must be at least 1");
            path.add_error(errors, MemberErrorCode::OutOfRange, detail);
        }
        number
    }

    fn schema() -> Schema {
        int64(1).into()
    }
}

impl<'a> FromValue<'a> for usize {
    /// Reads a whole number. A value above the maximum counts as the maximum.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<usize> {
        u64::read(value, path, errors).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    fn schema() -> Schema {
        integer().minimum(Some(0)).into()
    }

    fn default_value() -> Option<serde_json::Value> {
        Some(0.into())
    }
}

impl<'a> FromValue<'a> for i32 {
    /// Reads a whole number. A number beyond 32 bits counts as the nearest one of 32 bits.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<i32> {
        match value {
            JsonValue::QueryText(text) => i32::read(parse_query_number(text), path, errors),
            JsonValue::Unsigned(number) => Some(i32::try_from(number).unwrap_or(i32::MAX)),
            JsonValue::Negative(number) => Some(i32::try_from(number).unwrap_or(i32::MIN)),
            JsonValue::Float(number) if number.fract() == 0.0 => Some(number as i32),
            other => wrong_type(errors, path, "a whole number", &other),
        }
    }

    fn schema() -> Schema {
        integer().into()
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberIn<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> NumberIn<MIN, MAX> {
    /// The number.
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl<'a, const MIN: u64, const MAX: u64> FromValue<'a> for NumberIn<MIN, MAX> {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Self> {
        let number = u64::read(value, path, errors)?;
        if !(MIN..=MAX).contains(&number) {
            let detail = format!("{path} is {number}; it must be {MIN} to {MAX}");
            path.add_error(errors, MemberErrorCode::OutOfRange, detail);
            return None;
        }
        Some(NumberIn(number))
    }

    fn schema() -> Schema {
        int64(MIN).maximum(Some(MAX)).into()
    }
}

fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

fn int64(minimum: u64) -> ObjectBuilder {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int64);
    integer().format(Some(format)).minimum(Some(minimum))
}

impl<'a> FromValue<'a> for bool {
    fn read(
        json: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<bool> {
        match json {
            JsonValue::Bool(value) => Some(value),
            JsonValue::QueryText(text) if text == "true" => Some(true),
            JsonValue::QueryText(text) if text == "false" => Some(false),
            other => wrong_type(errors, path, "true or false", &other),
        }
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Boolean).into()
    }

    fn default_value() -> Option<serde_json::Value> {
        Some(false.into())
    }
}

impl<'a> FromValue<'a> for String {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<String> {
        match value {
            JsonValue::Text(text) | JsonValue::QueryText(text) => Some(text.into_owned()),
            other => wrong_type(errors, path, "a string", &other),
        }
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::String).into()
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Vec<T> {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Vec<T>> {
        let items = match value {
            JsonValue::Array(items) => items,
            JsonValue::QueryText(text) if text.trim_start_matches(' ').starts_with('[') => {
                let found = excerpt(&text);
                let detail = format!(
                    "{path} is {found:?}; separate items with commas, without brackets and quotes"
                );
                path.add_error(errors, MemberErrorCode::WrongType, detail);
                return None;
            }
            JsonValue::QueryText(text) => split_query_items(&text),
            other => return wrong_type(errors, path, "an array", &other),
        };
        // Reading continues after an invalid item, to report the errors of the others.
        let mut list = Vec::with_capacity(items.len());
        let mut is_valid = true;
        for (index, item) in items.into_iter().enumerate() {
            match T::read(item, JsonPath::Item(&path, index), errors) {
                Some(item) => list.push(item),
                None => is_valid = false,
            }
            if errors.len() >= MAX_ERRORS {
                return None;
            }
        }
        is_valid.then_some(list)
    }

    const IS_LIST: bool = true;

    fn schema() -> Schema {
        ArrayBuilder::new().items(RefOr::T(T::schema())).into()
    }
}

/// A type whose values have names, such as `side` and `white`.
pub(crate) trait Named: Copy + Sized + 'static {
    /// All values, in the order of the contract.
    const ALL: &'static [Self];

    /// The name of the value in a request.
    fn name(self) -> &'static str;

    /// The name of the value that a missing member has, if the contract names it.
    fn default_name() -> Option<&'static str> {
        None
    }
}

impl<'a, T: Named> FromValue<'a> for T {
    /// Reads a text that must be one of the names.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<T> {
        let text = match value {
            JsonValue::Text(text) | JsonValue::QueryText(text) => text,
            other => return wrong_type(errors, path, "a string", &other),
        };
        let found = T::ALL.iter().copied().find(|value| value.name() == text);
        if found.is_none() {
            let names: Vec<_> = T::ALL.iter().map(|value| value.name()).collect();
            let detail = format!(
                "{path} is {:?}; it must be one of {}{}",
                excerpt(&text),
                names.join(", "),
                suggestion(&text, names.iter().copied())
            );
            path.add_error(errors, MemberErrorCode::UnknownValue, detail);
        }
        found
    }

    fn schema() -> Schema {
        let names = T::ALL.iter().map(|value| value.name());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
    }

    fn default_value() -> Option<serde_json::Value> {
        T::default_name().map(serde_json::Value::from)
    }
}

/// Parses a number in JSON syntax. Any other text stays a text.
fn parse_query_number(text: Cow<'_, str>) -> JsonValue<'_> {
    let number = match serde_json::from_str::<JsonValue<'_>>(&text) {
        Ok(JsonValue::Unsigned(number)) => Some(JsonValue::Unsigned(number)),
        Ok(JsonValue::Negative(number)) => Some(JsonValue::Negative(number)),
        Ok(JsonValue::Float(number)) => Some(JsonValue::Float(number)),
        _ => None,
    };
    number.unwrap_or(JsonValue::Text(text))
}

/// Splits a list at its commas and spaces. Spaces beside a comma or another space separate nothing.
/// An item that is missing between commas is empty.
fn split_query_items<'a>(text: &str) -> Vec<JsonValue<'a>> {
    let text = text.trim_matches(' ');
    if text.is_empty() {
        return Vec::new();
    }
    text.split(',')
        .map(|items| items.trim_matches(' '))
        .flat_map(|items| items.split(' ').filter(|item| !item.is_empty() || items.is_empty()))
        .map(|item| JsonValue::QueryText(Cow::Owned(item.to_owned())))
        .collect()
}

/// Adds an error: the value has another type than `expected`.
pub(super) fn wrong_type<T>(
    errors: &mut Vec<InvalidMember>,
    path: JsonPath<'_>,
    expected: &str,
    found: &JsonValue<'_>,
) -> Option<T> {
    path.add_error(
        errors,
        MemberErrorCode::WrongType,
        format!("{path} is {found}; it must be {expected}"),
    );
    None
}
