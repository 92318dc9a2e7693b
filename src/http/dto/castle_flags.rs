//! Castling rights as four flags.

use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::encodings::CastleFlags;

/// Who may still castle, and to which side.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = CastleFlags)]
pub(crate) struct CastleFlagsView {
    /// White may castle short.
    white_king_side_castle: bool,
    /// White may castle long.
    white_queen_side_castle: bool,
    /// Black may castle short.
    black_king_side_castle: bool,
    /// Black may castle long.
    black_queen_side_castle: bool,
}

impl From<CastleFlags> for CastleFlagsView {
    fn from(flags: CastleFlags) -> CastleFlagsView {
        CastleFlagsView {
            white_king_side_castle: flags.white_king_side,
            white_queen_side_castle: flags.white_queen_side,
            black_king_side_castle: flags.black_king_side,
            black_queen_side_castle: flags.black_queen_side,
        }
    }
}
