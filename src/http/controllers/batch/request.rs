//! A line of a batch: a best-move request with an id of the client's choice.

use utoipa::ToSchema;

use crate::analysis::{AnalysisRequest, Class, Client};
use crate::chess::Game;
use crate::http::Caps;
use crate::http::dto::{Clamped, Id, PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::MemberFault;

/// One of many positions, and how hard it is to be searched. What is beyond a cap of `GET
/// /v1/limits` is clamped.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BatchRequest)]
pub(crate) struct BatchLine {
    /// Comes back in the answer: a string or a number.
    #[schema(required = false, schema_with = Id::schema)]
    pub(super) id: Id,
    pub(super) position: PositionRequest,
    pub(super) search: SearchRequest,
    /// How many of the best moves get a line; with it the answer has `lines` in place of `pv` and
    /// `pv_san`.
    #[schema(minimum = 1, nullable = false)]
    pub(super) multipv: Option<u64>,
}

impl FromMembers for BatchLine {
    fn read(members: &mut Members<'_>) -> Option<BatchLine> {
        let id = members.optional("id").unwrap_or_default();
        if members.has("session") {
            members.fault(
                MemberFault::UnknownMember,
                "session",
                "a line of a batch has no session".to_owned(),
            );
        }
        let (position, search) = (PositionRequest::read(members), SearchRequest::read(members));
        let multipv = members.optional_number("multipv", 1..=u64::MAX);
        Some(BatchLine { id, position: position?, search: search?, multipv })
    }
}

impl BatchLine {
    /// The question within the caps, and what was lowered for that.
    pub(super) fn clamp(
        self,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let (request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        (AnalysisRequest { class: Class::Batch, ..request }, clamped)
    }
}
