//! `GET /v1/explore`

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Schema;

use crate::analysis::{Edge, Node, Remembered};
use crate::chess::forms::Instruction;
use crate::chess::{CastlingText, Outcome, Position, SanWriter, uci_text};
use crate::http::App;
use crate::http::dto::{Hex, MoveText, PositionRequest, PositionState, ScoreDto, instruction, or_null, varying, whole_ms};
use crate::http::json::{FromMembers, Members, Query, Reply};
use crate::http::openapi::PositionQueryProblems;
use crate::http::problem::Problem;

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
    /// The legal moves, best first: those with a score before those without. Null where there is none.
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
    /// The moves from there, when it was asked to look deeper and that position is known. Null where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion, required = false)]
    moves: Option<Option<Vec<Way>>>,
}

/// Look around
///
/// The graph of positions: every legal move with what memory knows of the position behind it, best first. Of a bare position, without
/// its history; nothing is searched.
#[utoipa::path(
    get,
    path = "/v1/explore",
    tag = "analysis",
    responses((status = 200, description = "The moves.", body = Explored), PositionQueryProblems)
)]
pub(crate) async fn explore(State(app): State<App>, Query(request): Query<Explore>) -> Result<Reply<Explored>, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let depth = request.depth.and_then(|depth| u32::try_from(depth).ok()).unwrap_or(1);
    let node = app.service().await.explore(position, depth);
    Ok(Reply(Explored {
        state: PositionState::from(&resolved),
        known: node.known.as_ref().map(Known::from),
        moves: node.edges.and_then(|edges| ways(position, edges)),
    }))
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
    or_null::<ScoreDto>("What the move is worth, from the view of the side that makes it; null when nothing is known.")
}

fn age_ms() -> ObjectBuilder {
    varying("How long it is known, in milliseconds.")
}
