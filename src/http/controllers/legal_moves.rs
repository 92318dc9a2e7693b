//! `POST /v1/legal-moves`

use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::san_all;
use crate::http::dto::{Dests, MoveDto, PositionRequest, PositionState};
use crate::http::json::{FromMembers, Json, Members, Reply};
use crate::http::openapi::PositionProblems;
use crate::http::problem::Problem;

/// Whose legal moves are asked for.
#[derive(Clone, Debug, ToSchema)]
pub(crate) struct LegalMovesRequest {
    position: PositionRequest,
}

/// The legal moves of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct LegalMoves {
    #[serde(flatten)]
    state: PositionState,
    /// How many legal moves there are.
    #[schema(minimum = 0)]
    count: usize,
    /// The moves, by rising `code`. A drawn game still lists them.
    moves: Vec<MoveDto>,
    /// For each square that a piece may leave the squares that it may go to, in the order of squares; castling as the king's
    /// square and as the rook's.
    #[schema(value_type = std::collections::BTreeMap<String, Vec<String>>)]
    dests: Dests,
}

impl FromMembers for LegalMovesRequest {
    fn read(members: &mut Members<'_>) -> Option<LegalMovesRequest> {
        Some(LegalMovesRequest { position: PositionRequest::read(members)? })
    }
}

/// Legal moves
///
/// All legal moves of a position, with SAN and flags, ready for a board widget.
#[utoipa::path(
    post,
    path = "/v1/legal-moves",
    tag = "positions",
    request_body = LegalMovesRequest,
    responses((status = 200, description = "The legal moves.", body = LegalMoves), PositionProblems)
)]
pub(crate) async fn legal_moves(Json(request): Json<LegalMovesRequest>) -> Result<Reply<LegalMoves>, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let mut list = position.legal_moves();
    list.as_mut_slice().sort_unstable();
    let sans = san_all(position, &list);
    let moves: Vec<_> = list.into_iter().zip(sans).map(|(mv, san)| MoveDto::new(position, mv, san)).collect();
    let dests = Dests::new(position, &list);
    Ok(Reply(LegalMoves { state: PositionState::from(&resolved), count: moves.len(), moves, dests }))
}
