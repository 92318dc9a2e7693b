//! `GET /api/cloud-eval`: cached evaluations in Lichess's format, for unmodified Lichess clients.

use std::num::NonZeroU64;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::{AnalysisRequest, Client, PriorityClass};
use crate::chess::{CastlingNotation, Game, Move, Position, parse_fen};
use crate::engine::{Limits, Report, Score, SearchOptions};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::line_texts;
use crate::http::json::{Query, Reply, request};
use crate::http::problem::Problem;

request! {
    /// The position to look up, and the number of lines.
    #[derive(Clone, Debug)]
    pub(crate) struct CloudEvalRequest as "CloudEvalRequest" {
        /// The position as FEN.
        required fen: String,
        /// The number of lines.
        optional multi_pv as "multiPv": NonZeroU64 = 1,
        /// `standard`, `chess960` or `fromPosition`. Any other variant gets 404.
        optional variant: String,
    }
}

/// An evaluation in Lichess's format.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CloudEval {
    /// The FEN of the request.
    fen: String,
    /// The number of searched nodes, in thousands.
    knodes: u64,
    /// The depth of the last finished iteration, in plies.
    depth: u8,
    /// The lines, best first.
    pvs: Vec<CloudLine>,
}

/// A line in Lichess's format.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CloudLine {
    /// The moves in UCI, separated by spaces. Castling is written as king takes rook.
    moves: String,
    /// The score in centipawns from White's point of view; absent with `mate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cp: Option<i32>,
    /// The number of moves to mate; negative if White is mated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    mate: Option<i32>,
}

/// The response without an evaluation.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct NoCloudEval {
    /// The error text, the same as Lichess's.
    error: &'static str,
}

/// Get a cloud evaluation
///
/// Returns the cached evaluation of a position in the format of the Lichess route with the same
/// path. If `lichess.compute_ms` is set, the server searches an unknown position for that time
/// first. An invalid FEN gets 404, like an unknown position.
#[utoipa::path(
    get,
    path = "/api/cloud-eval",
    tag = "analysis",
    params(CloudEvalRequest),
    responses(
        (status = 200, description = "The evaluation.", body = CloudEval),
        (status = 404, description = "There is no evaluation of the position.", body = NoCloudEval),
        crate::http::problem::CloudEvalProblems,
    )
)]
pub(crate) async fn cloud_eval(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<CloudEvalRequest>,
) -> Result<Response, Problem> {
    let is_known_variant = query
        .variant
        .as_deref()
        .is_none_or(|name| ["standard", "chess960", "fromPosition"].contains(&name));
    let fen = query.fen;
    let position =
        is_known_variant.then(|| parse_fen(&fen).ok()).flatten().map(|parsed| parsed.position);
    let Some(position) = position else { return Ok(not_found()) };
    let multipv =
        query.multi_pv.map_or(1, |lines| usize::try_from(lines.get()).unwrap_or(usize::MAX));
    let Some(report) = find_report(&app, caller.client(), &position, multipv).await? else {
        return Ok(not_found());
    };
    let pvs = cloud_lines(&position, &report);
    Ok(Reply(CloudEval { fen, knodes: report.nodes / 1_000, depth: report.depth, pvs })
        .into_response())
}

fn not_found() -> Response {
    let error = "No cloud evaluation available for that position";
    (StatusCode::NOT_FOUND, Reply(NoCloudEval { error })).into_response()
}

/// The cached report of a position, or the report of a short search if the settings allow one.
async fn find_report(
    app: &App,
    client: &Client,
    position: &Position,
    multipv: usize,
) -> Result<Option<Report>, Problem> {
    let service = app.service().await;
    if let Some(cached) = service.cached_analysis(position, multipv) {
        return Ok(Some((*cached.report).clone()));
    }
    let compute_time = app.caps().lichess_compute;
    if compute_time == Duration::ZERO || !position.has_moves() {
        return Ok(None);
    }
    let request = AnalysisRequest {
        game: Game::new(position.clone()),
        limits: Limits { movetime: Some(compute_time), ..Limits::default() },
        options: SearchOptions {
            multipv: multipv.min(usize::from(app.caps().multipv)),
            ..SearchOptions::default()
        },
        fresh: false,
        client: client.clone(),
        class: PriorityClass::Interactive,
        session: None,
        strength: None,
    };
    let answer = service.best_move(request).await?;
    Ok(Some((*answer.report).clone()).filter(|report| !report.pv.is_empty()))
}

fn cloud_lines(position: &Position, report: &Report) -> Vec<CloudLine> {
    let best = (report.score, &report.pv);
    let others = report.alternatives.iter().map(|line| (line.score, &line.pv));
    let lines = std::iter::once(best).chain(others);
    lines.map(|(score, pv)| cloud_line(position, score, pv)).collect()
}

fn cloud_line(position: &Position, score: Score, pv: &[Move]) -> CloudLine {
    let texts: Vec<_> = line_texts(position, pv, CastlingNotation::Chess960)
        .map(|(uci, _)| uci.0.as_str().to_owned())
        .collect();
    let white_score = if position.turn().is_white() { score } else { score.flip() };
    let (cp, mate) = match white_score {
        Score::Cp(value) => (Some(value), None),
        Score::Mate(moves) => (None, Some(moves)),
    };
    CloudLine { moves: texts.join(" "), cp, mate }
}
