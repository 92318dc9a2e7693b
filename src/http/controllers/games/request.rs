//! Games as they are given: as text, or as JSON with their limits.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName};
use utoipa::ToSchema;

use crate::analysis::jobs::Asked;
use crate::chess::pgn::decode;
use crate::engine::Limits;
use crate::http::dto::Clamped;
use crate::http::json::{self, BodyRules, FromMembers, Members};
use crate::http::problem::{InvalidMember, MemberFault, Problem};
use crate::http::{App, Caps};

/// A client's own name for what it asks, so that it can ask again.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key.
const LONGEST_KEY: usize = 128;

/// The media types of a text.
const TEXTS: [&str; 3] = ["application/x-chess-pgn", "application/vnd.chess-pgn", "text/plain"];

/// How hard each position is searched. The search stops at the first limit that is reached; what is
/// beyond a cap of `GET /v1/limits` is clamped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReviewLimits {
    depth: Option<u64>,
    nodes: Option<u64>,
    movetime_ms: Option<u64>,
    multipv: Option<u64>,
}

/// Games, and how hard each of their positions is searched. The search stops at the first limit
/// that is reached; what is beyond a cap of `GET /v1/limits` is clamped.
#[derive(Clone, Debug, ToSchema)]
#[expect(dead_code, reason = "it describes; its members are read one by one")]
pub(crate) struct GamesRequest {
    /// One game or many, one after the other.
    pgn: String,
    /// Iterations, in plies.
    #[schema(minimum = 1, nullable = false)]
    depth: Option<u64>,
    /// Moves that a search makes.
    #[schema(minimum = 1, nullable = false)]
    nodes: Option<u64>,
    /// Time, in milliseconds; the first iteration is finished all the same.
    #[schema(minimum = 1, nullable = false)]
    movetime_ms: Option<u64>,
    /// Lines that are searched.
    #[schema(minimum = 1, nullable = false, default = 1)]
    multipv: Option<u64>,
}

/// What was given.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) limits: ReviewLimits,
}

impl FromMembers for ReviewLimits {
    fn read(members: &mut Members<'_>) -> Option<ReviewLimits> {
        let mut limit = |name| members.optional_number(name, 1..=u64::MAX);
        let (depth, nodes, movetime_ms, multipv) =
            (limit("depth"), limit("nodes"), limit("movetime_ms"), limit("multipv"));
        Some(ReviewLimits { depth, nodes, movetime_ms, multipv })
    }
}

impl FromMembers for Given {
    fn read(members: &mut Members<'_>) -> Option<Given> {
        let text = members.required("pgn");
        let limits = ReviewLimits::read(members);
        Some(Given { text: text?, limits: limits? })
    }
}

impl ReviewLimits {
    /// These and others, none of which is given twice.
    fn and(self, other: ReviewLimits) -> Result<ReviewLimits, Problem> {
        let mut faults = Vec::new();
        let mut either = |name: &str, one: Option<u64>, other: Option<u64>| {
            if one.is_some() && other.is_some() {
                let detail = format!("{name} is given in the query and in the body");
                faults.push(InvalidMember {
                    code: MemberFault::Conflict,
                    pointer: format!("/{name}"),
                    detail,
                });
            }
            one.or(other)
        };
        let both = ReviewLimits {
            depth: either("depth", self.depth, other.depth),
            nodes: either("nodes", self.nodes, other.nodes),
            movetime_ms: either("movetime_ms", self.movetime_ms, other.movetime_ms),
            multipv: either("multipv", self.multipv, other.multipv),
        };
        if faults.is_empty() { Ok(both) } else { Err(Problem::invalid_request(&faults)) }
    }

    /// The same within the caps, and what was lowered for that. Without any limit it is the usual
    /// number of nodes.
    pub(super) fn clamp(self, caps: &Caps) -> (Asked, Vec<Clamped>) {
        let mut clamped = Vec::new();
        let mut limits =
            Clamped::limits(self.depth, self.nodes, self.movetime_ms, caps, &mut clamped);
        let multipv = self
            .multipv
            .map_or(1, |lines| Clamped::cap("multipv", lines, caps.multipv, &mut clamped));
        if limits == Limits::default() {
            limits.nodes = Some(caps.jobs.default_nodes.min(caps.nodes));
        }
        let Limits { depth, nodes, movetime, .. } = limits;
        (Asked { depth, nodes, movetime, multipv }, clamped)
    }
}

/// Reads a body of whichever kind it is.
///
/// # Errors
/// `unsupported_media_type` for another kind, what is wrong with JSON, and a limit that stands in
/// the query as well.
pub(super) async fn read(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    query: ReviewLimits,
) -> Result<Given, Problem> {
    json::check_encoding(headers)?;
    let declared = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let essence =
        declared.and_then(|declared| declared.split(';').next()).unwrap_or_default().trim();
    let is_text = TEXTS.iter().any(|kind| essence.eq_ignore_ascii_case(kind));
    if !is_text && !json::is_json(essence) {
        return Err(Problem::not_games(declared));
    }
    let caps = app.caps();
    let rules = BodyRules { max_bytes: caps.jobs.bytes, timeout: caps.body_timeout };
    let bytes = json::receive(headers, body, rules).await?;
    if is_text {
        return Ok(Given { text: decode(&bytes).into_owned(), limits: query });
    }
    let given: Given = json::read(&bytes, caps.moves)?;
    let limits = given.limits.and(query)?;
    Ok(Given { limits, ..given })
}

/// The client's own name for the job.
///
/// # Errors
/// `invalid_request` for one that is none.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
    let fault = |code, detail: String| {
        let pointer = "/idempotency-key".to_owned();
        Err(Problem::invalid_request(&[InvalidMember { code, pointer, detail }]))
    };
    let Some(key) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return fault(
            MemberFault::Conflict,
            "the header Idempotency-Key is given more than once".to_owned(),
        );
    }
    let is_good =
        (1..=LONGEST_KEY).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if is_good => Ok(Some(key.to_owned())),
        _ => fault(
            MemberFault::OutOfRange,
            format!(
                "the header Idempotency-Key must be 1 to {LONGEST_KEY} visible ASCII characters without blanks"
            ),
        ),
    }
}
