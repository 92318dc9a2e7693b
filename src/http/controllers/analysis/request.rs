//! The request of an analysis: the position, the search limits, and the output options.

use std::num::NonZeroU64;

use super::response::RenderOptions;
use crate::analysis::{AnalysisRequest, Client};
use crate::chess::{CastlingNotation, Game, Move, Position, parse_move};
use crate::engine::Limits;
use crate::http::Caps;
use crate::http::dto::{PositionRequest, SearchRequest, promotion_advice};
use crate::http::json::{Members, Named, request};
use crate::http::problem::{MemberErrorCode, Problem};

request! {
    /// A position to analyse, the limits of the search, and the options of the output. The search
    /// stops at the first limit that it reaches. A value above a cap of `GET /v1/limits` is
    /// clamped. The cap on `movetime_ms` also ends a search without `movetime_ms`, with the reason
    /// `time`. For an `infinite` search, that cap is `infinite_ms` of `GET /v1/limits`.
    #[derive(Clone, Debug)]
    pub(crate) struct AnalysisRequestDto as "AnalysisRequest" {
        flatten pub(super) position: PositionRequest,
        flatten pub(super) options: AnalysisOptions,
    }
}

request! {
    /// The limits of an analysis and the options of its output.
    #[derive(Clone, Debug, Default)]
    #[validate(check_infinite(search, infinite))]
    pub(crate) struct AnalysisOptions as "AnalysisMembers" {
        flatten search: SearchRequest,
        /// Search until no deeper result is possible or the client disconnects. Can't be combined
        /// with `depth`, `nodes`, `movetime_ms` or `mate`.
        defaulted infinite: bool,
        /// The number of best moves to return with a line. A mate search returns one.
        optional multipv: NonZeroU64 = 1,
        /// The root moves to search, in UCI or SAN; all legal moves when empty. An analysis of
        /// selected moves neither reads nor writes the evaluation cache.
        defaulted searchmoves: Vec<String>,
        /// The notation of castling in UCI. `standard` writes standard castling as the king's
        /// two-square move; `960` always writes it as king takes rook.
        defaulted castling: Castling,
        /// The maximum number of moves in a line; unlimited by default.
        optional pv_length: NonZeroU64,
    }
}

fn check_infinite(
    members: &mut Members<'_>,
    search: Option<&SearchRequest>,
    infinite: Option<&bool>,
) {
    if infinite == Some(&true) && search.is_some_and(SearchRequest::has_limits) {
        members.add_error(
            MemberErrorCode::Conflict,
            "infinite",
            "infinite can't be combined with depth, nodes, movetime_ms or mate".to_owned(),
        );
    }
}

/// The UCI notation of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Castling(CastlingNotation);

impl Default for Castling {
    fn default() -> Castling {
        Castling(CastlingNotation::Standard)
    }
}

impl Named for Castling {
    const ALL: &'static [Castling] =
        &[Castling(CastlingNotation::Standard), Castling(CastlingNotation::Chess960)];

    fn name(self) -> &'static str {
        match self.0 {
            CastlingNotation::Standard => "standard",
            CastlingNotation::Chess960 => "960",
        }
    }

    fn default_name() -> Option<&'static str> {
        Some(Castling::default().name())
    }
}

impl AnalysisOptions {
    /// Sets the number of lines unless the request set it.
    pub(crate) fn or_multipv(self, multipv: NonZeroU64) -> AnalysisOptions {
        AnalysisOptions { multipv: self.multipv.or(Some(multipv)), ..self }
    }

    /// Sets the number of lines.
    pub(crate) fn with_multipv(self, multipv: NonZeroU64) -> AnalysisOptions {
        AnalysisOptions { multipv: Some(multipv), ..self }
    }

    /// Replaces all limits by this depth.
    pub(crate) fn with_depth(self, depth: NonZeroU64) -> AnalysisOptions {
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
        let pov = self.search.pov;
        let (mut request, clamped) = self.search.clamp(self.multipv, game, client, caps);
        if self.infinite {
            request.limits = Limits::default();
        }
        request.options.search_moves = moves;
        let render_options = RenderOptions {
            position,
            pov,
            castling: self.castling.0,
            pv_length: self
                .pv_length
                .map_or(usize::MAX, |length| usize::try_from(length.get()).unwrap_or(usize::MAX)),
            clamped,
            tablebase: None,
        };
        Ok((request, render_options))
    }
}

fn parse_searchmoves(position: &Position, texts: &[String]) -> Result<Vec<Move>, Problem> {
    let parse = |(index, text): (usize, &String)| {
        parse_move(position, text).map_err(|error| {
            Problem::illegal_searchmove(index, text, error)
                .with_more_detail(&promotion_advice(position, text))
        })
    };
    texts.iter().enumerate().map(parse).collect()
}
