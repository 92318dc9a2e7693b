//! What a move changes on the board, as the network's inputs see it.

use crate::chess::{Color, Move, Piece, Position, Role, Square, castled_rook_square};

/// A piece on a square.
pub(super) type PlacedPiece = (Piece, Square);

/// The inputs that a move switches off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureDelta {
    /// A piece leaves a square and the same or, at a promotion, another one comes to a square.
    Move { removed: PlacedPiece, added: PlacedPiece },
    /// The same, and an enemy piece is taken.
    Capture { removed: [PlacedPiece; 2], added: PlacedPiece },
    /// King and rook leave their squares and come to others, or to the same.
    Castle { removed: [PlacedPiece; 2], added: [PlacedPiece; 2] },
}

impl FeatureDelta {
    /// Nothing: what a line begins with, and what becomes of a move that no piece makes.
    pub(super) const NONE: FeatureDelta = {
        let no_piece = (Piece::WhitePawn, Square::A1);
        FeatureDelta::Move { removed: no_piece, added: no_piece }
    };

    /// The change by a legal move.
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

/// The squares of a king before and after a move, when the move is the king's.
#[inline]
pub(super) fn king_move(before: &Position, mv: Move) -> Option<(Color, Square, Square)> {
    let us = before.turn();
    (before.role_at(mv.from()) == Some(Role::King)).then(|| (us, mv.from(), mv.to()))
}
