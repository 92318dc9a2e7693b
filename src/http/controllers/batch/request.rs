//! A line of a batch: a best-move request with an id of the client's choice.

use utoipa::ToSchema;

use crate::analysis::{AnalysisRequest, Client, PriorityClass};
use crate::chess::Game;
use crate::http::Caps;
use crate::http::dto::{Clamped, CorrelationId, PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::MemberErrorCode;

/// One of many positions, and how hard it is to be searched. What is beyond a cap of `GET
/// /v1/limits` is clamped.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BatchRequest)]
pub(crate) struct BatchRequest {
    /// Comes back in the answer: a string or a number.
    #[schema(required = false, schema_with = CorrelationId::schema)]
    pub(super) id: CorrelationId,
    pub(super) position: PositionRequest,
    pub(super) search: SearchRequest,
    /// How many of the best moves get a line; with it the answer has `lines` in place of `pv` and
    /// `pv_san`.
    #[schema(minimum = 1, nullable = false)]
    pub(super) multipv: Option<u64>,
}

impl FromMembers for BatchRequest {
    fn read(members: &mut Members<'_>) -> Option<BatchRequest> {
        let id = members.optional("id").unwrap_or_default();
        if members.has("session") {
            members.add_error(
                MemberErrorCode::UnknownMember,
                "session",
                "a line of a batch has no session".to_owned(),
            );
        }
        let (position, search) = (PositionRequest::read(members), SearchRequest::read(members));
        let multipv = members.optional_number("multipv", 1..=u64::MAX);
        Some(BatchRequest { id, position: position?, search: search?, multipv })
    }
}

impl BatchRequest {
    /// The question within the caps, and what was lowered for that.
    pub(super) fn clamp(
        self,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let (request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        (AnalysisRequest { class: PriorityClass::Batch, ..request }, clamped)
    }
}
