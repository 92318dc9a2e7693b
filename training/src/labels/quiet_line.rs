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

#[cfg(test)]
mod tests {
    use super::*;
    use kibitzer::chess::to_san;

    #[test]
    fn the_best_capture_wins_most_material() {
        for (fen, best) in [
            // Nothing to take.
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None),
            // A pawn that the king protects is not worth a rook, a queen is.
            ("8/3k4/2p5/8/2R5/8/8/4K3 w - - 0 1", None),
            ("8/3k4/2q5/8/2R5/8/8/4K3 w - - 0 1", Some("Rxc6")),
            // An unprotected piece may be taken by any piece.
            ("4k3/8/8/2n5/8/8/8/2Q1K3 w - - 0 1", Some("Qxc5")),
            // The pawn takes before the rook.
            ("4k3/8/8/2n5/3P4/8/8/2R1K3 w - - 0 1", Some("dxc5")),
            // The rook loses its protection to the rook behind: it is not seen.
            ("2r1k3/2n5/8/8/8/8/2R5/2R1K3 w - - 0 1", None),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", Some("exd6")),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", Some("axb8=Q+")),
            ("r3k3/7P/8/8/8/8/8/4K3 w - - 0 1", Some("h8=Q+")),
            // The rook takes what promotes.
            ("2r1k3/7P/8/8/8/8/8/r3K3 w - - 0 1", None),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let found = best_capture(&position).map(|mv| to_san(&position, mv));
            assert_eq!(found.as_deref(), best, "{fen}");
        }
    }
}
