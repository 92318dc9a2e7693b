//! Zobrist keys of parts of a position, by which the correction histories are indexed.

use crate::chess::{
    CastlingSide, Move, Piece, Position, Role, Square, castled_rook_square, zobrist,
};

/// Zobrist keys of each player's pieces without the pawns, and of both players' knights, bishops
/// and kings.
///
/// The search updates them along its line, so that a `Position` need not store them. (Non-pawn and
/// minor keys: after Stockfish and Reckless.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct CorrectionKeys {
    pub(super) non_pawn: [u64; 2],
    pub(super) minor: u64,
}

impl CorrectionKeys {
    /// Computes the keys of a position from its board.
    pub(in crate::engine) fn from_position(position: &Position) -> CorrectionKeys {
        let mut keys = CorrectionKeys::default();
        for square in Square::all() {
            if let Some(piece) = position.piece_at(square) {
                keys.toggle(piece, square);
            }
        }
        keys
    }

    /// The keys after a legal move in `before`, whose keys these are.
    #[inline]
    pub(in crate::engine) fn after(mut self, before: &Position, mv: Move) -> CorrectionKeys {
        let (from, to) = (mv.from(), mv.to());
        let us = before.turn();
        let Some(piece) = before.piece_at(from) else { return self };
        if let Some(side) = mv.castling_side() {
            self.toggle_castling(before, mv, side);
            return self;
        }
        if mv.is_capture()
            && !mv.is_en_passant()
            && let Some(victim) = before.piece_at(to)
        {
            self.toggle(victim, to);
        }
        self.toggle(piece, from);
        self.toggle(mv.promotion().map_or(piece, |role| Piece::new(us, role)), to);
        self
    }

    #[cold]
    fn toggle_castling(&mut self, before: &Position, mv: Move, side: CastlingSide) {
        let us = before.turn();
        let king = Piece::new(us, Role::King);
        self.toggle(king, mv.from());
        self.toggle(king, mv.to());
        if let Some(rook_from) = before.castling_rook(us, side) {
            let rook = Piece::new(us, Role::Rook);
            self.toggle(rook, rook_from);
            self.toggle(rook, castled_rook_square(us, side));
        }
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let role = piece.role();
        if role == Role::Pawn {
            return;
        }
        let zobrist_key = zobrist::piece(piece, square);
        self.non_pawn[piece.color() as usize] ^= zobrist_key;
        if matches!(role, Role::Knight | Role::Bishop | Role::King) {
            self.minor ^= zobrist_key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incremental_keys_equal_keys_from_scratch() {
        let starts = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "4k3/1P2r3/8/2Pp4/8/8/4p3/R1K5 w - d6 0 2",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ];
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for round in 0..60 {
            let mut position = Position::from_fen(starts[round % starts.len()]).unwrap();
            let mut keys = CorrectionKeys::from_position(&position);
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let mv = moves[(random >> 33) as usize % moves.len()];
                keys = keys.after(&position, mv);
                position.play(mv);
                assert_eq!(
                    keys,
                    CorrectionKeys::from_position(&position),
                    "{} after {mv:?}",
                    position.fen()
                );
            }
        }
    }
}
