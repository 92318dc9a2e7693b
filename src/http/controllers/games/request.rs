//! The request of a review: PGN text with limits in the query, or JSON with both.

use std::num::NonZeroU64;

use axum::body::Body;
use axum::http::HeaderMap;

use crate::analysis::jobs::PositionLimits;
use crate::chess::pgn::decode;
use crate::engine::Limits;
use crate::http::dto::{Clamped, Clamper, Pov};
use crate::http::headers::IDEMPOTENCY_KEY;
use crate::http::json::{self, BodyLimits, Members, request};
use crate::http::problem::{InvalidMember, MemberErrorCode, Problem};
use crate::http::{App, Caps};

/// The maximum length of an idempotency key.
const MAX_IDEMPOTENCY_KEY_BYTES: usize = 128;

/// The media types of PGN text.
const PGN_MEDIA_TYPES: [&str; 3] =
    ["application/x-chess-pgn", "application/vnd.chess-pgn", "text/plain"];

request! {
    /// The limits of the search of each position. A search stops at the first limit that it
    /// reaches. A value above the cap of a single search in `GET /v1/limits` is clamped.
    #[derive(Clone, Copy, Debug, Default)]
    #[check(refuse_pov)]
    pub(crate) struct ReviewLimitsRequest as "ReviewLimits" {
        /// The maximum depth of a search, in plies.
        optional depth: NonZeroU64,
        /// The maximum number of nodes of a search. Times the number of positions, it must not
        /// exceed `jobs.max_nodes` of `GET /v1/limits`.
        optional nodes: NonZeroU64,
        /// The maximum time of a search, in milliseconds. The first iteration always finishes.
        optional movetime_ms: NonZeroU64,
        /// The number of lines to search.
        optional multipv: NonZeroU64 = 1,
    }
}

fn refuse_pov(members: &mut Members<'_>) {
    let detail = "\"pov\" is not a known member; it belongs to GET /v1/games/{id}, which reads the \
                  review";
    members.refuse("pov", detail);
}

request! {
    /// Games to review, and the limits of the search of each position. A search stops at the first
    /// limit that it reaches. A value above the cap of a single search in `GET /v1/limits` is
    /// clamped.
    #[derive(Clone, Debug)]
    pub(crate) struct GamesRequest as "GamesRequest" {
        /// One or more games as PGN.
        required pgn: String,
        flatten limits: ReviewLimitsRequest,
    }
}

request! {
    /// The options of reading a review.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ReviewViewRequest as "ReviewView" {
        /// The point of view of `before` and `after` of each move: the player who makes the move
        /// (`side`) or White.
        defaulted pub(super) pov: Pov,
    }
}

/// Uploaded games: the PGN and the limits, from the body or from the query.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) text: String,
    pub(super) limits: ReviewLimitsRequest,
}

impl ReviewLimitsRequest {
    /// Merges the limits of the body and of the query.
    ///
    /// # Errors
    /// `invalid_request` if both have the same limit.
    fn merge(self, other: ReviewLimitsRequest) -> Result<ReviewLimitsRequest, Problem> {
        let mut errors = Vec::new();
        let mut pick = |name: &str, one: Option<NonZeroU64>, other: Option<NonZeroU64>| {
            if one.is_some() && other.is_some() {
                let detail =
                    format!("{name} is in both the query and the body; it must be in one of them");
                errors.push(InvalidMember {
                    code: MemberErrorCode::Conflict,
                    pointer: format!("/{name}"),
                    detail,
                });
            }
            one.or(other)
        };
        let merged = ReviewLimitsRequest {
            depth: pick("depth", self.depth, other.depth),
            nodes: pick("nodes", self.nodes, other.nodes),
            movetime_ms: pick("movetime_ms", self.movetime_ms, other.movetime_ms),
            multipv: pick("multipv", self.multipv, other.multipv),
        };
        if errors.is_empty() { Ok(merged) } else { Err(Problem::invalid_request(&errors)) }
    }

    /// Clamps the limits to the caps and returns the clamped members.
    pub(super) fn clamp(self, caps: &Caps) -> (PositionLimits, Vec<Clamped>) {
        let mut clamper = Clamper::default();
        let limits = clamper.clamp_limits(self.depth, self.nodes, self.movetime_ms, caps);
        let multipv = self.multipv.map_or(1, |lines| clamper.clamp("multipv", lines, caps.multipv));
        let Limits { depth, nodes, movetime, .. } = limits;
        (PositionLimits { depth, nodes, movetime, multipv }, clamper.into_clamped())
    }
}

/// Reads a body of PGN or JSON. An undeclared body must be a JSON object.
///
/// # Errors
/// `unsupported_media_type` for another type, the errors of reading JSON, and `invalid_request` for
/// a limit that is in both body and query.
pub(super) async fn read_upload(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    query: ReviewLimitsRequest,
) -> Result<Upload, Problem> {
    json::check_encoding(headers)?;
    let declared = json::content_type(headers);
    let is_undeclared = json::is_undeclared(declared);
    let is_pgn = declared.is_some_and(|declared| json::is_media_type(declared, &PGN_MEDIA_TYPES));
    if !is_pgn && !json::may_be_json(declared) {
        return Err(Problem::not_games(declared));
    }
    let caps = app.caps();
    let limits = BodyLimits { max_bytes: caps.jobs.bytes, timeout: caps.body_timeout };
    let bytes = json::read_bytes(headers, body, limits, None).await?;
    if is_undeclared && !json::is_object_or_empty(&bytes) {
        return Err(Problem::not_games(declared));
    }
    if is_pgn {
        return Ok(Upload { text: decode(&bytes).into_owned(), limits: query });
    }
    let request: GamesRequest = json::read(&bytes, caps.moves)?;
    let limits = request.limits.merge(query)?;
    Ok(Upload { text: request.pgn, limits })
}

/// The idempotency key of the request, if any.
///
/// # Errors
/// `invalid_request` if the header is repeated or its value is not a valid key.
pub(super) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let invalid = |code, detail: String| {
        let pointer = "/idempotency-key".to_owned();
        Err(Problem::invalid_request(&[InvalidMember { code, pointer, detail }]))
    };
    let Some(key) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return invalid(
            MemberErrorCode::Conflict,
            "the header Idempotency-Key is given more than once".to_owned(),
        );
    }
    let is_valid = (1..=MAX_IDEMPOTENCY_KEY_BYTES).contains(&key.len())
        && key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if is_valid => Ok(Some(key.to_owned())),
        _ => invalid(
            MemberErrorCode::OutOfRange,
            format!(
                "the header Idempotency-Key must be 1 to {MAX_IDEMPOTENCY_KEY_BYTES} visible \
                 ASCII characters without spaces"
            ),
        ),
    }
}
