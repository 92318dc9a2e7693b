//! What a move changes on the board, as the network's inputs see it.

use crate::chess::{Color, Move, Piece, Position, Role, Square, castled_rook};

/// A piece on a square.
pub(super) type Man = (Piece, Square);

/// The inputs that a move switches off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A piece leaves a square and the same or, at a promotion, another one comes to a square.
    Step { off: Man, on: Man },
    /// The same, and an enemy piece is taken.
    Capture { off: [Man; 2], on: Man },
    /// King and rook leave their squares and come to others, or to the same.
    Castle { off: [Man; 2], on: [Man; 2] },
}

impl Change {
    /// Nothing: what a line begins with, and what becomes of a move that no piece makes.
    pub(super) const NONE: Change = {
        let nobody = (Piece::WhitePawn, Square::A1);
        Change::Step { off: nobody, on: nobody }
    };

    /// The change by a legal move.
    #[inline]
    pub(super) fn of(before: &Position, mv: Move) -> Change {
        let (us, from, to) = (before.turn(), mv.from(), mv.to());
        let Some(mover) = before.piece_at(from) else { return Change::NONE };
        let off = (mover, from);
        if let Some(side) = mv.castling()
            && let Some(rook_from) = before.castling_rook(us, side)
        {
            let rook = Piece::new(us, Role::Rook);
            return Change::Castle {
                off: [off, (rook, rook_from)],
                on: [(mover, to), (rook, castled_rook(us, side))],
            };
        }
        let on = (mv.promotion().map_or(mover, |role| Piece::new(us, role)), to);
        if mv.is_capture() {
            let square = if mv.is_en_passant() { to.forward(!us) } else { to };
            if let Some(victim) = before.piece_at(square) {
                return Change::Capture { off: [off, (victim, square)], on };
            }
        }
        Change::Step { off, on }
    }
}

/// The squares of a king before and after a move, when the move is the king's.
#[inline]
pub(super) fn king_walk(before: &Position, mv: Move) -> Option<(Color, Square, Square)> {
    let us = before.turn();
    (before.role_at(mv.from()) == Some(Role::King)).then(|| (us, mv.from(), mv.to()))
}
