//! Winning captures, the best one first: the line that quiescence search tends to follow.
//!
//! The engine's static exchange evaluation is private to its search. A plainer rule does here: a
//! capture is good if it wins at least what the capturing piece is worth, or if nothing attacks
//! the square afterwards. It differs where a second attacker makes up for a recapture by a more
//! valuable piece. Such a line ends a capture early, at a position that is as good to learn from.

use kibitzer::chess::{Move, MoveGenType, Position, Role};

/// The values of the roles, pawn to king. A king's capture is legal only where nothing recaptures.
const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 0];

/// The good capture or promotion to a queen that gains the most; `None` if there is none. Of equal
/// gains the one of the least valuable piece is best.
pub(super) fn best_capture(position: &Position) -> Option<Move> {
    let mut best: Option<(i32, Move)> = None;
    position.for_each_move(MoveGenType::Noisy, |mv| {
        let promotes = mv.is_promotion();
        if promotes && mv.promotion() != Some(Role::Queen) {
            return;
        }
        let Some(mover) = position.role_at(mv.from()) else { return };
        let (gain, risk) = gain_and_risk(position, mv, mover);
        let rank = 16 * gain - risk;
        let is_better = best
            .is_none_or(|(best_rank, best_move)| (rank, best_move.code()) > (best_rank, mv.code()));
        if is_better && (gain >= risk || !is_recapturable(position, mv)) {
            best = Some((rank, mv));
        }
    });
    best.map(|(_, mv)| mv)
}

/// The material that a move wins, and what a recapture would win.
fn gain_and_risk(position: &Position, mv: Move, mover: Role) -> (i32, i32) {
    let value = |role: Role| VALUES[role as usize];
    let victim = position.victim(mv).map_or(0, value);
    match mv.promotion() {
        Some(role) => (victim + value(role) - value(Role::Pawn), value(role)),
        None => (victim, value(mover)),
    }
}

fn is_recapturable(position: &Position, mv: Move) -> bool {
    let occupied = position.occupied().without(mv.from().bitboard());
    position.is_attacked(mv.to(), !position.turn(), occupied)
}
