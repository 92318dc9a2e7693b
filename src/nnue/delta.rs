//! The change of the network's features by a move.

use crate::chess::{Color, Move, Piece, Position, Role, Square, castled_rook_square};

/// A piece on a square.
pub(super) type PlacedPiece = (Piece, Square);

/// The features that a move removes and adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureDelta {
    /// A piece moves, or is replaced by another one in a promotion.
    Move { removed: PlacedPiece, added: PlacedPiece },
    /// A piece moves or promotes, and captures an enemy piece.
    Capture { removed: [PlacedPiece; 2], added: PlacedPiece },
    /// King and rook move; each may end on the square where it started.
    Castle { removed: [PlacedPiece; 2], added: [PlacedPiece; 2] },
}

impl FeatureDelta {
    /// No change: the delta of a root, of a null move, and of a move without a piece.
    pub(super) const NONE: FeatureDelta = {
        let no_piece = (Piece::WhitePawn, Square::A1);
        FeatureDelta::Move { removed: no_piece, added: no_piece }
    };

    /// The delta of a legal move.
    #[inline]
    pub(super) fn from_move(before: &Position, mv: Move) -> FeatureDelta {
        let (us, from, to) = (before.turn(), mv.from(), mv.to());
        let Some(mover) = before.piece_at(from) else { return FeatureDelta::NONE };
        let removed = (mover, from);
        if let Some(side) = mv.castling_side()
            && let Some(rook_from) = before.castling_rook(us, side)
        {
            let rook = Piece::new(us, Role::Rook);
            return FeatureDelta::Castle {
                removed: [removed, (rook, rook_from)],
                added: [(mover, to), (rook, castled_rook_square(us, side))],
            };
        }
        let added = (mv.promotion().map_or(mover, |role| Piece::new(us, role)), to);
        if mv.is_capture() {
            let square = if mv.is_en_passant() { to.forward(!us) } else { to };
            if let Some(victim) = before.piece_at(square) {
                return FeatureDelta::Capture { removed: [removed, (victim, square)], added };
            }
        }
        FeatureDelta::Move { removed, added }
    }
}

/// The color and squares of the king before and after a king move; `None` for other moves.
#[inline]
pub(super) fn king_move(before: &Position, mv: Move) -> Option<(Color, Square, Square)> {
    let us = before.turn();
    (before.role_at(mv.from()) == Some(Role::King)).then(|| (us, mv.from(), mv.to()))
}
