//! `GET /api/s/v2.php`: searches in the format of stockfish.online, for its unmodified clients.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::analysis::{AnalysisError, AnalysisRequest, PriorityClass};
use crate::chess::{CastlingNotation, Game, Position};
use crate::engine::{Limits, Report, Score, SearchOptions};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{line_texts, resolve_fen};
use crate::http::json::{FromMembers, LenientNumber, Members, Query, Reply};
use crate::http::problem::{Problem, ProblemCode, StockfishOnlineProblems};

const DEFAULT_DEPTH: u16 = 12;

/// The documented maximum of stockfish.online.
const MAX_DEPTH: u16 = 15;

/// A position to search, in the format of stockfish.online.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct StockfishOnlineRequest {
    /// The position: a FEN, or `startpos`.
    fen: String,
    /// The maximum depth in plies, 1 to 15. The default is 12.
    #[param(nullable = false, value_type = Option<i64>)]
    depth: Option<LenientNumber>,
}

/// A response in the format of stockfish.online.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema only; each response is serialized by itself")]
pub(crate) enum StockfishOnlineAnswer {
    BestMove(StockfishOnlineMove),
    Failure(StockfishOnlineFailure),
}

/// A best move in the format of stockfish.online. Scores are from White's point of view.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StockfishOnlineMove {
    /// `true`
    success: bool,
    /// The score in pawns. Null if a mate is known.
    #[schema(required)]
    evaluation: Option<f64>,
    /// The number of moves to mate; negative if White is mated. Null if no mate is known.
    #[schema(required)]
    mate: Option<i32>,
    /// The best move in the words of UCI: `bestmove b7b6 ponder f3e5`.
    bestmove: String,
    /// The best moves in UCI, separated by spaces.
    continuation: String,
}

/// Bad input in the format of stockfish.online.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StockfishOnlineFailure {
    /// `false`
    success: bool,
    /// A description of the error.
    data: String,
}

impl FromMembers for StockfishOnlineRequest {
    fn read(members: &mut Members<'_>) -> Option<StockfishOnlineRequest> {
        let fen = members.required("fen");
        let depth = members.valid_or_absent("depth");
        members.ignore_rest();
        Some(StockfishOnlineRequest { fen: fen?, depth: depth? })
    }
}

/// Find the best move as on stockfish.online
///
/// Returns the best move in the format of <https://stockfish.online/api/s/v2.php>. The server
/// ignores unknown parameters and clamps `depth` to its range. Bad input gets the status 200 with
/// `"success": false`. Every other refusal is a problem, as on each route.
#[utoipa::path(
    get,
    path = "/api/s/v2.php",
    tag = "compat",
    params(StockfishOnlineRequest),
    responses(
        (status = 200, description = "The best move, or an error.", body = StockfishOnlineAnswer),
        StockfishOnlineProblems,
    )
)]
pub(crate) async fn stockfish_online(
    State(app): State<App>,
    caller: Caller,
    query: Result<Query<StockfishOnlineRequest>, Problem>,
) -> Result<Response, Problem> {
    let read = query.and_then(|Query(query)| Ok((query.game()?, query.max_depth())));
    let (game, depth) = match read {
        Ok(read) => read,
        Err(problem) => return failure(problem),
    };
    if game.outcome().is_over() {
        let data = "the game is over in this position; there is no move".to_owned();
        return Ok(Reply(StockfishOnlineFailure { success: false, data }).into_response());
    }
    let position = game.position().clone();
    let request = AnalysisRequest {
        game,
        limits: Limits { depth: Some(depth.min(app.caps().depth)), ..Limits::default() },
        options: SearchOptions::default(),
        fresh: false,
        client: caller.client().clone(),
        class: PriorityClass::Interactive,
        session: None,
        strength: None,
    };
    let answer = app.service().await.best_move(request).await?;
    if answer.report.pv.is_empty() {
        // Only a shutdown ends a search before it has found a move.
        return Err(AnalysisError::shutting_down().into());
    }
    Ok(Reply(StockfishOnlineMove::new(&position, &answer.report)).into_response())
}

/// The answer to bad input.
///
/// # Errors
/// The problem, if it is another one.
fn failure(problem: Problem) -> Result<Response, Problem> {
    match problem.code() {
        ProblemCode::MalformedQuery | ProblemCode::InvalidRequest | ProblemCode::InvalidFen => {
            let data = problem.detail().to_owned();
            Ok(Reply(StockfishOnlineFailure { success: false, data }).into_response())
        }
        _ => Err(problem),
    }
}

impl StockfishOnlineRequest {
    fn game(&self) -> Result<Game, Problem> {
        Ok(Game::new(resolve_fen(&self.fen)?.position))
    }

    fn max_depth(&self) -> u8 {
        let depth = self.depth.map_or(DEFAULT_DEPTH, |depth| depth.clamped(1, MAX_DEPTH));
        u8::try_from(depth).unwrap_or(u8::MAX)
    }
}

impl StockfishOnlineMove {
    fn new(position: &Position, report: &Report) -> StockfishOnlineMove {
        let score = report.score;
        let white_score = if position.turn().is_white() { score } else { score.flip() };
        let (evaluation, mate) = match white_score {
            Score::Cp(value) => (Some(f64::from(value) / 100.0), None),
            Score::Mate(moves) => (None, Some(moves)),
        };
        let moves: Vec<_> = line_texts(position, &report.pv, CastlingNotation::Standard)
            .map(|(uci, _)| uci.0.as_str().to_owned())
            .collect();
        let bestmove = match moves.as_slice() {
            [best, ponder, ..] => format!("bestmove {best} ponder {ponder}"),
            moves => format!("bestmove {}", moves.concat()),
        };
        StockfishOnlineMove {
            success: true,
            evaluation,
            mate,
            bestmove,
            continuation: moves.join(" "),
        }
    }
}
