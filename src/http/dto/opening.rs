//! The named opening of a game.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;

use crate::chess::Game;
use crate::http::schema::ref_or_null;
use crate::openings::{self, Opening};

/// A named opening.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Opening)]
pub(crate) struct OpeningDto {
    /// The code in the Encyclopaedia of Chess Openings.
    eco: &'static str,
    /// The name of the opening.
    name: &'static str,
}

impl From<Opening> for OpeningDto {
    fn from(Opening { eco, name }: Opening) -> OpeningDto {
        OpeningDto { eco, name }
    }
}

impl OpeningDto {
    /// The opening of a game: of its last position that has a name.
    pub(crate) fn of_game(game: &Game) -> Option<OpeningDto> {
        openings::find_by_game(game).map(OpeningDto::from)
    }
}

/// The schema of an optional opening.
pub(crate) fn opening_or_null() -> Schema {
    ref_or_null::<OpeningDto>(
        "The opening: the name of the last position that has one. Only the start position and \
            those after the first 60 half-moves count. Null if none of them has a name.",
    )
}
