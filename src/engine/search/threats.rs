//! Threats: the squares that the opponent attacks.
//!
//! Butterfly histories distinguish moves from and to attacked squares (Koivisto, Ethereal). Moves
//! away from the attack of a less valuable piece are ordered early (Stockfish).

use crate::chess::attacks::{
    bishop_attacks, king_attacks, knight_attacks, queen_attacks, rook_attacks,
};
use crate::chess::{Bitboard, Color, Position, Role};

const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);

/// The squares that the opponent of the side to move attacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Threats {
    /// Attacked by any piece.
    pub(super) all: Bitboard,
    /// For each role, attacked by a less valuable piece.
    by_lesser: [Bitboard; 6],
}

impl Threats {
    pub(super) fn new(position: &Position) -> Threats {
        let them = !position.turn();
        let occupied = position.occupied();
        let by_pawn = pawn_threats(them, position.pieces(them, Role::Pawn));
        let mut by_minor = by_pawn;
        for square in position.pieces(them, Role::Knight) {
            by_minor |= knight_attacks(square);
        }
        for square in position.pieces(them, Role::Bishop) {
            by_minor |= bishop_attacks(square, occupied);
        }
        let mut by_rook = by_minor;
        for square in position.pieces(them, Role::Rook) {
            by_rook |= rook_attacks(square, occupied);
        }
        let mut all = by_rook | king_attacks(position.king(them));
        for square in position.pieces(them, Role::Queen) {
            all |= queen_attacks(square, occupied);
        }
        Threats {
            all,
            by_lesser: [Bitboard::EMPTY, by_pawn, by_pawn, by_minor, by_rook, Bitboard::EMPTY],
        }
    }

    /// The squares attacked by a less valuable piece than this role; empty for pawns and kings.
    #[inline]
    pub(super) fn by_lesser_than(&self, role: Role) -> Bitboard {
        self.by_lesser[role as usize]
    }
}

#[inline]
fn pawn_threats(color: Color, pawns: Bitboard) -> Bitboard {
    let (west, east) = (pawns.without(FILE_A), pawns.without(FILE_H));
    match color {
        Color::White => west.shift(7) | east.shift(9),
        Color::Black => west.shift(-9) | east.shift(-7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Square;

    #[test]
    fn threats_equal_the_attacked_squares() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/P6p/8/8/8/8/p6P/4K3 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let threats = Threats::new(&position);
            for square in Square::all() {
                let attacked = position.is_attacked(square, !position.turn(), position.occupied());
                assert_eq!(threats.all.contains(square), attacked, "{fen} {square:?}");
            }
            assert!(
                threats
                    .by_lesser_than(Role::Rook)
                    .without(threats.by_lesser_than(Role::Queen))
                    .is_empty()
            );
        }
    }
}
