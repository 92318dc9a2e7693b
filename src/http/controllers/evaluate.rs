//! `POST /v1/evaluate`

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::{Position, Square};
use crate::engine::StaticEvaluation;
use crate::http::App;
use crate::http::dto::{PositionRequest, PositionState, ScoreDto, SquareName};
use crate::http::json::{FromMembers, Json, Members, Reply};
use crate::http::problem::{PositionProblems, Problem};
use crate::http::schema::{owner, role};

/// Which position is to be judged.
#[derive(Clone, Debug, ToSchema)]
pub(crate) struct EvaluateRequest {
    position: PositionRequest,
}

/// What the evaluation network says of a position, without a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Evaluation {
    #[serde(flatten)]
    state: PositionState,
    /// From the side to move's view, as of `POST /v1/best-move`; always `cp`.
    score: ScoreDto,
    /// From White's view; always `cp`.
    white_score: ScoreDto,
    /// The id of the network.
    #[schema(pattern = "^[0-9a-f]{12}$")]
    network: String,
    /// The variant of the network's output that judged the position: 0 with the fewest pieces, 7
    /// with the most.
    #[schema(maximum = 7)]
    bucket: usize,
    /// The pieces but for the kings, from a1 to h8.
    pieces: Vec<PieceContribution>,
}

/// A piece and how much of the evaluation hangs on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PieceContribution {
    /// Where it stands.
    #[schema(value_type = String, pattern = "^[a-h][1-8]$")]
    square: SquareName,
    /// Whose piece it is.
    #[schema(schema_with = owner)]
    color: &'static str,
    /// The kind of piece.
    #[schema(schema_with = role)]
    role: &'static str,
    /// The score with the piece less the score without it, in centipawns from White's view.
    value: i32,
}

impl FromMembers for EvaluateRequest {
    fn read(members: &mut Members<'_>) -> Option<EvaluateRequest> {
        Some(EvaluateRequest { position: PositionRequest::read(members)? })
    }
}

/// Judge a position without a search
///
/// The static evaluation by the network, and what each piece adds to it. It sees no threats but by
/// experience: `POST /v1/best-move` looks ahead.
#[utoipa::path(
    post,
    path = "/v1/evaluate",
    tag = "analysis",
    request_body = EvaluateRequest,
    responses((status = 200, description = "The evaluation.", body = Evaluation), PositionProblems)
)]
pub(crate) async fn evaluate(
    State(app): State<App>,
    Json(request): Json<EvaluateRequest>,
) -> Result<Reply<Evaluation>, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let engine = app.engine().await;
    let evaluation = engine.evaluate_pieces(position);
    Ok(Reply(Evaluation {
        state: PositionState::from(&resolved),
        score: ScoreDto::Cp(evaluation.value(position.turn())),
        white_score: ScoreDto::Cp(evaluation.white_value),
        network: engine.network().id().to_owned(),
        bucket: evaluation.bucket,
        pieces: piece_contributions(position, &evaluation),
    }))
}

fn piece_contributions(
    position: &Position,
    evaluation: &StaticEvaluation,
) -> Vec<PieceContribution> {
    let contribution = |square: Square| {
        let (piece, value) = position.piece_at(square).zip(evaluation.pieces[square.index()])?;
        Some(PieceContribution {
            square: SquareName(square),
            color: piece.color().name(),
            role: piece.role().name(),
            value,
        })
    };
    Square::all().filter_map(contribution).collect()
}
