//! `POST` and `GET /v1/tablebase`: a position and its moves by tablebase.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::analysis::Client;
use crate::chess::{CastlingNotation, Position, SanWriter, to_uci_inline};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{
    MoveText, PositionRequest, PositionState, TablebaseCategory, TablebaseEntry,
};
use crate::http::etag::{Revalidation, cache_control, tagged_json};
use crate::http::json::{Json, JsonBytes, Query, Reply, request};
use crate::http::problem::{Problem, TablebaseProblems, TablebaseQueryProblems};
use crate::tablebase::{Dtz, Lookup, MoveEntry, ProbeError, Tablebase};

request! {
    /// The position to look up.
    #[derive(Clone, Debug)]
    pub(crate) struct TablebaseRequest as "TablebaseRequest" {
        flatten position: PositionRequest,
    }
}

/// A position and its moves by tablebase.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TablebaseAnswer {
    #[serde(flatten)]
    state: PositionState,
    /// The number of men, kings and pawns included.
    #[schema(minimum = 2)]
    men: u32,
    /// The outcome for the side to move. Repetitions of the game do not count.
    #[schema(value_type = TablebaseCategory)]
    category: &'static str,
    /// The distance to zeroing (DTZ): the number of plies to the capture, pawn move or checkmate
    /// that keeps the outcome. Negative if the side to move loses, 0 in a draw. The true distance
    /// may be a ply farther from 0.
    dtz: i32,
    /// The same, if it is exact; null if it is rounded.
    #[schema(required)]
    precise_dtz: Option<i32>,
    /// The legal moves, best first. Of winning moves, the first one is the fastest to a capture or
    /// pawn move; of losing ones, the slowest.
    moves: Vec<TablebaseMove>,
}

/// A legal move. All members after `code` describe the position after the move, and `zeroing` and
/// `conversion` the move itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TablebaseMove {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move as a 16-bit code.
    code: u16,
    /// The outcome of the position after the move, for the side to move there: the opponent of the
    /// side that moves now. A move to `loss` wins.
    #[schema(value_type = TablebaseCategory)]
    category: &'static str,
    /// The distance to zeroing of the position after the move, for the side to move there. Null if
    /// its table is missing.
    #[schema(required)]
    dtz: Option<i32>,
    /// The same, if it is exact; null if it is rounded.
    #[schema(required)]
    precise_dtz: Option<i32>,
    /// The move is a capture or pawn move.
    zeroing: bool,
    /// The move is a capture or promotion.
    conversion: bool,
    /// The move gives checkmate.
    checkmate: bool,
    /// The move gives stalemate.
    stalemate: bool,
    /// After the move neither side can give checkmate.
    insufficient_material: bool,
}

/// Look a position up in the tablebases
///
/// Returns the outcome of a position with few men, its distance to zeroing, and the same for each
/// legal move. The half-move clock counts, repetitions do not. `syzygy.probe_limit` does not apply.
#[utoipa::path(
    post,
    path = "/v1/tablebase",
    tag = "analysis",
    request_body = TablebaseRequest,
    responses(
        (status = 200, description = "The position and its moves.", body = TablebaseAnswer),
        TablebaseProblems,
    )
)]
pub(crate) async fn look_up(
    State(app): State<App>,
    caller: Caller,
    Json(request): Json<TablebaseRequest>,
) -> Result<Reply<TablebaseAnswer>, Problem> {
    answer(&app, &caller, &request).await.map(Reply)
}

/// Show a position of the tablebases
///
/// Takes the request of `POST /v1/tablebase` as a query and gives the same response. Its `ETag`
/// covers what the tables say. A cache asks the server before it uses a stored response.
#[utoipa::path(
    get,
    path = "/v1/tablebase",
    tag = "analysis",
    params(TablebaseRequest),
    responses(
        (status = 200, description = "The position and its moves.", body = TablebaseAnswer),
        TablebaseQueryProblems,
    )
)]
pub(crate) async fn show_tablebase(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(request): Query<TablebaseRequest>,
) -> Result<Response<Body>, Problem> {
    let json = JsonBytes::serialize(&answer(&app, &caller, &request).await?)?;
    let cache_control = cache_control(caller.identity(), Revalidation::Required);
    Ok(tagged_json(json, &headers, cache_control))
}

async fn answer(
    app: &App,
    caller: &Caller,
    request: &TablebaseRequest,
) -> Result<TablebaseAnswer, Problem> {
    let resolved = request.position.resolve()?;
    let position = resolved.game.position();
    let tables = tables(app).await.ok_or_else(Problem::no_tablebase)?;
    let lookup = look_up_position(app, caller.client(), tables, position)
        .await?
        .map_err(|error| Problem::tablebase_unavailable(&error))?;
    if let Some(error) = &lookup.unavailable {
        return Err(Problem::tablebase_unavailable(error));
    }
    let entry = lookup.position;
    let (dtz, precise_dtz) = plies(entry.dtz);
    let san = SanWriter::new(position);
    Ok(TablebaseAnswer {
        state: PositionState::from(&resolved),
        men: position.occupied().count(),
        category: entry.category.name(),
        dtz: dtz.unwrap_or_default(),
        precise_dtz,
        moves: lookup.moves.iter().map(|entry| TablebaseMove::new(position, &san, entry)).collect(),
    })
}

impl TablebaseMove {
    fn new(position: &Position, san: &SanWriter<'_>, entry: &MoveEntry) -> TablebaseMove {
        let &MoveEntry { mv, zeroing, conversion, after, .. } = entry;
        let (dtz, precise_dtz) = plies(after.dtz);
        TablebaseMove {
            uci: MoveText(to_uci_inline(position, mv, CastlingNotation::Standard)),
            san: MoveText(san.write(mv).text),
            code: mv.code(),
            category: after.category.name(),
            dtz,
            precise_dtz,
            zeroing,
            conversion,
            checkmate: after.checkmate,
            stalemate: after.stalemate,
            insufficient_material: after.insufficient_material,
        }
    }
}

/// The members `dtz` and `precise_dtz`.
pub(super) fn plies(dtz: Option<Dtz>) -> (Option<i32>, Option<i32>) {
    (dtz.map(|dtz| dtz.plies), dtz.and_then(Dtz::precise))
}

/// The opened tables.
pub(super) async fn tables(app: &App) -> Option<Arc<Tablebase>> {
    app.engine().await.tablebase().map(|options| options.tables.clone())
}

/// Looks a position up on a blocking thread.
pub(super) async fn look_up_position(
    app: &App,
    client: &Client,
    tables: Arc<Tablebase>,
    position: &Position,
) -> Result<Result<Lookup, ProbeError>, Problem> {
    let position = position.clone();
    app.probe_tablebase(client, move || tables.lookup(&position)).await
}

/// How long a response waits for the entry of its position. Tables in memory need less than a
/// millisecond; those on a slow disk must not hold up a search.
const MAX_ENTRY_WAIT: Duration = Duration::from_millis(250);

/// The entry of a searched position, for the response of a search that has been started. Tables
/// that are slow or cannot be read must not spoil the result, so that there is no entry then.
pub(super) async fn searched_entry(
    app: &App,
    client: &Client,
    position: &Position,
) -> Option<TablebaseEntry> {
    let options = app.engine().await.tablebase()?;
    if !options.may_know(position) {
        return None;
    }
    let lookup = look_up_position(app, client, options.tables.clone(), position);
    match timeout(MAX_ENTRY_WAIT, lookup).await.ok()?.ok()? {
        Ok(lookup) => TablebaseEntry::new(&lookup, position.occupied().count()),
        Err(error) => {
            tracing::error!(error = error.to_string(), "a tablebase cannot be read");
            None
        }
    }
}
