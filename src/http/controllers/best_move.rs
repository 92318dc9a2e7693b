//! `POST /v1/best-move`

mod request;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use self::request::BestMove;
use crate::analysis::{Answer, MemoryVerdict, Reason, Source};
use crate::chess::{CastlingText, Move, Position, SanWriter, uci_text};
use crate::http::App;
use crate::http::dto::{Clamped, MoveText, PositionState, ScoreDto, WdlDto, names_of, varying};
use crate::http::json::{Json, Reply};
use crate::http::layers::Timing;
use crate::http::openapi::SearchProblems;
use crate::http::problem::Problem;

/// The best move of a position, and what is known of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct BestMoveAnswer {
    #[serde(flatten)]
    state: PositionState,
    /// The best move in UCI; null when the game is over.
    #[schema(required, value_type = Option<String>)]
    best_move: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    best_move_san: Option<MoveText>,
    /// The answer that is expected to it, in UCI; null when none is known.
    #[schema(required, value_type = Option<String>)]
    ponder: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    ponder_san: Option<MoveText>,
    /// From the side to move's view.
    score: ScoreDto,
    /// What the score means in games.
    wdl: WdlDto,
    /// The expected line in UCI. A mate's ends in mate.
    #[schema(value_type = Vec<String>)]
    pv: Vec<MoveText>,
    /// The same in SAN.
    #[schema(value_type = Vec<String>)]
    pv_san: Vec<MoveText>,
    /// Iterations finished, in plies, of the search that found it.
    depth: u8,
    /// The greatest number of plies that it reached.
    seldepth: u8,
    /// Moves that it made.
    nodes: u64,
    /// How long it took, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
    /// Nodes a second.
    #[schema(schema_with = nps)]
    nps: u64,
    /// Why the search stopped; from memory, the asked limit that the entry satisfies.
    #[schema(schema_with = reasons)]
    reason: &'static str,
    /// Where the answer comes from.
    #[schema(schema_with = sources)]
    source: &'static str,
    /// With memory, how long it is known, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = age_ms, required = false)]
    age_ms: Option<u64>,
    /// Why memory did or did not answer.
    #[schema(schema_with = verdicts)]
    memory: &'static str,
    /// The answer came from a search that another request had started.
    shared: bool,
    /// What was asked beyond a cap; empty when nothing was.
    clamped: Vec<Clamped>,
}

/// The best move
///
/// Answers from memory when what is known is enough, else searches until the first of the limits asked, or for
/// `search.default_movetime_ms` when none is. Equal requests share one search. A search of several threads waits for as many workers. A request whose client leaves stops its search.
#[utoipa::path(
    post,
    path = "/v1/best-move",
    tag = "analysis",
    request_body = BestMove,
    responses(
        (
            status = 200,
            description = "The best move; with `reason` `terminal` none, because the game is over.",
            body = BestMoveAnswer,
            headers(("Server-Timing" = String, description = "`queue;dur=…, search;dur=…, total;dur=…` in milliseconds; on every answer of this route.")),
        ),
        SearchProblems,
    )
)]
pub(crate) async fn best_move(State(app): State<App>, Json(request): Json<BestMove>) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let state = PositionState::from(&resolved);
    let position = resolved.game.position().clone();
    let (request, clamped) = request.clamp(resolved.game, app.caps());
    let answer = app.service().await.best_move(request).await?;
    let timing = Timing { queue: answer.queued, search: answer.searched };
    let mut response = Reply(BestMoveAnswer::new(state, &position, &answer, clamped)).into_response();
    response.extensions_mut().insert(timing);
    Ok(response)
}

impl BestMoveAnswer {
    fn new(state: PositionState, position: &Position, answer: &Answer, clamped: Vec<Clamped>) -> BestMoveAnswer {
        let report = &answer.report;
        let (pv, pv_san): (Vec<_>, Vec<_>) = line(position, &report.pv).unzip();
        BestMoveAnswer {
            state,
            best_move: pv.first().copied(),
            best_move_san: pv_san.first().copied(),
            ponder: pv.get(1).copied(),
            ponder_san: pv_san.get(1).copied(),
            score: report.score.into(),
            wdl: report.wdl.into(),
            pv,
            pv_san,
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time_ms: super::whole_ms(report.elapsed),
            nps: super::per_second(report.nodes, report.elapsed),
            reason: answer.reason.name(),
            source: answer.source.name(),
            age_ms: match answer.source {
                Source::Memory { age } => Some(super::whole_ms(age)),
                Source::Search => None,
            },
            memory: answer.memory.name(),
            shared: answer.shared,
            clamped,
        }
    }
}

/// A line of legal moves from a position, each in UCI and in SAN.
fn line(start: &Position, moves: &[Move]) -> impl Iterator<Item = (MoveText, MoveText)> {
    let mut position = start.clone();
    moves.iter().map(move |&mv| {
        let texts = (uci_text(&position, mv, CastlingText::Standard), SanWriter::new(&position).write(mv).text);
        position = position.after(mv);
        (MoveText(texts.0), MoveText(texts.1))
    })
}

fn time_ms() -> ObjectBuilder {
    varying("How long the search took, in milliseconds.")
}

fn nps() -> ObjectBuilder {
    varying("Nodes a second.")
}

fn age_ms() -> ObjectBuilder {
    varying("With memory, how long it is known, in milliseconds.")
}

fn reasons() -> ObjectBuilder {
    let all =
        [Reason::Depth, Reason::Nodes, Reason::Time, Reason::Mate, Reason::Terminal, Reason::Stopped, Reason::Shutdown];
    names_of("Why the search stopped; from memory, the asked limit that the entry satisfies.", all.map(Reason::name))
}

fn sources() -> ObjectBuilder {
    names_of("Where the answer comes from.", ["search", "memory"])
}

fn verdicts() -> ObjectBuilder {
    let all = [
        MemoryVerdict::Hit,
        MemoryVerdict::Unknown,
        MemoryVerdict::Shallow,
        MemoryVerdict::History,
        MemoryVerdict::FiftyMoves,
        MemoryVerdict::NotAsked,
    ];
    names_of("Why memory did or did not answer.", all.map(MemoryVerdict::name))
}
