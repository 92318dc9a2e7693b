//! `POST` and `GET /v1/evaluate`: the static evaluation of a position.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::{Position, Square};
use crate::engine::StaticEvaluation;
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{PositionRequest, PositionState, ScoreDto, SquareName};
use crate::http::etag::{Revalidation, cache_control, tagged_json};
use crate::http::json::{Json, JsonBytes, Query, Reply, request};
use crate::http::problem::{PositionProblems, PositionQueryProblems, Problem};
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
    answer(&app, &request).await.map(Reply)
}

/// Show the evaluation of a position
///
/// Takes the request of `POST /v1/evaluate` as a query and gives the same response. Its `ETag`
/// covers the network. A cache asks the server before it uses a stored response.
#[utoipa::path(
    get,
    path = "/v1/evaluate",
    tag = "analysis",
    params(EvaluateRequest),
    responses(
        (status = 200, description = "The evaluation.", body = Evaluation),
        PositionQueryProblems,
    )
)]
pub(crate) async fn show_evaluation(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<EvaluateRequest>,
) -> Result<Response<Body>, Problem> {
    let json = JsonBytes::serialize(&answer(&app, &request).await?)?;
    let cache_control = cache_control(caller.identity(), Revalidation::Required);
    Ok(tagged_json(json, &headers, cache_control))
}

async fn answer(app: &App, request: &EvaluateRequest) -> Result<Evaluation, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let engine = app.engine().await;
    let evaluation = engine.evaluate_pieces(position);
    Ok(Evaluation {
        state: PositionState::from(&resolved),
        score: ScoreDto::Cp(evaluation.value(position.turn())),
        white_score: ScoreDto::Cp(evaluation.white_value),
        network: engine.network().id().to_owned(),
        bucket: evaluation.bucket,
        pieces: piece_contributions(position, &evaluation),
    })
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
