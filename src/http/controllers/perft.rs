//! `POST /v1/perft`: the number of legal move paths of a given length.

use axum::extract::State;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::analysis;
use crate::chess::{CastlingNotation, Move, Position, to_uci_inline};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{Clamped, Clamper, MoveText, PositionRequest, per_second, whole_ms};
use crate::http::json::{Json, Reply, request};
use crate::http::problem::{PerftProblems, Problem};
use crate::http::schema::varying;

request! {
    /// The position and the depth of the count.
    #[derive(Clone, Debug)]
    pub(crate) struct PerftRequest as "PerftRequest" {
        flatten position: PositionRequest,
        /// The depth in plies. A value above `perft_depth` of `GET /v1/limits` is clamped. Depth 0
        /// has one path.
        required depth: u64,
        /// Also return the count of each first move.
        defaulted divide: bool,
    }
}

/// The number of legal move paths.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PerftCount {
    /// The normalised FEN of the position after `moves`.
    fen: String,
    /// The depth of the count, in plies.
    depth: u8,
    /// The members that exceeded a cap and were clamped; empty if there were none.
    clamped: Vec<Clamped>,
    /// The number of paths. Repetition and the 50-move rule are ignored.
    nodes: u64,
    /// The duration of the count, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
    /// Paths per second.
    #[schema(schema_with = nps)]
    nps: u64,
    /// The number of paths by first move, in UCI. Only if the request sets `divide`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<std::collections::BTreeMap<String, u64>>)]
    divide: Option<Divide>,
}

/// The number of paths by first move.
#[derive(Clone, Debug)]
pub(crate) struct Divide(Vec<(MoveText, u64)>);

impl Divide {
    fn new(position: &Position, counts: Vec<(Move, u64)>) -> Divide {
        let uci = |mv| MoveText(to_uci_inline(position, mv, CastlingNotation::Standard));
        Divide(counts.into_iter().map(|(mv, nodes)| (uci(mv), nodes)).collect())
    }
}

impl Serialize for Divide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (mv, nodes) in &self.0 {
            map.serialize_entry(mv, nodes)?;
        }
        map.end()
    }
}

/// Count move paths
///
/// Returns the number of legal move paths of a given length, the standard test of move generators.
/// The request waits in the queue like a search.
#[utoipa::path(
    post,
    path = "/v1/perft",
    tag = "positions",
    request_body = PerftRequest,
    responses((status = 200, description = "The count.", body = PerftCount), PerftProblems)
)]
pub(crate) async fn perft(
    State(app): State<App>,
    caller: Caller,
    Json(request): Json<PerftRequest>,
) -> Result<Reply<PerftCount>, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let caps = app.caps();
    let mut clamper = Clamper::default();
    let depth = clamper.clamp("depth", request.depth, caps.perft_depth);
    let perft = analysis::PerftRequest {
        client: caller.client().clone(),
        position: position.clone(),
        depth,
        divide: request.divide,
        max_time: caps.perft_max,
    };
    let answer = app.service().await.perft(perft).await?;
    Ok(Reply(PerftCount {
        fen: position.fen(),
        depth,
        clamped: clamper.into_clamped(),
        nodes: answer.nodes,
        time_ms: whole_ms(answer.elapsed),
        nps: per_second(answer.nodes, answer.elapsed),
        divide: answer.divide.map(|counts| Divide::new(position, counts)),
    }))
}

fn time_ms() -> ObjectBuilder {
    varying("The duration of the count, in milliseconds.")
}

fn nps() -> ObjectBuilder {
    varying("Paths per second.")
}
