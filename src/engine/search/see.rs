//! Static exchange evaluation: the material that a sequence of captures on one square wins.
//!
//! Chess Programming Wiki, "Static Exchange Evaluation", "SEE - The Swap Algorithm". As in
//! Stockfish, the result is compared with a threshold.

use crate::chess::attacks::{bishop_attacks, rook_attacks, sole_blockers};
use crate::chess::{Bitboard, Color, Move, Position, Role, Square};
use crate::engine::score::Value;

/// The exchange values of the roles, pawn to king, in the units of the search.
const SEE_VALUES: [Value; 6] = [210, 780, 820, 1280, 2540, 40_000];

/// The exchange value of a role.
#[inline]
pub(super) const fn see_value(role: Role) -> Value {
    SEE_VALUES[role as usize]
}

/// The material that a move captures and promotes to, before any recapture.
#[inline]
pub(super) fn material_gain(position: &Position, mv: Move) -> Value {
    position.victim(mv).map_or(0, see_value)
        + mv.promotion().map_or(0, |role| see_value(role) - see_value(Role::Pawn))
}

/// `true` when the exchange that the move begins wins at least `threshold` for its side. A pinned
/// piece does not recapture. Pins follow the exchange: they are computed anew after every capture.
/// (Stockfish uses the pins before the move.)
pub(super) fn see_at_least(position: &Position, mv: Move, threshold: Value) -> bool {
    if mv.is_castling() {
        return threshold <= 0;
    }
    let (from, to) = (mv.from(), mv.to());
    let mut balance = material_gain(position, mv) - threshold;
    if balance < 0 {
        return false;
    }
    let Some(mover) = mv.promotion().or_else(|| position.role_at(from)) else { return false };
    balance -= see_value(mover);
    if balance >= 0 {
        return true;
    }

    let mut occupied = position.occupied().without(from.bitboard()) | to.bitboard();
    if mv.is_en_passant() {
        occupied = occupied.without(to.forward(!position.turn()).bitboard());
    }
    let (diagonal, straight) = (position.diagonal_sliders(), position.orthogonal_sliders());
    let mut attackers = position.attackers_to(to, occupied) & occupied;
    let mut side = !position.turn();
    loop {
        let mut ours = attackers & position.by_color(side);
        if ours.is_nonempty() {
            ours = ours.without(pinned_pieces(position, side, occupied, to));
        }
        let Some(role) = least_valuable_role(position, ours) else { break };
        // The king may not capture a defended piece.
        if role == Role::King && attackers.intersects(position.by_color(!side)) {
            break;
        }
        let capturers = ours & position.by_role(role);
        occupied ^= capturers.first().map_or(Bitboard::EMPTY, |square| square.bitboard());
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= rook_attacks(to, occupied) & straight;
        }
        attackers &= occupied;
        side = !side;
        // A side that is not behind even after the loss of the piece just used wins the exchange.
        balance = -balance - 1 - see_value(role);
        if balance >= 0 {
            break;
        }
    }
    side != position.turn()
}

/// The pieces that alone stand between the king of this side and a hostile slider, with the given
/// occupied squares. A slider on `target`, the square of the exchange, was captured: it pins
/// nothing.
#[inline]
fn pinned_pieces(position: &Position, side: Color, occupied: Bitboard, target: Square) -> Bitboard {
    let king = position.king(side);
    let snipers = position.snipers(king, !side) & occupied.without(target.bitboard());
    sole_blockers(king, snipers, occupied)
}

/// The role of the least valuable of these pieces.
#[inline]
fn least_valuable_role(position: &Position, pieces: Bitboard) -> Option<Role> {
    Role::ALL.into_iter().find(|&role| pieces.intersects(position.by_role(role)))
}

#[cfg(test)]
mod tests;
