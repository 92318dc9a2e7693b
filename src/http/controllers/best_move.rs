//! `POST` and `GET /v1/best-move`: the best move of a position.

use std::num::NonZeroU64;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::analysis::{AnalysisRequest, Answer, Client};
use crate::chess::{CastlingNotation, Game, Position};
use crate::engine::StrengthLimit;
use crate::http::access::Caller;
use crate::http::controllers::tablebase::searched_entry;
use crate::http::dto::{
    BestMove, Clamped, MoveText, PositionRequest, PositionState, Pov, ScoreDto, SearchRequest,
    SearchStats, WdlDto, line_texts, score_or_null, wdl_or_null,
};
use crate::http::json::{Json, Members, NumberIn, Query, Reply, request};
use crate::http::middleware::ServerTiming;
use crate::http::problem::{MemberErrorCode, Problem, QueryProblems, SearchProblems};
use crate::http::{App, Caps};

request! {
    /// A position to search and the limits of the search. The search stops at the first limit that
    /// it reaches. A value above a cap of `GET /v1/limits` is clamped. The cap on `movetime_ms`
    /// also ends a search without `movetime_ms`, with the reason `time`.
    #[derive(Clone, Debug)]
    #[validate(check_elo(elo, search))]
    pub(crate) struct BestMoveRequest as "BestMoveRequest" {
        flatten pub(super) position: PositionRequest,
        flatten pub(super) search: SearchRequest,
        /// Play like a weaker player of this strength, in Elo. The search has one thread and few
        /// nodes, from 18 at 800 Elo to 300,000 at 2,800, so that it may end before `depth` or
        /// `movetime_ms` with the reason `nodes`. The move is drawn from the best ones. Such a
        /// request neither reads nor writes the evaluation cache. Can't be combined with `mate` or
        /// `fresh`.
        optional pub(super) elo: Elo,
    }
}

/// The strength of a weaker player.
type Elo = NumberIn<{ *StrengthLimit::ELO.start() as u64 }, { *StrengthLimit::ELO.end() as u64 }>;

fn check_elo(members: &mut Members<'_>, elo: Option<&Option<Elo>>, search: Option<&SearchRequest>) {
    let (Some(Some(_)), Some(search)) = (elo, search) else { return };
    let excluded = [("mate", search.mate.is_some()), ("fresh", search.fresh)];
    for (name, _) in excluded.into_iter().filter(|(_, is_given)| *is_given) {
        let detail = format!("elo and {name} can't both be given");
        members.add_error(MemberErrorCode::Conflict, "elo", detail);
    }
}

/// The best move of a position, with its score and principal variation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct BestMoveAnswer {
    #[serde(flatten)]
    state: PositionState,
    #[serde(flatten)]
    best_move: BestMove,
    /// The score from the point of view of `pov`. Null if the search was replaced before it found
    /// anything.
    #[schema(required, schema_with = score_or_null)]
    score: Option<ScoreDto>,
    /// The win, draw and loss chances of the score, from the same point of view. Null if `score` is
    /// null.
    #[schema(required, schema_with = wdl_or_null)]
    wdl: Option<WdlDto>,
    /// The principal variation in UCI. The line of a mate ends with the mate.
    #[schema(value_type = Vec<String>)]
    pv: Vec<MoveText>,
    /// The principal variation in SAN.
    #[schema(value_type = Vec<String>)]
    pv_san: Vec<MoveText>,
    #[serde(flatten)]
    stats: SearchStats,
}

/// Find the best move
///
/// Returns a result from the evaluation cache if it satisfies the limits. Otherwise the server
/// searches until the first limit, or for the default of `movetime_ms` if the request has no limit.
/// Equal requests share one search. A search with several threads waits until as many workers are
/// free. The search stops if its client disconnects.
#[utoipa::path(
    post,
    path = "/v1/best-move",
    tag = "analysis",
    request_body = BestMoveRequest,
    responses(
        (
            status = 200,
            description = "The best move. With the `reason` `terminal` there is none, because the \
                game is over.",
            body = BestMoveAnswer,
            headers(("Server-Timing" = String, description = "`queue;dur=…, search;dur=…, \
                total;dur=…` in milliseconds, on every response of this route.")),
        ),
        SearchProblems,
    )
)]
pub(crate) async fn best_move(
    State(app): State<App>,
    caller: Caller,
    Json(request): Json<BestMoveRequest>,
) -> Result<Response, Problem> {
    respond(&app, &caller, request).await
}

/// Show the best move
///
/// Takes the request of `POST /v1/best-move` as a query and gives the same response. A user can
/// paste such a link into a browser.
#[utoipa::path(
    get,
    path = "/v1/best-move",
    tag = "analysis",
    params(BestMoveRequest),
    responses(
        (
            status = 200,
            description = "The best move. With the `reason` `terminal` there is none, because the \
                game is over.",
            body = BestMoveAnswer,
            headers(
                ("Server-Timing" = String, description = "`queue;dur=…, search;dur=…, \
                    total;dur=…` in milliseconds, on every response of this route."),
                ("Cache-Control" = String, description = "`no-store`"),
            ),
        ),
        QueryProblems,
    )
)]
pub(crate) async fn show_best_move(
    State(app): State<App>,
    caller: Caller,
    Query(request): Query<BestMoveRequest>,
) -> Result<Response, Problem> {
    let mut response = respond(&app, &caller, request).await?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn respond(
    app: &App,
    caller: &Caller,
    request: BestMoveRequest,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let state = PositionState::from(&resolved);
    let position = resolved.game.position().clone();
    let pov = request.search.pov;
    let (request, clamped) = request.clamp(None, resolved.game, caller.client(), app.caps());
    let service = app.service().await;
    // The search starts first, so that requests of a session keep their order.
    let entry = searched_entry(app, caller.client(), &position);
    let (answer, tablebase) = tokio::join!(biased; service.best_move(request), entry);
    let answer = answer?;
    let timing = ServerTiming { queue: answer.queued, search: answer.searched };
    let stats = SearchStats::new(&answer, tablebase, clamped);
    let mut response =
        Reply(BestMoveAnswer::new(state, &position, pov, &answer, stats)).into_response();
    response.extensions_mut().insert(timing);
    Ok(response)
}

impl BestMoveRequest {
    /// Clamps the limits and the number of lines to the caps. Returns the request to the service
    /// and the clamped members.
    pub(super) fn clamp(
        self,
        multipv: Option<NonZeroU64>,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let Some(elo) = self.elo else { return self.search.clamp(multipv, game, client, caps) };
        // A search of limited strength uses one thread.
        let caps = Caps { threads: 1, ..caps.clone() };
        let (request, clamped) = self.search.clamp(multipv, game, client, &caps);
        let strength = StrengthLimit::new(u16::try_from(elo.get()).unwrap_or(u16::MAX));
        (request.with_strength(strength), clamped)
    }
}

impl BestMoveAnswer {
    pub(crate) fn new(
        state: PositionState,
        position: &Position,
        pov: Pov,
        answer: &Answer,
        stats: SearchStats,
    ) -> BestMoveAnswer {
        let (report, turn) = (&answer.report, position.turn());
        let (pv, pv_san): (Vec<_>, Vec<_>) =
            line_texts(position, &report.pv, CastlingNotation::Standard).unzip();
        BestMoveAnswer {
            state,
            best_move: BestMove::from_line(pv.iter().copied().zip(pv_san.iter().copied())),
            score: answer.has_result().then(|| pov.score(report.score, turn)),
            wdl: answer.has_result().then(|| pov.wdl(report.wdl, turn)),
            pv,
            pv_san,
            stats,
        }
    }
}
