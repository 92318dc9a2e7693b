//! The detection of checking moves without making them.
//!
//! Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".

use crate::chess::attacks::{attacks, bishop_attacks, line, rook_attacks, sole_blockers};
use crate::chess::{Bitboard, Move, Position, Role, Square};

/// The squares from which the side to move can give check.
pub(super) struct CheckInfo {
    /// The square of the opponent's king.
    king: Square,
    /// For each role, the squares from which it gives check.
    check_squares: [Bitboard; 6],
    /// Pieces that alone block the line from one of our sliders to the king.
    blockers: Bitboard,
}

impl CheckInfo {
    pub(super) fn new(position: &Position) -> CheckInfo {
        let (us, them) = (position.turn(), !position.turn());
        let (king, occupied) = (position.king(them), position.occupied());
        let (diagonal, straight) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let knight = attacks(them, Role::Knight, king, occupied);
        let pawn = attacks(them, Role::Pawn, king, occupied);
        CheckInfo {
            king,
            check_squares: [pawn, knight, diagonal, straight, diagonal | straight, Bitboard::EMPTY],
            blockers: sole_blockers(king, position.snipers(king, us), occupied),
        }
    }

    /// The squares from which a piece of this role gives check on the current board.
    #[inline]
    pub(super) fn check_squares(&self, role: Role) -> Bitboard {
        self.check_squares[role as usize]
    }

    /// `false` only when the move gives no check. Always `true` for castling, en passant and
    /// promotions.
    #[inline]
    pub(super) fn may_give_check(&self, position: &Position, mv: Move) -> bool {
        if mv.is_castling() || mv.is_en_passant() || mv.is_promotion() {
            return true;
        }
        let Some(role) = position.role_at(mv.from()) else { return true };
        self.check_squares(role).contains(mv.to())
            || self.blockers.contains(mv.from()) && !line(self.king, mv.from()).contains(mv.to())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests every move of a few thousand positions of random games. No checking move may be
    /// missed, and few other moves may be reported.
    #[test]
    fn no_checking_move_is_missed() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "1k1r4/8/4q3/8/8/1K3Q2/8/2R1R3 w - - 0 1",
        ];
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let (mut checks, mut reported, mut all) = (0, 0, 0);
        for round in 0..100 {
            let mut position = Position::from_fen(starts[round % starts.len()]).unwrap();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let check_info = CheckInfo::new(&position);
                for mv in &moves {
                    let gives_check = position.after(mv).in_check();
                    let may = check_info.may_give_check(&position, mv);
                    assert!(may || !gives_check, "{} {mv:?}", position.fen());
                    checks += u32::from(gives_check);
                    reported += u32::from(may);
                    all += 1;
                }
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                position.play(moves[(random >> 33) as usize % moves.len()]);
            }
        }
        assert!(
            checks > 1_000 && reported < all / 5,
            "{checks} checks and {reported} reported of {all} moves"
        );
    }
}
