//! Tests of the reading of members.

use std::num::NonZeroU64;

use super::super::from_value::NumberIn;
use super::*;

fn errors_of(json: &str, read: impl FnOnce(&mut Members<'_>)) -> Vec<(MemberErrorCode, String)> {
    let mut members = Members::new("the body", serde_json::from_str(json).unwrap(), 10);
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

#[derive(Debug)]
struct Inner;

impl FromMembers for Inner {
    fn read(members: &mut Members<'_>) -> Option<Inner> {
        members.required::<u64>("x").map(|_| Inner)
    }
}

#[test]
fn an_error_within_an_object_has_its_path() {
    let errors_of = |json: &str| {
        let mut errors = Vec::new();
        let path = JsonPath::Member("a/b");
        let read = read_object::<Inner>(serde_json::from_str(json).unwrap(), path, &mut errors);
        assert_eq!(read.is_some(), errors.is_empty());
        errors.into_iter().map(|error| (error.pointer, error.detail)).collect::<Vec<_>>()
    };
    assert_eq!(errors_of(r#"{"x": 1}"#), []);
    for (json, pointer, detail) in [
        ("3", "/a~1b", "a/b is 3; it must be an object"),
        ("{}", "/a~1b/x", "a/b.x is missing"),
        (r#"{"x": null}"#, "/a~1b/x", "a/b.x is null; it must be a whole number"),
        (r#"{"x": 1, "x": 2}"#, "/a~1b/x", "a/b.x is given more than once"),
        (r#"{"x": 1, "/": 2}"#, "/a~1b/~1", "\"/\" is not a known member of a/b; allowed are x"),
    ] {
        assert_eq!(errors_of(json), [(pointer.to_owned(), detail.to_owned())]);
    }
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
        let mut members = Members::new("the body", serde_json::from_str(&json).unwrap(), 10);
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
    let mut members = Members::new("the query", value, 10);
    let mut number = |name| members.optional::<NonZeroU64>(name).map(NonZeroU64::get);
    assert_eq!((number("depth"), number("nodes")), (Some(12), Some(1_000_000)));
    assert_eq!((number("movetime_ms"), number("mate")), (None, None));
    assert_eq!(
        (members.optional("fresh"), members.optional::<bool>("infinite")),
        (Some(true), None)
    );
    assert_eq!(members.optional("moves"), Some(["e4", "e5", "Nf3"].map(str::to_owned).to_vec()));
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
fn a_list_in_a_query_uses_commas_or_spaces_or_repeats_its_parameter() {
    let query = |pairs: &[(&'static str, &'static str)]| {
        let member = |&(name, text): &(&'static str, &'static str)| {
            (Cow::Borrowed(name), JsonValue::QueryText(Cow::Borrowed(text)))
        };
        Members::new("the query", JsonValue::Object(pairs.iter().map(member).collect()), 10)
    };
    for pairs in [
        [("moves", "e4,e5"), ("moves", "Nf3"), ("moves", "")],
        [("moves", "e4"), ("moves", "e5"), ("moves", "Nf3")],
        [("moves", "e4 e5"), ("moves", " "), ("moves", " Nf3 ")],
        [("moves", ""), ("moves", "e4   e5 , Nf3"), ("moves", "")],
    ] {
        let mut members = query(&pairs);
        let moves: Option<Vec<String>> = members.optional("moves");
        assert_eq!(moves.unwrap(), ["e4", "e5", "Nf3"]);
        assert!(members.into_errors().is_empty());
    }
    let mut members = query(&[("moves", "e4,,e5")]);
    assert_eq!(members.optional::<Vec<String>>("moves").unwrap(), ["e4", "", "e5"]);
    let mut members = query(&[("depth", "1"), ("depth", "2")]);
    members.optional::<u64>("depth");
    assert_eq!(members.into_errors()[0].code, MemberErrorCode::Conflict, "depth is no list");
}

#[test]
fn an_unknown_member_gets_a_suggestion() {
    let detail_of = |name: &str| {
        let json = format!("{{{name:?}: 1}}");
        let mut members = Members::new("the body", serde_json::from_str(&json).unwrap(), 10);
        members.optional::<u64>("movetime_ms");
        members.optional::<u64>("multipv");
        members.into_errors()[0].detail.clone()
    };
    for (name, suggestion) in [
        ("movetime", "; did you mean \"movetime_ms\"?"),
        ("multiPv", "; did you mean \"multipv\"?"),
        ("searchmoves", "; it belongs to /v1/analysis"),
        ("callback", "; allowed are movetime_ms, multipv"),
    ] {
        assert_eq!(detail_of(name), format!("{name:?} is not a known member{suggestion}"));
    }
}

#[test]
fn only_the_first_unknown_members_get_a_suggestion() {
    let json = format!(r#"{{{}"movetim": 1}}"#, r#""movetime": 1,"#.repeat(50));
    let mut members = Members::new("the body", serde_json::from_str(&json).unwrap(), 10);
    members.optional::<u64>("movetime_ms");
    let errors = members.into_errors();
    let suggestions = errors.iter().filter(|error| error.detail.contains("did you mean"));
    assert_eq!((errors.len(), suggestions.count()), (51, MAX_SUGGESTIONS));
}

#[test]
fn the_allowed_members_are_named_once() {
    let json = r#"{"movetime": 1, "callback": 1, "colour": 1}"#;
    let mut members = Members::new("the body", serde_json::from_str(json).unwrap(), 10);
    members.optional::<u64>("movetime_ms");
    let details: Vec<_> = members.into_errors().into_iter().map(|error| error.detail).collect();
    assert_eq!(
        details,
        [
            "\"movetime\" is not a known member; did you mean \"movetime_ms\"?",
            "\"callback\" is not a known member; allowed are movetime_ms",
            "\"colour\" is not a known member",
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
