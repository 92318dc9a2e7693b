//! `POST /v1/evaluate`: the static evaluation of a position.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::{Position, Square};
use crate::engine::StaticEvaluation;
use crate::http::App;
use crate::http::dto::{PositionRequest, PositionState, ScoreDto, SquareName};
use crate::http::json::{Json, Reply, request};
use crate::http::problem::{PositionProblems, Problem};
use crate::http::schema::{owner, role};

request! {
    /// The position to evaluate.
    #[derive(Clone, Debug)]
    pub(crate) struct EvaluateRequest as "EvaluateRequest" {
        flatten position: PositionRequest,
    }
}

/// The static evaluation of a position by the network, without a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Evaluation {
    #[serde(flatten)]
    state: PositionState,
    /// The score from the point of view of the side to move, as in `POST /v1/best-move`; always
    /// `cp`.
    score: ScoreDto,
    /// The score from White's point of view; always `cp`.
    white_score: ScoreDto,
    /// The id of the network.
    #[schema(pattern = "^[0-9a-f]{12}$")]
    network: String,
    /// The output bucket of the network: 0 for the fewest pieces, 7 for the most.
    #[schema(maximum = 7)]
    bucket: usize,
    /// The pieces without the kings, from a1 to h8.
    pieces: Vec<PieceContribution>,
}

/// A piece and its contribution to the evaluation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PieceContribution {
    /// The square of the piece.
    #[schema(value_type = String, pattern = "^[a-h][1-8]$")]
    square: SquareName,
    /// The owner of the piece.
    #[schema(schema_with = owner)]
    color: &'static str,
    /// The kind of piece.
    #[schema(schema_with = role)]
    role: &'static str,
    /// The score with the piece minus the score without it, in centipawns from White's point of
    /// view.
    value: i32,
}

/// Evaluate a position without a search
///
/// Returns the static evaluation by the network, and the contribution of each piece. It does not
/// calculate threats; `POST /v1/best-move` does.
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
