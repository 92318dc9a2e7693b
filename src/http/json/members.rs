//! Typed access to the members of a JSON object, one by one. Reading continues after an error, so
//! that all errors of a request are known at the end.

use std::borrow::Cow;

use super::from_value::{FromValue, JsonPath, MAX_ERRORS, wrong_type};
use super::value::JsonValue;
use crate::chess::excerpt;
use crate::http::problem::{InvalidMember, MemberErrorCode};

/// A request that can be read from the members of a JSON object.
pub(crate) trait FromMembers: Sized {
    /// Reads the members of the request; `None` if a required member is missing or invalid. Every
    /// error has then been added to `members`, also those of other members.
    fn read(members: &mut Members<'_>) -> Option<Self>;
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

    /// Whether the member is present, unread and `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.unread.iter().any(|(other, value)| {
            other == name
                && match value {
                    JsonValue::Bool(value) => *value,
                    JsonValue::QueryText(text) => text == "true",
                    _ => false,
                }
        })
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

    /// Adds an error of the member `name`.
    pub(crate) fn add_error(&mut self, code: MemberErrorCode, name: &str, detail: String) {
        JsonPath::Member(name).add_error(&mut self.errors, code, detail);
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
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::from_value::NumberIn;
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
            members.optional::<NonZeroU64>("depth");
            members.optional::<NonZeroU64>("nodes");
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
            assert_eq!(members.optional::<u64>("n"), Some(value), "{json}");
            assert!(members.into_errors().is_empty());
        }
        for (json, code) in [
            ("-1", MemberErrorCode::OutOfRange),
            ("1.5", MemberErrorCode::WrongType),
            ("[1]", MemberErrorCode::WrongType),
        ] {
            let errors = errors_of(&format!("{{\"n\": {json}}}"), |members| {
                members.optional::<NumberIn<0, 9>>("n");
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
        let mut number = |name| members.optional::<NonZeroU64>(name).map(NonZeroU64::get);
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
