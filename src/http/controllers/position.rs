//! `POST /v1/position`

mod view_dtos;
mod views;

use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::encodings::{BitOrder, PackedPosition};
use crate::http::dto::{PositionRequest, PositionState, bit_order_schema};
use crate::http::json::{FromMembers, Json, Members, Reply};
use crate::http::problem::{PositionProblems, Problem};
use views::{View, Views};

/// Which position is asked for, and in which forms.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = PositionRequest)]
pub(crate) struct PositionViewsRequest {
    position: PositionRequest,
    /// The views wanted; all unless given.
    #[schema(required = false, schema_with = views::views_schema)]
    views: Vec<View>,
    /// Which square is bit 0 of the answer's bitboards.
    #[schema(required = false, schema_with = bit_order_schema)]
    bit_order: BitOrder,
}

/// A position in many forms.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Position)]
pub(crate) struct PositionAnswer {
    #[serde(flatten)]
    state: PositionState,
    /// The FEN with the rooks' files for castling rights (Shredder-FEN).
    shredder_fen: String,
    /// The packed form, in base64url: accepted wherever a FEN is. It holds no clocks.
    #[schema(pattern = "^[A-Za-z0-9_-]+$")]
    packed: String,
    /// Some castling right is not the standard one.
    chess960: bool,
    /// The views; all, or those asked for.
    views: Views,
}

impl FromMembers for PositionViewsRequest {
    fn read(members: &mut Members<'_>) -> Option<PositionViewsRequest> {
        let position = PositionRequest::read(members);
        let views = members.optional("views").unwrap_or(View::ALL.to_vec());
        let bit_order = members.optional("bit_order").unwrap_or_default();
        Some(PositionViewsRequest { position: position?, views, bit_order })
    }
}

/// A position in many forms
///
/// Reads a position, plays moves from it, and gives it back normalised and in the views asked for.
#[utoipa::path(
    post,
    path = "/v1/position",
    tag = "positions",
    request_body = PositionViewsRequest,
    responses((status = 200, description = "The position.", body = PositionAnswer), PositionProblems)
)]
pub(crate) async fn position(
    Json(request): Json<PositionViewsRequest>,
) -> Result<Reply<PositionAnswer>, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    Ok(Reply(PositionAnswer {
        state: PositionState::from(&resolved),
        shredder_fen: position.shredder_fen(),
        packed: PackedPosition::from_position(position).to_text(),
        chess960: position.is_chess960(),
        views: Views::of(&resolved.game, &request.views, request.bit_order),
    }))
}
