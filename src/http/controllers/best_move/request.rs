//! A best-move request: a position and how hard it is to be searched.

use utoipa::ToSchema;

use crate::http::dto::{PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, Members};

/// Whose best move is asked for, and how hard it is to be searched. The search stops at the first
/// limit that is reached; what is beyond a cap of `GET /v1/limits` is clamped. The cap on
/// `movetime_ms` ends a search without `movetime_ms` as well, with the reason `time`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BestMoveRequest)]
pub(crate) struct BestMoveRequest {
    pub(crate) position: PositionRequest,
    pub(crate) search: SearchRequest,
}

impl FromMembers for BestMoveRequest {
    fn read(members: &mut Members<'_>) -> Option<BestMoveRequest> {
        let (position, search) = (PositionRequest::read(members), SearchRequest::read(members));
        Some(BestMoveRequest { position: position?, search: search? })
    }
}
