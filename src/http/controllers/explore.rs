//! `GET /v1/explore`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::spawn_blocking;
use tracing::Span;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Schema;

use crate::analysis::{Edge, MOST_EDGES, Node, Remembered};
use crate::chess::forms::Instruction;
use crate::chess::{CastlingText, Outcome, Position, SanWriter, uci_text};
use crate::http::App;
use crate::http::dto::{
    Hex, MoveText, PositionRequest, PositionState, ScoreDto, instruction, or_null, varying,
    whole_ms,
};
use crate::http::json::{FromMembers, Members, Query, Written};
use crate::http::openapi::ExploreProblems;
use crate::http::problem::Problem;
use crate::http::state::{WALKS_AT_ONCE, WIDE_ANSWERS_AT_ONCE};
use crate::http::stream::held;

/// What a move takes while a walk is made and told: the walk's own, what memory knows of the
/// position, the answer's, and its text, which grows by doubling. A test compares.
const EDGE_BYTES: usize = 2_400;

/// What a move takes as text.
const TOLD_BYTES: usize = 640;

/// The most memory that walks and their answers take, in bytes.
pub(crate) const fn explore_bound() -> u64 {
    let bytes = (WALKS_AT_ONCE * EDGE_BYTES + WIDE_ANSWERS_AT_ONCE * TOLD_BYTES) * MOST_EDGES;
    (bytes as u64).next_multiple_of(1 << 20)
}

/// Where to look around, and how far.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = ExploreRequest)]
pub(crate) struct Explore {
    position: PositionRequest,
    /// How many moves deep, 1 to 3; behind positions that memory knows.
    #[schema(minimum = 1, maximum = 3, nullable = false, default = 1)]
    depth: Option<u64>,
}

impl FromMembers for Explore {
    fn read(members: &mut Members<'_>) -> Option<Explore> {
        let position = PositionRequest::read(members);
        let depth = members.optional_number("depth", 1..=3);
        Some(Explore { position: position?, depth })
    }
}

/// A position, and the moves that lead on from it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Explored {
    #[serde(flatten)]
    state: PositionState,
    /// What memory knows of this position; null for nothing.
    #[schema(required, schema_with = known_or_null)]
    known: Option<Known>,
    /// The legal moves, best first: those with a score before those without. Null where there is
    /// none.
    #[schema(required)]
    moves: Option<Vec<Way>>,
}

/// What memory knows of a position.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Known {
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
pub(crate) struct Way {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The same in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The 16-bit code.
    code: u16,
    /// The move as a reversible change of the list, as `POST /v1/play` has it.
    #[schema(schema_with = instruction)]
    instruction: Vec<Option<i16>>,
    /// The Zobrist key of the position after it, 16 hex digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{16}$")]
    key: Hex,
    /// Whether the game is over there.
    #[schema(value_type = String)]
    status: &'static str,
    /// What memory knows of that position; null for nothing.
    #[schema(required, schema_with = known_or_null)]
    known: Option<Known>,
    /// What the move is worth, from the view of the side that makes it; null when nothing is known.
    #[schema(required, schema_with = worth_or_null)]
    score: Option<ScoreDto>,
    /// The moves from there, when it was asked to look deeper and that position is known. Null
    /// where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion, required = false)]
    moves: Option<Option<Vec<Way>>>,
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
    responses((status = 200, description = "The moves.", body = Explored), ExploreProblems)
)]
pub(crate) async fn explore(
    State(app): State<App>,
    Query(request): Query<Explore>,
) -> Result<Response, Problem> {
    let resolved = request.position.resolve()?;
    let depth = request.depth.and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1);
    let service = app.service().await.clone();
    let wide_place = if depth > 1 { Some(app.wide_place().await?) } else { None };
    let walk_place = app.walk_place().await?;
    let span = Span::current();
    let told = spawn_blocking(move || {
        // Whoever has left meanwhile does not end it: the place is taken until it has an end.
        let _place = walk_place;
        span.in_scope(|| {
            let position = resolved.game.position();
            let node = service.explore(position, depth);
            serde_json::to_vec(&Explored::new(PositionState::from(&resolved), position, node))
        })
    });
    let mut told = told
        .await
        .map_err(|error| Problem::internal(&error))?
        .map_err(|error| Problem::internal(&error))?;
    let Some(place) = wide_place else { return Ok(Written(told).into_response()) };
    told.shrink_to_fit();
    let (head, _) = Written(Vec::new()).into_response().into_parts();
    Ok(Response::from_parts(head, held(told, place)))
}

impl Explored {
    fn new(state: PositionState, position: &Position, node: Node) -> Explored {
        let known = node.known.as_ref().map(Known::from);
        Explored { state, known, moves: node.edges.and_then(|edges| ways(position, edges)) }
    }
}

fn ways(position: &Position, edges: Vec<Edge>) -> Option<Vec<Way>> {
    let san = SanWriter::new(position);
    let way = |edge: Edge| {
        let Edge { mv, after, outcome, score, node: Node { known, edges } } = edge;
        Way {
            uci: MoveText(uci_text(position, mv, CastlingText::Standard)),
            san: MoveText(san.write(mv).text),
            code: mv.code(),
            instruction: Instruction::between(position, mv, &after).entries(),
            key: Hex(after.key()),
            status: Outcome::name(outcome),
            known: known.as_ref().map(Known::from),
            score: score.map(ScoreDto::from),
            moves: edges.map(|edges| ways(&after, edges)),
        }
    };
    (!edges.is_empty()).then(|| edges.into_iter().map(way).collect())
}

impl From<&Remembered> for Known {
    fn from(Remembered { report, age }: &Remembered) -> Known {
        Known {
            score: report.score.into(),
            depth: report.depth,
            nodes: report.nodes,
            age_ms: whole_ms(*age),
            source: "memory",
        }
    }
}

fn known_or_null() -> Schema {
    or_null::<Known>("What memory knows of the position; null for nothing.")
}

fn worth_or_null() -> Schema {
    or_null::<ScoreDto>(
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

    const LONGEST_LINE: usize = 128;

    #[test]
    fn a_move_takes_no_more_memory_than_is_counted() {
        let position = Position::from_fen(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        )
        .unwrap();
        let report = Arc::new(Report {
            score: Score::Cp(-30_000),
            wdl: Wdl::DRAWN,
            linear: None,
            pv: Vec::new(),
            depth: 100,
            seldepth: 100,
            nodes: u64::MAX,
            elapsed: Duration::ZERO,
            reason: StopReason::Depth,
            context_free: true,
            alternatives: Vec::new(),
        });
        let edge = |&mv: &Move| Edge {
            mv,
            after: position.after(mv),
            outcome: Outcome::Ongoing,
            score: Some(Score::Cp(-30_000)),
            node: Node {
                known: Some(Remembered {
                    report: report.clone(),
                    age: Duration::from_secs(1 << 32),
                }),
                edges: None,
            },
        };
        let ways = ways(&position, position.legal_moves().iter().map(edge).collect()).unwrap();
        let told = serde_json::to_string(&ways).unwrap().len() / ways.len();
        assert!(told <= TOLD_BYTES, "{told}");
        let known = size_of::<Report>() + LONGEST_LINE * size_of::<Move>();
        let instruction = 13 * size_of::<Option<i16>>();
        let edge = size_of::<Edge>() + known + size_of::<Way>() + instruction + 2 * TOLD_BYTES;
        assert!(edge <= EDGE_BYTES, "{edge}");
    }
}
