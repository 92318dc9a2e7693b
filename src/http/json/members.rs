//! Typed access to the members of a JSON object, one by one. Reading continues after an error, so
//! that all errors of a request are known at the end.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use super::value::JsonValue;
use crate::chess::excerpt;
use crate::http::problem::{InvalidMember, MemberErrorCode};

/// Maximum number of errors reported for a request. More would not help, and a small body could
/// cause a huge response.
const MAX_ERRORS: usize = 100;

/// A request that can be read from the members of a JSON object.
pub(crate) trait FromMembers: Sized {
    /// Reads the members of the request; `None` if a required member is missing or invalid. Every
    /// error has then been added to `members`, also those of other members.
    fn read(members: &mut Members<'_>) -> Option<Self>;
}

/// A type that the value of a member can have.
pub(crate) trait FromValue<'a>: Sized {
    /// Reads the value. Returns `None` and adds an error at `path` if the value has another type.
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Self>;
}

/// The path of a value in a request. It becomes text only for an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JsonPath<'p> {
    /// The body of the request.
    Body,
    /// A member of the body.
    Member(&'p str),
    /// An item of a list.
    Item(&'p JsonPath<'p>, usize),
}

impl JsonPath<'_> {
    /// The path as a JSON Pointer (RFC 6901).
    pub(crate) fn pointer(self) -> String {
        match self {
            JsonPath::Body => String::new(),
            JsonPath::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            JsonPath::Item(list, index) => format!("{}/{index}", list.pointer()),
        }
    }
}

impl fmt::Display for JsonPath<'_> {
    /// Writes the path for an error message, as in `moves[3]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonPath::Body => f.write_str("the body"),
            JsonPath::Member(name) => f.write_str(name),
            JsonPath::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// The unread members of a request, and the errors found so far.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    unread: Vec<(Cow<'a, str>, JsonValue<'a>)>,
    errors: Vec<InvalidMember>,
    max_moves: usize,
}

impl<'a> Members<'a> {
    /// Takes the members of an object. Any other value is an error.
    pub(crate) fn new(value: JsonValue<'a>, max_moves: usize) -> Members<'a> {
        match value {
            JsonValue::Object(unread) => Members { unread, errors: Vec::new(), max_moves },
            other => {
                let mut errors = Vec::new();
                wrong_type::<()>(&mut errors, JsonPath::Body, "an object", &other);
                Members { unread: Vec::new(), errors, max_moves }
            }
        }
    }

    /// The maximum length of `moves`.
    pub(crate) fn max_moves(&self) -> usize {
        self.max_moves
    }

    /// Whether the member is present and unread.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.unread.iter().any(|(other, _)| other == name)
    }

    /// Adds an error if a member is missing.
    pub(crate) fn require(&mut self, name: &str) {
        if !self.has(name) && self.is_object() {
            self.add_error(MemberErrorCode::Missing, name, format!("{name} is missing"));
        }
    }

    /// Reads an optional member.
    pub(crate) fn optional<T: FromValue<'a>>(&mut self, name: &str) -> Option<T> {
        let value = self.take(name)?;
        T::read(value, JsonPath::Member(name), &mut self.errors)
    }

    /// Reads a required member.
    pub(crate) fn required<T: FromValue<'a>>(&mut self, name: &str) -> Option<T> {
        self.require(name);
        self.optional(name)
    }

    /// Reads an optional whole number in this range.
    pub(crate) fn optional_number(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let number = self.optional::<u64>(name)?;
        self.in_range(name, number, range)
    }

    /// Reads a required whole number in this range.
    pub(crate) fn required_number(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let number = self.required::<u64>(name)?;
        self.in_range(name, number, range)
    }

    /// Adds an error of the member `name`.
    pub(crate) fn add_error(&mut self, code: MemberErrorCode, name: &str, detail: String) {
        push_error(&mut self.errors, code, JsonPath::Member(name), detail);
    }

    /// Ignores all unread members.
    pub(crate) fn ignore_rest(&mut self) {
        self.unread.clear();
    }

    /// The first [`MAX_ERRORS`] errors. Each unread member counts as unknown.
    pub(crate) fn into_errors(mut self) -> Vec<InvalidMember> {
        for (name, _) in std::mem::take(&mut self.unread).into_iter().take(MAX_ERRORS) {
            let detail = format!("{:?} is not a known member", excerpt(&name));
            self.add_error(MemberErrorCode::UnknownMember, &name, detail);
        }
        self.errors
    }

    /// Whether the body is an object. If it is not, no member is reported as missing.
    pub(crate) fn is_object(&self) -> bool {
        self.errors.first().is_none_or(|error| !error.pointer.is_empty())
    }

    fn take(&mut self, name: &str) -> Option<JsonValue<'a>> {
        let index = self.unread.iter().position(|(other, _)| other == name)?;
        let (_, value) = self.unread.remove(index);
        if self.has(name) {
            self.unread.retain(|(other, _)| other != name);
            self.add_error(
                MemberErrorCode::Conflict,
                name,
                format!("{name} is given more than once"),
            );
        }
        Some(value)
    }

    fn in_range(&mut self, name: &str, number: u64, range: RangeInclusive<u64>) -> Option<u64> {
        if range.contains(&number) {
            return Some(number);
        }
        let detail = match *range.end() {
            u64::MAX => format!("{name} is {number}; it must be at least {}", range.start()),
            end => format!("{name} is {number}; it must be {} to {end}", range.start()),
        };
        self.add_error(MemberErrorCode::OutOfRange, name, detail);
        None
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
                push_error(errors, MemberErrorCode::OutOfRange, path, detail);
                None
            }
            JsonValue::Float(number) if number.fract() == 0.0 => {
                push_error(
                    errors,
                    MemberErrorCode::OutOfRange,
                    path,
                    format!("{path} is {number:?}; it must not be negative"),
                );
                None
            }
            JsonValue::Float(number) => {
                push_error(
                    errors,
                    MemberErrorCode::WrongType,
                    path,
                    format!("{path} is {number:?}; it must be a whole number"),
                );
                None
            }
            other => wrong_type(errors, path, "a whole number", &other),
        }
    }
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
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Vec<T> {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Vec<T>> {
        let items = match value {
            JsonValue::Array(items) => items,
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
}

/// Reads a text that must be the name of one of these values.
pub(crate) fn read_enum<T>(
    json: JsonValue<'_>,
    path: JsonPath<'_>,
    errors: &mut Vec<InvalidMember>,
    all: &[T],
    name: impl Fn(&T) -> &'static str,
) -> Option<T>
where
    T: Copy,
{
    let text = match json {
        JsonValue::Text(text) | JsonValue::QueryText(text) => text,
        other => return wrong_type(errors, path, "a string", &other),
    };
    let found = all.iter().find(|value| name(value) == text).copied();
    if found.is_none() {
        let names: Vec<_> = all.iter().map(name).collect();
        let detail =
            format!("{path} is {:?}; it must be one of {}", excerpt(&text), names.join(", "));
        push_error(errors, MemberErrorCode::UnknownValue, path, detail);
    }
    found
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

/// Splits a list at its commas and trims spaces around each item.
fn split_query_items<'a>(text: &str) -> Vec<JsonValue<'a>> {
    let items = text
        .split(',')
        .map(|item| JsonValue::QueryText(Cow::Owned(item.trim_matches(' ').to_owned())));
    if text.trim_matches(' ').is_empty() { Vec::new() } else { items.collect() }
}

fn wrong_type<T>(
    errors: &mut Vec<InvalidMember>,
    path: JsonPath<'_>,
    expected: &str,
    found: &JsonValue<'_>,
) -> Option<T> {
    push_error(
        errors,
        MemberErrorCode::WrongType,
        path,
        format!("{path} is {found}; it must be {expected}"),
    );
    None
}

fn push_error(
    errors: &mut Vec<InvalidMember>,
    code: MemberErrorCode,
    path: JsonPath<'_>,
    detail: String,
) {
    if errors.len() < MAX_ERRORS {
        errors.push(InvalidMember { code, pointer: path.pointer(), detail });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(
        json: &str,
        read: impl FnOnce(&mut Members<'_>),
    ) -> Vec<(MemberErrorCode, String)> {
        let mut members = Members::new(serde_json::from_str(json).unwrap(), 10);
        read(&mut members);
        members.into_errors().into_iter().map(|error| (error.code, error.pointer)).collect()
    }
    #[test]
    fn all_errors_are_reported_at_once() {
        let json = r#"{
            "depth": "4", "nodes": 0, "moves": ["e4", 4, null], "a/b~": 1,
            "fresh": null, "fresh": true
        }"#;
        let errors = errors_of(json, |members| {
            members.required::<String>("fen");
            members.optional::<Vec<String>>("moves");
            members.optional_number("depth", 1..=u64::MAX);
            members.optional_number("nodes", 1..=u64::MAX);
            members.optional::<bool>("fresh");
        });
        assert_eq!(
            errors,
            [
                (MemberErrorCode::Missing, "/fen".to_owned()),
                (MemberErrorCode::WrongType, "/moves/1".to_owned()),
                (MemberErrorCode::WrongType, "/moves/2".to_owned()),
                (MemberErrorCode::WrongType, "/depth".to_owned()),
                (MemberErrorCode::OutOfRange, "/nodes".to_owned()),
                (MemberErrorCode::Conflict, "/fresh".to_owned()),
                (MemberErrorCode::WrongType, "/fresh".to_owned()),
                (MemberErrorCode::UnknownMember, "/a~1b~0".to_owned()),
            ]
        );
    }

    #[test]
    fn whole_numbers_are_read_from_any_json_notation() {
        for (json, value) in [
            ("4", 4),
            ("4.0", 4),
            ("1e3", 1_000),
            ("-0", 0),
            ("1e300", u64::MAX),
            ("99999999999999999999", u64::MAX),
        ] {
            let json = format!("{{\"n\": {json}}}");
            let mut members = Members::new(serde_json::from_str(&json).unwrap(), 10);
            assert_eq!(members.optional_number("n", 0..=u64::MAX), Some(value), "{json}");
            assert!(members.into_errors().is_empty());
        }
        for (json, code) in [
            ("-1", MemberErrorCode::OutOfRange),
            ("1.5", MemberErrorCode::WrongType),
            ("[1]", MemberErrorCode::WrongType),
        ] {
            let errors = errors_of(&format!("{{\"n\": {json}}}"), |members| {
                members.optional_number("n", 0..=9);
            });
            assert_eq!(errors, [(code, "/n".to_owned())], "{json}");
        }
    }

    #[test]
    fn query_parameters_are_parsed_from_text() {
        let parameter = |name: &'static str, text: &'static str| {
            (Cow::Borrowed(name), JsonValue::QueryText(Cow::Borrowed(text)))
        };
        let query = [
            ("depth", "12"),
            ("nodes", "1e6"),
            ("movetime_ms", "soon"),
            ("mate", "-3"),
            ("fresh", "true"),
            ("infinite", "yes"),
            ("moves", "e4, e5 ,Nf3 "),
        ];
        let value = JsonValue::Object(query.map(|(name, text)| parameter(name, text)).to_vec());
        let mut members = Members::new(value, 10);
        let mut number = |name| members.optional_number(name, 1..=u64::MAX);
        assert_eq!((number("depth"), number("nodes")), (Some(12), Some(1_000_000)));
        assert_eq!((number("movetime_ms"), number("mate")), (None, None));
        assert_eq!(
            (members.optional("fresh"), members.optional::<bool>("infinite")),
            (Some(true), None)
        );
        assert_eq!(
            members.optional("moves"),
            Some(["e4", "e5", "Nf3"].map(str::to_owned).to_vec())
        );
        let errors: Vec<_> =
            members.into_errors().into_iter().map(|error| (error.code, error.pointer)).collect();
        assert_eq!(
            errors,
            [
                (MemberErrorCode::WrongType, "/movetime_ms".to_owned()),
                (MemberErrorCode::OutOfRange, "/mate".to_owned()),
                (MemberErrorCode::WrongType, "/infinite".to_owned()),
            ]
        );
    }

    #[test]
    fn only_the_first_errors_are_reported() {
        let json = format!(r#"{{"moves": [{}1], "fen": 1}}"#, "1,".repeat(5_000));
        let errors = errors_of(&json, |members| {
            members.optional::<Vec<String>>("moves");
            members.optional::<String>("fen");
        });
        assert_eq!(errors.len(), MAX_ERRORS);
        assert_eq!(errors[99], (MemberErrorCode::WrongType, "/moves/99".to_owned()));
        let json = format!(r#"{{{}"y": 1}}"#, r#""x": 1,"#.repeat(5_000));
        assert_eq!(errors_of(&json, |_| ()).len(), MAX_ERRORS);
    }

    #[test]
    fn a_body_that_is_not_an_object_reports_no_missing_members() {
        for json in ["[]", "null", "3", "\"fen\""] {
            let errors = errors_of(json, |members| {
                members.required::<String>("fen");
            });
            assert_eq!(errors, [(MemberErrorCode::WrongType, String::new())], "{json}");
        }
    }
}
