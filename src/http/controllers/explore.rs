//! `GET /v1/explore`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::spawn_blocking;
use tracing::Span;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Schema;

use crate::analysis::{CachedAnalysis, GraphEdge, GraphNode, MAX_EDGES};
use crate::chess::encodings::ReversibleMove;
use crate::chess::{CastlingNotation, Outcome, Position, SanWriter, to_uci_inline};
use crate::http::App;
use crate::http::caps::{MAX_CONCURRENT_DEEP_EXPLORES, MAX_CONCURRENT_EXPLORES};
use crate::http::dto::{Hex, MoveText, PositionRequest, PositionState, ScoreDto, whole_ms};
use crate::http::json::{FromMembers, JsonBytes, Members, Query};
use crate::http::problem::{ExploreProblems, Problem};
use crate::http::schema::{ref_or_null, reversible_move, varying};
use crate::http::stream::body_with_permit;

/// What a move takes while a walk is made and told: the walk's own, what memory knows of the
/// position, the answer's, and its text, which grows by doubling. A test compares.
const EDGE_MEMORY_BYTES: usize = 2_400;

/// What a move takes as text.
const EDGE_JSON_BYTES: usize = 640;

/// The most memory that walks and their answers take, in bytes.
pub(crate) const fn explore_memory_bound() -> u64 {
    let bytes = (MAX_CONCURRENT_EXPLORES * EDGE_MEMORY_BYTES
        + MAX_CONCURRENT_DEEP_EXPLORES * EDGE_JSON_BYTES)
        * MAX_EDGES;
    (bytes as u64).next_multiple_of(1 << 20)
}

/// Where to look around, and how far.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = ExploreRequest)]
pub(crate) struct ExploreRequest {
    position: PositionRequest,
    /// How many moves deep, 1 to 3; behind positions that memory knows.
    #[schema(minimum = 1, maximum = 3, nullable = false, default = 1)]
    depth: Option<u64>,
}

impl FromMembers for ExploreRequest {
    fn read(members: &mut Members<'_>) -> Option<ExploreRequest> {
        let position = PositionRequest::read(members);
        let depth = members.optional_number("depth", 1..=3);
        Some(ExploreRequest { position: position?, depth })
    }
}

/// A position, and the moves that lead on from it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ExploredPosition {
    #[serde(flatten)]
    state: PositionState,
    /// What memory knows of this position; null for nothing.
    #[schema(required, schema_with = cached_or_null)]
    known: Option<CachedEvaluation>,
    /// The legal moves, best first: those with a score before those without. Null where there is
    /// none.
    #[schema(required)]
    moves: Option<Vec<ExploredMove>>,
}

/// What memory knows of a position.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct CachedEvaluation {
    /// From the view of the side to move there.
    score: ScoreDto,
    /// Iterations finished, in plies.
    depth: u8,
    /// Moves that the search made.
    nodes: u64,
    /// How long it is known, in milliseconds.
    #[schema(schema_with = age_ms)]
    age_ms: u64,
    /// `memory`
    source: &'static str,
}

/// A legal move, and where it leads.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ExploredMove {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The same in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The 16-bit code.
    code: u16,
    /// The move as a reversible change of the list, as `POST /v1/play` has it.
    #[schema(schema_with = reversible_move)]
    instruction: Vec<Option<i16>>,
    /// The Zobrist key of the position after it, 16 hex digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    key: Hex,
    /// Whether the game is over there.
    #[schema(value_type = String)]
    status: &'static str,
    /// What memory knows of that position; null for nothing.
    #[schema(required, schema_with = cached_or_null)]
    known: Option<CachedEvaluation>,
    /// What the move is worth, from the view of the side that makes it; null when nothing is known.
    #[schema(required, schema_with = move_score_or_null)]
    score: Option<ScoreDto>,
    /// The moves from there, when it was asked to look deeper and that position is known. Null
    /// where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion, required = false)]
    moves: Option<Option<Vec<ExploredMove>>>,
}

/// Look around
///
/// The graph of positions: every legal move with what memory knows of the position behind it, best
/// first. Of a bare position, without its history; nothing is searched. Two such walks are made at
/// once, and four answers at once that go deeper than one move are made or wait to be read; who
/// asks then waits, and is answered 503 `queue_full` when it takes as long as a body may.
#[utoipa::path(
    get,
    path = "/v1/explore",
    tag = "analysis",
    responses((status = 200, description = "The moves.", body = ExploredPosition), ExploreProblems)
)]
pub(crate) async fn explore(
    State(app): State<App>,
    Query(request): Query<ExploreRequest>,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let depth = request.depth.and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1);
    let service = app.service().await.clone();
    let wide_permit = if depth > 1 { Some(app.deep_explore_permit().await?) } else { None };
    let walk_permit = app.explore_permit().await?;
    let span = Span::current();
    let task = spawn_blocking(move || {
        // Whoever has left meanwhile does not end it: the place is taken until it has an end.
        let _permit = walk_permit;
        span.in_scope(|| {
            let position = resolved.game.position();
            let node = service.explore(position, depth);
            serde_json::to_vec(&ExploredPosition::new(
                PositionState::from(&resolved),
                position,
                node,
            ))
        })
    });
    let mut json = task
        .await
        .map_err(|error| Problem::internal(&error))?
        .map_err(|error| Problem::internal(&error))?;
    let Some(permit) = wide_permit else { return Ok(JsonBytes(json).into_response()) };
    json.shrink_to_fit();
    let (parts, _) = JsonBytes(Vec::new()).into_response().into_parts();
    Ok(Response::from_parts(parts, body_with_permit(json, permit)))
}

impl ExploredPosition {
    fn new(state: PositionState, position: &Position, node: GraphNode) -> ExploredPosition {
        let known = node.cached.as_ref().map(CachedEvaluation::from);
        ExploredPosition {
            state,
            known,
            moves: node.edges.and_then(|edges| explored_moves(position, edges)),
        }
    }
}

fn explored_moves(position: &Position, edges: Vec<GraphEdge>) -> Option<Vec<ExploredMove>> {
    let san = SanWriter::new(position);
    let explored_move = |edge: GraphEdge| {
        let GraphEdge { mv, after, outcome, score, node: GraphNode { cached: known, edges } } =
            edge;
        ExploredMove {
            uci: MoveText(to_uci_inline(position, mv, CastlingNotation::Standard)),
            san: MoveText(san.write(mv).text),
            code: mv.code(),
            instruction: ReversibleMove::from_positions(position, mv, &after).entries(),
            key: Hex(after.key()),
            status: Outcome::name(outcome),
            known: known.as_ref().map(CachedEvaluation::from),
            score: score.map(ScoreDto::from),
            moves: edges.map(|edges| explored_moves(&after, edges)),
        }
    };
    (!edges.is_empty()).then(|| edges.into_iter().map(explored_move).collect())
}

impl From<&CachedAnalysis> for CachedEvaluation {
    fn from(CachedAnalysis { report, age }: &CachedAnalysis) -> CachedEvaluation {
        CachedEvaluation {
            score: report.score.into(),
            depth: report.depth,
            nodes: report.nodes,
            age_ms: whole_ms(*age),
            source: "memory",
        }
    }
}

fn cached_or_null() -> Schema {
    ref_or_null::<CachedEvaluation>("What memory knows of the position; null for nothing.")
}

fn move_score_or_null() -> Schema {
    ref_or_null::<ScoreDto>(
        "What the move is worth, from the view of the side that makes it; null when nothing is known.",
    )
}

fn age_ms() -> ObjectBuilder {
    varying("How long it is known, in milliseconds.")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::chess::Move;
    use crate::engine::{Report, Score, StopReason, Wdl};

    const MAX_PV_MOVES: usize = 128;

    #[test]
    fn a_move_takes_no_more_memory_than_is_counted() {
        let position = Position::from_fen(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        )
        .unwrap();
        let report = Arc::new(Report {
            score: Score::Cp(-30_000),
            wdl: Wdl::DRAWN,
            raw_score: None,
            pv: Vec::new(),
            depth: 100,
            seldepth: 100,
            nodes: u64::MAX,
            elapsed: Duration::ZERO,
            reason: StopReason::Depth,
            history_independent: true,
            alternatives: Vec::new(),
        });
        let edge = |&mv: &Move| GraphEdge {
            mv,
            after: position.after(mv),
            outcome: Outcome::Ongoing,
            score: Some(Score::Cp(-30_000)),
            node: GraphNode {
                cached: Some(CachedAnalysis {
                    report: report.clone(),
                    age: Duration::from_secs(1 << 32),
                }),
                edges: None,
            },
        };
        let moves =
            explored_moves(&position, position.legal_moves().iter().map(edge).collect()).unwrap();
        let json_bytes = serde_json::to_string(&moves).unwrap().len() / moves.len();
        assert!(json_bytes <= EDGE_JSON_BYTES, "{json_bytes}");
        let report_bytes = size_of::<Report>() + MAX_PV_MOVES * size_of::<Move>();
        let instruction_bytes = 13 * size_of::<Option<i16>>();
        let edge_bytes = size_of::<GraphEdge>()
            + report_bytes
            + size_of::<ExploredMove>()
            + instruction_bytes
            + 2 * EDGE_JSON_BYTES;
        assert!(edge_bytes <= EDGE_MEMORY_BYTES, "{edge_bytes}");
    }
}
