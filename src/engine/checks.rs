//! Which moves could give check, told without making them.

use crate::chess::attacks::{attacks, between, bishop_rays, rook_rays};
use crate::chess::{Move, Position, Role};

/// `false` only when the move gives no check. Castling, en passant and promotions are always `true`.
#[inline]
pub(super) fn may_check(position: &Position, mv: Move) -> bool {
    if mv.is_castling() || mv.is_en_passant() || mv.is_promotion() {
        return true;
    }
    let us = position.turn();
    let king = position.king(!us);
    let (from, to) = (mv.from(), mv.to());
    let Some(role) = position.role_at(from) else { return true };
    let occupied = position.occupied().without(from.bitboard()) | to.bitboard();
    if role != Role::King && attacks(us, role, to, occupied).contains(king) {
        return true;
    }
    // The piece may have stood between one of our sliders and the king.
    let ours = position.by_color(us).without(from.bitboard());
    let on_diagonal = bishop_rays(king).contains(from);
    let sliders = if on_diagonal {
        bishop_rays(king) & position.diagonal_sliders() & ours
    } else if rook_rays(king).contains(from) {
        rook_rays(king) & position.straight_sliders() & ours
    } else {
        return false;
    };
    let mut sliders = sliders;
    sliders.any(|slider| between(king, slider).contains(from))
}
