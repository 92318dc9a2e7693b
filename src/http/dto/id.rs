//! What a client calls one of many requests that travel together.

use serde::Serialize;
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::http::json::{FromTree, Place, Tree};
use crate::http::problem::{InvalidMember, MemberFault};

/// The name of a request among others; it comes back in what answers it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    /// None was given: null.
    #[default]
    None,
    /// A string.
    Text(String),
    /// A whole number that is not negative.
    Whole(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Number(f64),
}

impl<'a> FromTree<'a> for Id {
    fn read(tree: Tree<'a>, place: Place<'_>, faults: &mut Vec<InvalidMember>) -> Option<Id> {
        match tree {
            Tree::Text(text) => Some(Id::Text(text.into_owned())),
            Tree::Whole(number) => Some(Id::Whole(number)),
            Tree::Negative(number) => Some(Id::Negative(number)),
            Tree::Number(number) => Some(Id::Number(number)),
            other => {
                let detail = format!("id must be a string or a number, not {}", other.kind());
                faults.push(InvalidMember {
                    code: MemberFault::WrongType,
                    pointer: place.pointer(),
                    detail,
                });
                None
            }
        }
    }
}

impl Id {
    /// The id that stands in a request, whatever else is wrong with that.
    pub(crate) fn within(request: &[u8]) -> Id {
        let Ok(Tree::Object(members)) = serde_json::from_slice::<Tree<'_>>(request) else {
            return Id::None;
        };
        let id = members.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
        id.and_then(|id| Id::read(id, Place::Member("id"), &mut Vec::new())).unwrap_or_default()
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
