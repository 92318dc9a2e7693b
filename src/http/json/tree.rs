//! A JSON value, or a query's parameter, that borrows its texts from the body. Unlike
//! `serde_json::Value` it copies nothing and keeps a member that stands there twice, so that it can
//! be refused.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number that is not negative and fits.
    Whole(u64),
    /// A whole number below 0, down to −2⁶³.
    Negative(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// What a query says of a parameter: its name in the contract tells of what type that is.
    Written(Cow<'a, str>),
    /// An array.
    List(Vec<Tree<'a>>),
    /// An object, its members in their order.
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl Tree<'_> {
    /// The name of its JSON type, with an article.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Tree::Null => "null",
            Tree::Bool(_) => "a boolean",
            Tree::Whole(_) | Tree::Negative(_) | Tree::Number(_) => "a number",
            Tree::Text(_) => "a string",
            Tree::Written(_) => "this text",
            Tree::List(_) => "an array",
            Tree::Object(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree<'de>, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Whole(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(u64::try_from(value).map_or(Tree::Negative(value), Tree::Whole))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree<'de>, A::Error> {
        let mut object = Vec::new();
        while let Some(Name(name)) = members.next_key()? {
            object.push((name, members.next_value()?));
        }
        Ok(Tree::Object(object))
    }
}

struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name<'de>, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let tree: Tree<'_> =
            serde_json::from_str(r#"{"fen": "startpos", "a\n": ["\u0041"]}"#).unwrap();
        let Tree::Object(members) = tree else { panic!("an object") };
        assert!(matches!(
            &members[0],
            (Cow::Borrowed("fen"), Tree::Text(Cow::Borrowed("startpos")))
        ));
        assert!(matches!(&members[1], (Cow::Owned(name), Tree::List(_)) if name == "a\n"));
    }

    #[test]
    fn a_member_that_stands_there_twice_is_kept_twice() {
        let tree: Tree<'_> = serde_json::from_str(r#"{"a": 1, "a": -1}"#).unwrap();
        assert_eq!(
            tree,
            Tree::Object(vec![("a".into(), Tree::Whole(1)), ("a".into(), Tree::Negative(-1))])
        );
    }
}
