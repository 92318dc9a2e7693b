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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every move of a few thousand positions of random games: none that gives check is denied, and few others are suspected.
    #[test]
    fn no_check_is_ever_overlooked() {
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "1k1r4/8/4q3/8/8/1K3Q2/8/2R1R3 w - - 0 1",
        ];
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let (mut checks, mut suspected, mut all) = (0, 0, 0);
        for round in 0..100 {
            let mut position = Position::from_fen(starts[round % starts.len()]).unwrap();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for mv in &moves {
                    let gives_check = position.after(mv).in_check();
                    let may = may_check(&position, mv);
                    assert!(may || !gives_check, "{} {mv:?}", position.fen());
                    checks += u32::from(gives_check);
                    suspected += u32::from(may);
                    all += 1;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                position.play(moves[(random >> 33) as usize % moves.len()]);
            }
        }
        assert!(checks > 1_000 && suspected < all / 5, "{checks} checks, {suspected} suspected of {all}");
    }
}
