//! A line of a batch: a best-move request with an id of the client's choice.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Schema, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use crate::analysis::{AnalysisRequest, Class, Client};
use crate::chess::Game;
use crate::http::Caps;
use crate::http::dto::{Clamped, PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, FromTree, Members, Tree};
use crate::http::problem::{InvalidMember, MemberFault};

/// One of many positions, and how hard it is to be searched. What is beyond a cap of `GET /v1/limits` is clamped.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BatchRequest)]
pub(crate) struct BatchLine {
    /// Comes back in the answer: a string or a number.
    #[schema(required = false, schema_with = id_schema)]
    pub(super) id: Id,
    pub(super) position: PositionRequest,
    pub(super) search: SearchRequest,
    /// How many of the best moves get a line; with it the answer has `lines` in place of `pv` and `pv_san`.
    #[schema(minimum = 1, nullable = false)]
    pub(super) multipv: Option<u64>,
}

/// What a client calls a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Id {
    /// Nothing: null.
    #[default]
    None,
    Text(String),
    Whole(u64),
    Number(f64),
}

impl<'a> FromTree<'a> for Id {
    fn read(tree: Tree<'a>, pointer: &str, faults: &mut Vec<InvalidMember>) -> Option<Id> {
        match tree {
            Tree::Text(text) => Some(Id::Text(text.into_owned())),
            Tree::Whole(number) => Some(Id::Whole(number)),
            Tree::Number(number) => Some(Id::Number(number)),
            other => {
                let detail = format!("id must be a string or a number, not {}", other.kind());
                faults.push(InvalidMember { code: MemberFault::WrongType, pointer: pointer.to_owned(), detail });
                None
            }
        }
    }
}

impl FromMembers for BatchLine {
    fn read(members: &mut Members<'_>) -> Option<BatchLine> {
        let id = members.optional("id").unwrap_or_default();
        if members.has("session") {
            members.fault(MemberFault::UnknownMember, "session", "a line of a batch has no session".to_owned());
        }
        let (position, search) = (PositionRequest::read(members), SearchRequest::read(members));
        let multipv = members.optional_number("multipv", 1..=u64::MAX);
        Some(BatchLine { id, position: position?, search: search?, multipv })
    }
}

impl BatchLine {
    /// The question within the caps, and what was lowered for that.
    pub(super) fn clamp(self, game: Game, client: &Client, caps: &Caps) -> (AnalysisRequest, Vec<Clamped>) {
        let (request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        (AnalysisRequest { class: Class::Batch, ..request }, clamped)
    }
}

/// The id that a line has, whatever else is wrong with it.
pub(super) fn id_of(line: &[u8]) -> Id {
    let Ok(Tree::Object(members)) = serde_json::from_slice::<Tree<'_>>(line) else { return Id::None };
    let id = members.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
    id.and_then(|id| Id::read(id, "/id", &mut Vec::new())).unwrap_or_default()
}

/// The schema of an id.
pub(super) fn id_schema() -> Schema {
    let kinds = SchemaType::from_iter([Type::String, Type::Number, Type::Null]);
    ObjectBuilder::new().schema_type(kinds).description(Some("Comes back in the answer: a string or a number.")).into()
}
