//! `GET /standard` and `GET /standard/mainline`: tablebases in the format of lila-tablebase, for
//! its unmodified clients.

use std::fmt::Display;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::tablebase::{look_up_position, plies, tables};
use crate::chess::{
    CastlingNotation, Color, InvalidPosition, Position, SanWriter, parse_fen_leniently,
    to_uci_inline,
};
use crate::http::App;
use crate::http::access::Caller;
use crate::http::dto::{MoveText, TablebaseCategory};
use crate::http::etag::{Revalidation, cache_control, tagged_json};
use crate::http::json::{JsonBytes, Named, Query, request};
use crate::http::problem::{Problem, ProblemDocument, StandardProblems};
use crate::tablebase::{Mainline, MoveEntry, PositionEntry, ProbeError, Tablebase};

request! {
    /// The position to look up.
    #[derive(Clone, Debug)]
    pub(crate) struct StandardRequest as "StandardRequest" {
        /// The position as FEN; an underscore stands for a space. Missing fields at the end have
        /// the values `w - - 0 1`. Invalid castling rights, an invalid en passant square and an
        /// impossible check are forgiven.
        required fen: String,
        /// Accepted and ignored: the server has no tables of distances to conversion.
        optional dtc: DtcMode,
    }
}

impl StandardRequest {
    fn position(self) -> Result<Position, InvalidPosition> {
        // There is no table that `dtc` could ask for.
        let StandardRequest { fen, dtc: _dtc } = self;
        parse_fen_leniently(&fen)
    }
}

/// When a client of lila-tablebase wants distances to conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DtcMode {
    Never,
    Auxiliary,
    Always,
}

impl Named for DtcMode {
    const ALL: &'static [DtcMode] = &[DtcMode::Never, DtcMode::Auxiliary, DtcMode::Always];

    fn name(self) -> &'static str {
        match self {
            DtcMode::Never => "never",
            DtcMode::Auxiliary => "auxiliary",
            DtcMode::Always => "always",
        }
    }
}

/// A position and its moves in the format of lila-tablebase.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StandardAnswer {
    #[serde(flatten)]
    position: StandardPosition,
    /// The legal moves, best first.
    moves: Vec<StandardMove>,
}

/// A position in the format of lila-tablebase.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct StandardPosition {
    /// The side to move is checkmated.
    checkmate: bool,
    /// The side to move is stalemated.
    stalemate: bool,
    /// Always `false`: a result of variants.
    variant_win: bool,
    /// Always `false`: a result of variants.
    variant_loss: bool,
    /// Neither side can give checkmate.
    insufficient_material: bool,
    /// The distance to zeroing, in plies, as in `POST /v1/tablebase`. Null if no table has it.
    #[schema(required)]
    dtz: Option<i32>,
    /// The same, if it is exact; null if it is rounded.
    #[schema(required)]
    precise_dtz: Option<i32>,
    /// Always null: the distance to mate.
    #[schema(required)]
    dtm: Option<i32>,
    /// Always null: the distance to win.
    #[schema(required)]
    dtw: Option<i32>,
    /// Always null: the distance to conversion.
    #[schema(required)]
    dtc: Option<i32>,
    /// The outcome for the side to move.
    #[schema(value_type = TablebaseCategory)]
    category: &'static str,
}

/// A move in the format of lila-tablebase. Its other members describe the position after the move,
/// for the side to move there.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StandardMove {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move is a capture or pawn move.
    zeroing: bool,
    /// The move is a capture or promotion.
    conversion: bool,
    #[serde(flatten)]
    after: StandardPosition,
}

/// The main line of a position in the format of lila-tablebase.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StandardMainline {
    /// The best moves, to checkmate or to a draw by the 50-move rule. Empty in a drawn position.
    mainline: Vec<StandardMainlineMove>,
    /// The side that gives checkmate at the end of the line: `w` or `b`. Null in a draw.
    #[schema(required, value_type = Option<String>, pattern = "^[wb]$")]
    winner: Option<char>,
    /// The distance to zeroing of the position, in plies.
    dtz: i32,
    /// The same, if it is exact; null if it is rounded.
    #[schema(required)]
    precise_dtz: Option<i32>,
}

/// A move of a main line.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StandardMainlineMove {
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The distance to zeroing after the move, in plies, for the side to move there.
    dtz: i32,
    /// The same, if it is exact; null if it is rounded.
    #[schema(required)]
    precise_dtz: Option<i32>,
}

/// Look a position up as in lila-tablebase
///
/// Returns a position and its moves in the format of <https://tablebase.lichess.ovh/standard>,
/// members and order included. Castling rights, too many men, a missing table and a server without
/// tables give `"category": "unknown"`, unless the moves decide. `POST /v1/tablebase` says why
/// there is no result.
#[utoipa::path(
    get,
    path = "/standard",
    tag = "analysis",
    params(StandardRequest),
    responses(
        (status = 200, description = "The position and its moves.", body = StandardAnswer),
        (
            status = 400,
            description = "The FEN is not a legal position: plain text. The query is malformed: a \
                problem.",
            content(
                (String = "text/plain; charset=utf-8"),
                (ProblemDocument = "application/problem+json"),
            ),
        ),
        StandardProblems,
    )
)]
pub(crate) async fn standard(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<StandardRequest>,
) -> Result<Response, Problem> {
    let position = match query.position() {
        Ok(position) => position,
        Err(invalid) => return Ok(plain_text(StatusCode::BAD_REQUEST, &invalid)),
    };
    let tables = tables(&app).await.unwrap_or_else(|| Arc::new(Tablebase::empty()));
    let lookup = look_up_position(&app, caller.client(), tables, &position)
        .await?
        .map_err(|error| Problem::internal(&error))?;
    let san = SanWriter::new(&position);
    let moves = lookup.moves.iter().map(|entry| StandardMove::new(&position, &san, entry));
    let answer = StandardAnswer { position: lookup.position.into(), moves: moves.collect() };
    tagged(&answer, &caller, &headers)
}

/// Get a main line as in lila-tablebase
///
/// Returns the line of best moves in the format of
/// <https://tablebase.lichess.ovh/standard/mainline>.
#[utoipa::path(
    get,
    path = "/standard/mainline",
    tag = "analysis",
    params(StandardRequest),
    responses(
        (status = 200, description = "The main line.", body = StandardMainline),
        (
            status = 400,
            description = "The FEN is not a legal position: plain text. The query is malformed: a \
                problem.",
            content(
                (String = "text/plain; charset=utf-8"),
                (ProblemDocument = "application/problem+json"),
            ),
        ),
        (status = 404, description = "No table has the position, or one of the line.",
            body = String, content_type = "text/plain; charset=utf-8"),
        StandardProblems,
    )
)]
pub(crate) async fn standard_mainline(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<StandardRequest>,
) -> Result<Response, Problem> {
    let position = match query.position() {
        Ok(position) => position,
        Err(invalid) => return Ok(plain_text(StatusCode::BAD_REQUEST, &invalid)),
    };
    let Some(tables) = tables(&app).await else {
        return Ok(plain_text(StatusCode::NOT_FOUND, &"the server has no tablebases"));
    };
    let root = position.clone();
    match app.probe_tablebase(caller.client(), move || tables.mainline(&root)).await? {
        Ok(line) => tagged(&StandardMainline::new(&position, &line), &caller, &headers),
        Err(error @ ProbeError::Read(_)) => Err(Problem::internal(&error)),
        Err(error) => Ok(plain_text(StatusCode::NOT_FOUND, &error)),
    }
}

/// An error in plain text, as lila-tablebase sends it.
fn plain_text(status: StatusCode, error: &impl Display) -> Response {
    (status, error.to_string()).into_response()
}

fn tagged(
    answer: &impl Serialize,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<axum::http::Response<Body>, Problem> {
    let cache_control = cache_control(caller.identity(), Revalidation::Required);
    Ok(tagged_json(JsonBytes::serialize(answer)?, headers, cache_control))
}

impl From<PositionEntry> for StandardPosition {
    fn from(entry: PositionEntry) -> StandardPosition {
        let PositionEntry { category, dtz, checkmate, stalemate, insufficient_material } = entry;
        let (dtz, precise_dtz) = plies(dtz);
        StandardPosition {
            checkmate,
            stalemate,
            variant_win: false,
            variant_loss: false,
            insufficient_material,
            dtz,
            precise_dtz,
            dtm: None,
            dtw: None,
            dtc: None,
            category: category.name(),
        }
    }
}

impl StandardMove {
    fn new(position: &Position, san: &SanWriter<'_>, entry: &MoveEntry) -> StandardMove {
        StandardMove {
            uci: MoveText(to_uci_inline(position, entry.mv, CastlingNotation::Standard)),
            san: MoveText(san.write(entry.mv).text),
            zeroing: entry.zeroing,
            conversion: entry.conversion,
            after: entry.after.into(),
        }
    }
}

impl StandardMainline {
    fn new(root: &Position, line: &Mainline) -> StandardMainline {
        let mut position = root.clone();
        let mut mainline = Vec::with_capacity(line.moves.len());
        for step in &line.moves {
            mainline.push(StandardMainlineMove {
                uci: MoveText(to_uci_inline(&position, step.mv, CastlingNotation::Standard)),
                san: MoveText(SanWriter::new(&position).write(step.mv).text),
                dtz: step.dtz.plies,
                precise_dtz: step.dtz.precise(),
            });
            position.play(step.mv);
        }
        let letter = |winner: Color| if winner.is_white() { 'w' } else { 'b' };
        StandardMainline {
            mainline,
            winner: line.winner.map(letter),
            dtz: line.dtz.plies,
            precise_dtz: line.dtz.precise(),
        }
    }
}
