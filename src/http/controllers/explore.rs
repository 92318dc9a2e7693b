//! `GET /v1/explore`: the graph of cached evaluations around a position.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::spawn_blocking;
use tracing::Span;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Schema;

use crate::analysis::{CachedAnalysis, GraphEdge, GraphNode, MAX_EDGES};
use crate::chess::encodings::UndoableMove;
use crate::chess::{CastlingNotation, Outcome, Position, SanWriter, to_uci_inline};
use crate::http::App;
use crate::http::caps::{MAX_CONCURRENT_DEEP_EXPLORES, MAX_CONCURRENT_EXPLORES};
use crate::http::dto::{
    Hex, MoveText, OpeningDto, PositionRequest, PositionState, ResolvedPosition, ScoreDto,
    opening_or_null, whole_ms,
};
use crate::http::json::{JsonBytes, NumberIn, Query, request};
use crate::http::problem::{ExploreProblems, Problem};
use crate::http::request_memory::AccountedBody;
use crate::http::schema::{ref_or_null, undoable_move, varying};
use crate::http::stream::body_with_permit;

/// The memory of one move during a request, in bytes: its graph edge, the cached report, its DTO,
/// and its JSON in a buffer that grows by doubling. A test checks it.
const EDGE_MEMORY_BYTES: usize = 2_400;

/// The length of one move as JSON, in bytes.
const EDGE_JSON_BYTES: usize = 640;

/// The upper bound of the memory of all explore requests and their responses, in bytes.
pub(crate) const fn explore_memory_bound() -> u64 {
    let bytes = (MAX_CONCURRENT_EXPLORES * EDGE_MEMORY_BYTES
        + MAX_CONCURRENT_DEEP_EXPLORES * EDGE_JSON_BYTES)
        * MAX_EDGES;
    (bytes as u64).next_multiple_of(1 << 20)
}

request! {
    /// The position to explore, and the depth.
    #[derive(Clone, Debug)]
    pub(crate) struct ExploreRequest as "ExploreRequest" {
        flatten position: PositionRequest,
        /// The depth in moves, 1 to 3. Only positions in the evaluation cache are explored further.
        optional depth: NumberIn<1, 3> = 1,
    }
}

/// A position and its legal moves, with cached evaluations.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ExploredPosition {
    #[serde(flatten)]
    state: PositionState,
    /// The opening: the name of the last position that has one.
    #[schema(required, schema_with = opening_or_null)]
    opening: Option<OpeningDto>,
    /// The cached evaluation of this position; null if there is none.
    #[schema(required, schema_with = cached_or_null)]
    known: Option<CachedEvaluation>,
    /// The legal moves, best first. Moves without a score come last. Null if there is no legal
    /// move.
    #[schema(required)]
    moves: Option<Vec<ExploredMove>>,
}

/// An entry of the evaluation cache.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct CachedEvaluation {
    /// The score from the point of view of the side to move in that position.
    score: ScoreDto,
    /// The depth of the search, in plies.
    depth: u8,
    /// The number of searched nodes.
    nodes: u64,
    /// The age of the entry, in milliseconds.
    #[schema(schema_with = age_ms)]
    age_ms: u64,
    /// Always `memory`: the evaluation cache.
    source: &'static str,
}

/// A legal move and the position after it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ExploredMove {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move as a 16-bit code.
    code: u16,
    /// The move as a reversible change of the view `list`, as in `POST /v1/play`.
    #[schema(schema_with = undoable_move)]
    instruction: Vec<Option<i16>>,
    /// The Zobrist key of the position after the move, 16 hex digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    key: Hex,
    /// The game status after the move.
    #[schema(value_type = String)]
    status: &'static str,
    /// The cached evaluation of the position after the move; null if there is none.
    #[schema(required, schema_with = cached_or_null)]
    known: Option<CachedEvaluation>,
    /// The score of the move, from the point of view of the side that makes it. Null if there is no
    /// cached evaluation.
    #[schema(required, schema_with = move_score_or_null)]
    score: Option<ScoreDto>,
    /// The moves of the position after the move, if `depth` includes them and that position is in
    /// the evaluation cache. Null if there is no legal move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion, required = false)]
    moves: Option<Option<Vec<ExploredMove>>>,
}

/// Explore cached evaluations
///
/// Returns every legal move with the cached evaluation of the position after it, best first. The
/// history of the position has no influence on them. The server searches nothing.
///
/// The server handles at most two such requests at once. At most four responses deeper than one
/// move can be in preparation or unread. Further requests wait, for at most the time limit of a
/// request body, and then get 503 `queue_full`.
#[utoipa::path(
    get,
    path = "/v1/explore",
    tag = "analysis",
    params(ExploreRequest),
    responses((status = 200, description = "The moves.", body = ExploredPosition), ExploreProblems)
)]
pub(crate) async fn explore(
    State(app): State<App>,
    Query(request): Query<ExploreRequest>,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let depth = request.depth.map_or(1, |depth| depth.get() as u32);
    let service = app.service().await.clone();
    let deep_permit = if depth > 1 { Some(app.deep_explore_permit().await?) } else { None };
    let walk_permit = app.explore_permit().await?;
    let span = Span::current();
    let task = spawn_blocking(move || {
        // The walk continues if the client disconnects, so the task holds the permit to its end.
        let _permit = walk_permit;
        span.in_scope(|| {
            let node = service.explore(resolved.game.position(), depth);
            serde_json::to_vec(&ExploredPosition::new(&resolved, node))
        })
    });
    let mut json = task
        .await
        .map_err(|error| Problem::internal(&error))?
        .map_err(|error| Problem::internal(&error))?;
    let Some(permit) = deep_permit else { return Ok(JsonBytes(json).into_response()) };
    json.shrink_to_fit();
    let (parts, _) = JsonBytes(Vec::new()).into_response().into_parts();
    let mut response = Response::from_parts(parts, body_with_permit(json, permit));
    response.extensions_mut().insert(AccountedBody);
    Ok(response)
}

impl ExploredPosition {
    fn new(resolved: &ResolvedPosition, node: GraphNode) -> ExploredPosition {
        let game = &resolved.game;
        ExploredPosition {
            state: PositionState::from(resolved),
            opening: OpeningDto::of_game(game),
            known: node.cached.as_ref().map(CachedEvaluation::from),
            moves: node.edges.and_then(|edges| explored_moves(game.position(), edges)),
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
            instruction: UndoableMove::from_positions(position, mv, &after).entries(),
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
    ref_or_null::<CachedEvaluation>("The cached evaluation of the position; null if there is none.")
}

fn move_score_or_null() -> Schema {
    ref_or_null::<ScoreDto>(
        "The score of the move, from the point of view of the side that makes it. Null if there is \
            no cached evaluation.",
    )
}

fn age_ms() -> ObjectBuilder {
    varying("The age of the entry, in milliseconds.")
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
    fn a_move_uses_no_more_memory_than_the_bound_assumes() {
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
            tb_hits: 0,
            is_ranked_by_tablebase: false,
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
