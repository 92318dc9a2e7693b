//! An analysis request: a best-move request, and how wide to look and how to tell it.

use utoipa::ToSchema;

use super::response::{Pov, RenderOptions};
use crate::analysis::{AnalysisRequest, Client};
use crate::chess::{CastlingNotation, Game, Move, Position, parse_move};
use crate::engine::Limits;
use crate::http::Caps;
use crate::http::dto::{PositionRequest, SearchRequest};
use crate::http::json::{FromMembers, FromValue, JsonPath, JsonValue, Members, read_enum};
use crate::http::problem::{InvalidMember, MemberErrorCode, Problem};

/// What is analysed, how wide and how deep, and how it is told. The search stops at the first limit
/// that is reached; what is beyond a cap of `GET /v1/limits` is clamped. The cap on `movetime_ms`
/// ends a search without `movetime_ms` as well, with the reason `time`; of an `infinite` one the
/// server's `stream.infinite_ms`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = AnalysisRequest)]
pub(crate) struct AnalysisRequestDto {
    pub(super) position: PositionRequest,
    pub(super) options: AnalysisOptions,
}

/// How wide and how deep a position is analysed, and how that is told.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(as = AnalysisMembers)]
pub(crate) struct AnalysisOptions {
    search: SearchRequest,
    /// Search until there is nothing deeper to find or the client leaves; without `depth`, `nodes`,
    /// `movetime_ms`, `mate`.
    #[schema(required = false, default = false)]
    infinite: bool,
    /// How many of the best moves get a line. The proof of a mate has one.
    #[schema(minimum = 1, nullable = false, default = 1)]
    multipv: Option<u64>,
    /// The only moves to look at, in UCI or SAN; all when empty. Such an analysis neither asks
    /// memory nor is remembered.
    #[schema(required = false)]
    searchmoves: Vec<String>,
    /// From whose view scores and chances are told: the side to move's or White's.
    #[schema(value_type = String, required = false, default = "side")]
    pov: Pov,
    /// How castling is written in UCI: `standard`, the king's step where that is standard; `960`,
    /// king takes rook always.
    #[schema(value_type = String, required = false, default = "standard")]
    castling: Castling,
    /// Most moves of a line that are told; all unless given.
    #[schema(minimum = 1, nullable = false)]
    pv_length: Option<u64>,
}

/// How castling is written.
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
                "infinite and a limit can't both be given".to_owned(),
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
    /// The same with so many lines, where it names no number itself.
    pub(crate) fn or_multipv(self, multipv: u64) -> AnalysisOptions {
        AnalysisOptions { multipv: self.multipv.or(Some(multipv)), ..self }
    }

    /// The same with so many lines.
    pub(crate) fn with_multipv(self, multipv: u64) -> AnalysisOptions {
        AnalysisOptions { multipv: Some(multipv), ..self }
    }

    /// The same to this depth, whatever its limits were.
    pub(crate) fn with_depth(self, depth: u64) -> AnalysisOptions {
        AnalysisOptions { search: self.search.with_depth(depth), infinite: false, ..self }
    }

    /// The question within the caps, what was lowered for that, and how it is to be told.
    ///
    /// # Errors
    /// `illegal_move` for a text in `searchmoves` that is no legal move.
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
        request.scope.search_moves = moves;
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
