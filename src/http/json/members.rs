//! Reading an object's members one by one. Nothing ends the reading: each fault is noted, and in
//! the end all are known.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use super::Tree;
use crate::chess::excerpt;
use crate::http::problem::{InvalidMember, MemberFault};

/// So many faults of one request are told. More are no help, and a small body could make a huge
/// answer.
const MOST_FAULTS: usize = 100;

/// A request that can be read from the members of a JSON object.
pub(crate) trait FromMembers: Sized {
    /// Reads the members that the request knows; `None` when one that it needs is missing or bad.
    /// Then, and whenever something else is wrong, a fault has been noted in `members`.
    fn read(members: &mut Members<'_>) -> Option<Self>;
}

/// A type that a member's value can be.
pub(crate) trait FromTree<'a>: Sized {
    /// Reads the value; `None`, and a fault at its place, when it is something else.
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<Self>;
}

/// Where a value stands in a request. It is told only when there is a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'p> {
    /// The request itself.
    Body,
    /// A member of it.
    Member(&'p str),
    /// An item of a list.
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    /// As JSON pointer (RFC 6901).
    pub(crate) fn pointer(self) -> String {
        match self {
            Place::Body => String::new(),
            Place::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            Place::Item(list, index) => format!("{}/{index}", list.pointer()),
        }
    }
}

impl fmt::Display for Place<'_> {
    /// For the words of a fault: `moves[3]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Body => f.write_str("the body"),
            Place::Member(name) => f.write_str(name),
            Place::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

/// The members of a request's object that have not been read yet, and the faults found so far.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    unread: Vec<(Cow<'a, str>, Tree<'a>)>,
    faults: Vec<InvalidMember>,
    max_moves: usize,
}

impl<'a> Members<'a> {
    /// The members of an object; of anything else none, and a fault.
    pub(crate) fn new(tree: Tree<'a>, max_moves: usize) -> Members<'a> {
        match tree {
            Tree::Object(unread) => Members { unread, faults: Vec::new(), max_moves },
            other => {
                let mut faults = Vec::new();
                wrong_type::<()>(&mut faults, Place::Body, "an object", &other);
                Members { unread: Vec::new(), faults, max_moves }
            }
        }
    }

    /// The greatest length of `moves`.
    pub(crate) fn max_moves(&self) -> usize {
        self.max_moves
    }

    /// `true` when the member is there and has not been read.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.unread.iter().any(|(other, _)| other == name)
    }

    /// Notes a fault when a member is not there.
    pub(crate) fn require(&mut self, name: &str) {
        if !self.has(name) && self.is_object() {
            self.fault(MemberFault::Missing, name, format!("{name} is missing"));
        }
    }

    /// Reads a member that may be left out.
    pub(crate) fn optional<T: FromTree<'a>>(&mut self, name: &str) -> Option<T> {
        let tree = self.take(name)?;
        T::read(tree, Place::Member(name), &mut self.faults)
    }

    /// Reads a member that must be there.
    pub(crate) fn required<T: FromTree<'a>>(&mut self, name: &str) -> Option<T> {
        self.require(name);
        self.optional(name)
    }

    /// Reads a whole number of this range that may be left out.
    pub(crate) fn optional_number(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let number = self.optional::<u64>(name)?;
        self.in_range(name, number, range)
    }

    /// Reads a whole number of this range that must be there.
    pub(crate) fn required_number(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let number = self.required::<u64>(name)?;
        self.in_range(name, number, range)
    }

    /// Notes a fault of the member `name`.
    pub(crate) fn fault(&mut self, code: MemberFault, name: &str, detail: String) {
        note(&mut self.faults, code, Place::Member(name), detail);
    }

    /// Whatever else is there is all one.
    pub(crate) fn pass_over(&mut self) {
        self.unread.clear();
    }

    /// The faults, those members that nobody has read among them; the first [`MOST_FAULTS`].
    pub(crate) fn into_faults(mut self) -> Vec<InvalidMember> {
        for (name, _) in std::mem::take(&mut self.unread).into_iter().take(MOST_FAULTS) {
            let detail = format!("there is no member {:?} here", excerpt(&name));
            self.fault(MemberFault::UnknownMember, &name, detail);
        }
        self.faults
    }

    /// `false` when the body is something else: then there is no use in missing its members.
    pub(crate) fn is_object(&self) -> bool {
        self.faults.first().is_none_or(|fault| !fault.pointer.is_empty())
    }

    fn take(&mut self, name: &str) -> Option<Tree<'a>> {
        let index = self.unread.iter().position(|(other, _)| other == name)?;
        let (_, tree) = self.unread.remove(index);
        if self.has(name) {
            self.unread.retain(|(other, _)| other != name);
            self.fault(MemberFault::Conflict, name, format!("{name} is given more than once"));
        }
        Some(tree)
    }

    fn in_range(&mut self, name: &str, number: u64, range: RangeInclusive<u64>) -> Option<u64> {
        if range.contains(&number) {
            return Some(number);
        }
        let detail = match *range.end() {
            u64::MAX => format!("{name} is {number}, but must be at least {}", range.start()),
            end => format!("{name} is {number}, but must be {} to {end}", range.start()),
        };
        self.fault(MemberFault::OutOfRange, name, detail);
        None
    }
}

impl<'a> FromTree<'a> for u64 {
    /// A whole number; what is greater than 2⁶⁴ − 1 counts as that, since every cap lies below.
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<u64> {
        match tree {
            Tree::Written(text) => u64::read(number_written(text), place, faults),
            Tree::Whole(number) => Some(number),
            Tree::Number(number) if number.fract() == 0.0 && number >= 0.0 => Some(number as u64),
            Tree::Negative(number) => {
                let detail = format!("{place} is {number}, but must not be negative");
                note(faults, MemberFault::OutOfRange, place, detail);
                None
            }
            Tree::Number(number) if number.fract() == 0.0 => {
                note(
                    faults,
                    MemberFault::OutOfRange,
                    place,
                    format!("{place} is {number}, but must not be negative"),
                );
                None
            }
            Tree::Number(_) => {
                note(
                    faults,
                    MemberFault::WrongType,
                    place,
                    format!("{place} must be a whole number"),
                );
                None
            }
            other => wrong_type(faults, place, "a whole number", &other),
        }
    }
}

impl<'a> FromTree<'a> for bool {
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<bool> {
        match tree {
            Tree::Bool(value) => Some(value),
            Tree::Written(text) if text == "true" => Some(true),
            Tree::Written(text) if text == "false" => Some(false),
            other => wrong_type(faults, place, "true or false", &other),
        }
    }
}

impl<'a> FromTree<'a> for String {
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<String> {
        match tree {
            Tree::Text(text) | Tree::Written(text) => Some(text.into_owned()),
            other => wrong_type(faults, place, "a string", &other),
        }
    }
}

impl<'a, T: FromTree<'a>> FromTree<'a> for Vec<T> {
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<Vec<T>> {
        let items = match tree {
            Tree::List(items) => items,
            Tree::Written(text) => items_written(&text),
            other => return wrong_type(faults, place, "an array", &other),
        };
        // Items behind a bad one are read too, for their faults; one bad item makes the list bad.
        let mut list = Vec::with_capacity(items.len());
        let mut is_good = true;
        for (index, item) in items.into_iter().enumerate() {
            match T::read(item, Place::Item(&place, index), faults) {
                Some(item) => list.push(item),
                None => is_good = false,
            }
            if faults.len() >= MOST_FAULTS {
                return None;
            }
        }
        is_good.then_some(list)
    }
}

/// Reads a text that must be one of a closed list.
pub(crate) fn read_name<T>(
    tree: Tree<'_>,
    place: Place<'_>,
    faults: &mut Vec<InvalidMember>,
    all: &[T],
    name: impl Fn(&T) -> &'static str,
) -> Option<T>
where
    T: Copy,
{
    let text = match tree {
        Tree::Text(text) | Tree::Written(text) => text,
        other => return wrong_type(faults, place, "a string", &other),
    };
    let found = all.iter().find(|value| name(value) == text).copied();
    if found.is_none() {
        let names: Vec<_> = all.iter().map(name).collect();
        let detail =
            format!("{place} is {:?}, but must be one of {}", excerpt(&text), names.join(", "));
        note(faults, MemberFault::UnknownValue, place, detail);
    }
    found
}

/// A number as JSON writes it; any other text stays one.
fn number_written(text: Cow<'_, str>) -> Tree<'_> {
    let number = match serde_json::from_str::<Tree<'_>>(&text) {
        Ok(Tree::Whole(number)) => Some(Tree::Whole(number)),
        Ok(Tree::Negative(number)) => Some(Tree::Negative(number)),
        Ok(Tree::Number(number)) => Some(Tree::Number(number)),
        _ => None,
    };
    number.unwrap_or(Tree::Text(text))
}

/// The items of a list with commas between them; blanks around each are dropped.
fn items_written<'a>(text: &str) -> Vec<Tree<'a>> {
    let items =
        text.split(',').map(|item| Tree::Written(Cow::Owned(item.trim_matches(' ').to_owned())));
    if text.trim_matches(' ').is_empty() { Vec::new() } else { items.collect() }
}

fn wrong_type<T>(
    faults: &mut Vec<InvalidMember>,
    place: Place<'_>,
    expected: &str,
    found: &Tree<'_>,
) -> Option<T> {
    note(
        faults,
        MemberFault::WrongType,
        place,
        format!("{place} must be {expected}, not {}", found.kind()),
    );
    None
}

fn note(faults: &mut Vec<InvalidMember>, code: MemberFault, place: Place<'_>, detail: String) {
    if faults.len() < MOST_FAULTS {
        faults.push(InvalidMember { code, pointer: place.pointer(), detail });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(json: &str, read: impl FnOnce(&mut Members<'_>)) -> Vec<(MemberFault, String)> {
        let mut members = Members::new(serde_json::from_str(json).unwrap(), 10);
        read(&mut members);
        members.into_faults().into_iter().map(|fault| (fault.code, fault.pointer)).collect()
    }

    #[test]
    fn all_faults_are_found_at_once() {
        let json = r#"{"depth": "4", "nodes": 0, "moves": ["e4", 4, null], "a/b~": 1, "fresh": null, "fresh": true}"#;
        let faults = faults_of(json, |members| {
            members.required::<String>("fen");
            members.optional::<Vec<String>>("moves");
            members.optional_number("depth", 1..=u64::MAX);
            members.optional_number("nodes", 1..=u64::MAX);
            members.optional::<bool>("fresh");
        });
        assert_eq!(
            faults,
            [
                (MemberFault::Missing, "/fen".to_owned()),
                (MemberFault::WrongType, "/moves/1".to_owned()),
                (MemberFault::WrongType, "/moves/2".to_owned()),
                (MemberFault::WrongType, "/depth".to_owned()),
                (MemberFault::OutOfRange, "/nodes".to_owned()),
                (MemberFault::Conflict, "/fresh".to_owned()),
                (MemberFault::WrongType, "/fresh".to_owned()),
                (MemberFault::UnknownMember, "/a~1b~0".to_owned()),
            ]
        );
    }

    #[test]
    fn a_whole_number_may_be_written_in_any_way_json_has() {
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
            assert!(members.into_faults().is_empty());
        }
        for (json, fault) in [
            ("-1", MemberFault::OutOfRange),
            ("1.5", MemberFault::WrongType),
            ("[1]", MemberFault::WrongType),
        ] {
            let faults = faults_of(&format!("{{\"n\": {json}}}"), |members| {
                members.optional_number("n", 0..=9);
            });
            assert_eq!(faults, [(fault, "/n".to_owned())], "{json}");
        }
    }

    #[test]
    fn a_query_says_everything_by_text() {
        let written = |name: &'static str, text: &'static str| {
            (Cow::Borrowed(name), Tree::Written(Cow::Borrowed(text)))
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
        let tree = Tree::Object(query.map(|(name, text)| written(name, text)).to_vec());
        let mut members = Members::new(tree, 10);
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
        let faults: Vec<_> =
            members.into_faults().into_iter().map(|fault| (fault.code, fault.pointer)).collect();
        assert_eq!(
            faults,
            [
                (MemberFault::WrongType, "/movetime_ms".to_owned()),
                (MemberFault::OutOfRange, "/mate".to_owned()),
                (MemberFault::WrongType, "/infinite".to_owned()),
            ]
        );
    }

    #[test]
    fn of_thousands_of_faults_the_first_are_told() {
        let json = format!(r#"{{"moves": [{}1], "fen": 1}}"#, "1,".repeat(5_000));
        let faults = faults_of(&json, |members| {
            members.optional::<Vec<String>>("moves");
            members.optional::<String>("fen");
        });
        assert_eq!(faults.len(), MOST_FAULTS);
        assert_eq!(faults[99], (MemberFault::WrongType, "/moves/99".to_owned()));
        let json = format!(r#"{{{}"y": 1}}"#, r#""x": 1,"#.repeat(5_000));
        assert_eq!(faults_of(&json, |_| ()).len(), MOST_FAULTS);
    }

    #[test]
    fn what_is_no_object_misses_no_members() {
        for json in ["[]", "null", "3", "\"fen\""] {
            let faults = faults_of(json, |members| {
                members.required::<String>("fen");
            });
            assert_eq!(faults, [(MemberFault::WrongType, String::new())], "{json}");
        }
    }
}
