//! The request of an analysis: the position, the search limits, and the output options.

use utoipa::ToSchema;

use super::response::{Pov, RenderOptions};
use crate::analysis::{AnalysisRequest, Client};
use crate::chess::{CastlingNotation, Game, Move, Position, parse_move};
use crate::engine::Limits;
use crate::http::Caps;
use crate::http::dto::{PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, FromValue, JsonPath, JsonValue, Members, read_enum};
use crate::http::problem::{InvalidMember, MemberErrorCode, Problem};

/// A position to analyse, the limits of the search, and the options of the output. The search stops
/// at the first limit that it reaches. A value above a cap of `GET /v1/limits` is clamped. The cap
/// on `movetime_ms` also ends a search without `movetime_ms`, with the reason `time`. For an
/// `infinite` search, that cap is `infinite_ms` of `GET /v1/limits`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = AnalysisRequest)]
pub(crate) struct AnalysisRequestDto {
    pub(super) position: PositionRequest,
    pub(super) options: AnalysisOptions,
}

/// The limits of an analysis and the options of its output.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(as = AnalysisMembers)]
pub(crate) struct AnalysisOptions {
    search: SearchRequest,
    /// Search until no deeper result is possible or the client disconnects. Can't be combined with
    /// `depth`, `nodes`, `movetime_ms` or `mate`.
    #[schema(required = false, default = false)]
    infinite: bool,
    /// The number of best moves to return with a line. A mate search returns one.
    #[schema(minimum = 1, nullable = false, default = 1)]
    multipv: Option<u64>,
    /// The root moves to search, in UCI or SAN; all legal moves when empty. An analysis of selected
    /// moves neither reads nor writes the evaluation cache.
    #[schema(required = false)]
    searchmoves: Vec<String>,
    /// The point of view of `score` and `wdl`: the side to move or White.
    #[schema(value_type = String, required = false, default = "side")]
    pov: Pov,
    /// The notation of castling in UCI. `standard` writes standard castling as the king's
    /// two-square move; `960` always writes it as king takes rook.
    #[schema(value_type = String, required = false, default = "standard")]
    castling: Castling,
    /// The maximum number of moves in a line; unlimited by default.
    #[schema(minimum = 1, nullable = false)]
    pv_length: Option<u64>,
}

/// The UCI notation of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Castling(CastlingNotation);

impl Default for Castling {
    fn default() -> Castling {
        Castling(CastlingNotation::Standard)
    }
}

impl<'a> FromValue<'a> for Castling {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Castling> {
        let name = |castling: &Castling| match castling.0 {
            CastlingNotation::Standard => "standard",
            CastlingNotation::Chess960 => "960",
        };
        read_enum(
            value,
            path,
            errors,
            &[Castling(CastlingNotation::Standard), Castling(CastlingNotation::Chess960)],
            name,
        )
    }
}

impl<'a> FromValue<'a> for Pov {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Pov> {
        read_enum(value, path, errors, &Pov::ALL, |pov| pov.name())
    }
}

impl FromMembers for AnalysisRequestDto {
    fn read(members: &mut Members<'_>) -> Option<AnalysisRequestDto> {
        let (position, options) = (PositionRequest::read(members), AnalysisOptions::read(members));
        Some(AnalysisRequestDto { position: position?, options: options? })
    }
}

impl FromMembers for AnalysisOptions {
    fn read(members: &mut Members<'_>) -> Option<AnalysisOptions> {
        let search = SearchRequest::read(members);
        let infinite = members.optional("infinite").unwrap_or(false);
        if infinite && search.as_ref().is_some_and(SearchRequest::has_limits) {
            members.add_error(
                MemberErrorCode::Conflict,
                "infinite",
                "infinite can't be combined with depth, nodes, movetime_ms or mate".to_owned(),
            );
        }
        let multipv = members.optional_number("multipv", 1..=u64::MAX);
        let searchmoves = members.optional("searchmoves").unwrap_or_default();
        let pov = members.optional("pov").unwrap_or_default();
        let castling = members.optional("castling").unwrap_or_default();
        let pv_length = members.optional_number("pv_length", 1..=u64::MAX);
        Some(AnalysisOptions {
            search: search?,
            infinite,
            multipv,
            searchmoves,
            pov,
            castling,
            pv_length,
        })
    }
}

impl AnalysisOptions {
    /// Sets the number of lines unless the request set it.
    pub(crate) fn or_multipv(self, multipv: u64) -> AnalysisOptions {
        AnalysisOptions { multipv: self.multipv.or(Some(multipv)), ..self }
    }

    /// Sets the number of lines.
    pub(crate) fn with_multipv(self, multipv: u64) -> AnalysisOptions {
        AnalysisOptions { multipv: Some(multipv), ..self }
    }

    /// Replaces all limits by this depth.
    pub(crate) fn with_depth(self, depth: u64) -> AnalysisOptions {
        AnalysisOptions { search: self.search.with_depth(depth), infinite: false, ..self }
    }

    /// Clamps the limits to the caps. Returns the request to the service and the options of the
    /// output, which list the clamped members.
    ///
    /// # Errors
    /// `illegal_move` if an entry of `searchmoves` is not a legal move.
    pub(crate) fn clamp(
        self,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> Result<(AnalysisRequest, RenderOptions), Problem> {
        let moves = parse_searchmoves(game.position(), &self.searchmoves)?;
        let position = game.position().clone();
        let (mut request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        if self.infinite {
            request.limits = Limits::default();
        }
        request.options.search_moves = moves;
        let render_options = RenderOptions {
            position,
            pov: self.pov,
            castling: self.castling.0,
            pv_length: self
                .pv_length
                .map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX)),
            clamped,
        };
        Ok((request, render_options))
    }
}

fn parse_searchmoves(position: &Position, texts: &[String]) -> Result<Vec<Move>, Problem> {
    let parse = |(index, text): (usize, &String)| {
        parse_move(position, text).map_err(|error| Problem::illegal_searchmove(index, text, error))
    };
    texts.iter().enumerate().map(parse).collect()
}
