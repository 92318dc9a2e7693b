//! The four castling rights as separate flags.

use crate::chess::{CastlingRights, CastlingSide, Color};

/// Who may still castle, and to which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastleFlags {
    /// White may castle short.
    pub white_king_side: bool,
    /// White may castle long.
    pub white_queen_side: bool,
    /// Black may castle short.
    pub black_king_side: bool,
    /// Black may castle long.
    pub black_queen_side: bool,
}

impl CastleFlags {
    /// The flags of these rights.
    pub const fn from_rights(rights: CastlingRights) -> CastleFlags {
        CastleFlags {
            white_king_side: rights.rook_file(Color::White, CastlingSide::King).is_some(),
            white_queen_side: rights.rook_file(Color::White, CastlingSide::Queen).is_some(),
            black_king_side: rights.rook_file(Color::Black, CastlingSide::King).is_some(),
            black_queen_side: rights.rook_file(Color::Black, CastlingSide::Queen).is_some(),
        }
    }
}
