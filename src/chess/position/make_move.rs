//! Making moves: the incremental update of a position.
//!
//! Bitboards, mailbox and keys change only here, so they cannot diverge.

use super::Position;
use crate::chess::attacks::{between, knight_attacks, pawn_attacks};
use crate::chess::{
    Bitboard, CastlingSide, Color, Move, Piece, Role, Square, castled_rook_square, zobrist,
};

/// The squares of kings and rooks with castling rights.
const BACK_RANKS: Bitboard = Bitboard(0xff00_0000_0000_00ff);

impl Position {
    /// Plays a legal move.
    ///
    /// An illegal move leaves a meaningless position. It does not panic.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.clone().make_move(mv, self);
    }

    /// The position after a legal move.
    ///
    /// An illegal move gives a meaningless position. It does not panic.
    #[inline]
    pub fn after(&self, mv: Move) -> Position {
        let mut child = self.clone();
        self.make_move(mv, &mut child);
        child
    }

    /// Writes the position after a legal move into `child` and overwrites all of it.
    ///
    /// Loops over many moves use this to save one copy per move.
    #[inline(always)]
    pub fn after_into(&self, mv: Move, child: &mut Position) {
        self.copy_fields_to(child);
        self.make_move(mv, child);
    }

    /// Copies the fields that [`Position::make_move_as`] does not always set.
    ///
    /// The copy by field takes a dozen register moves. `clone_from` calls `memcpy`, which costs a
    /// tenth of the time of perft (measured).
    #[inline(always)]
    fn copy_fields_to(&self, child: &mut Position) {
        child.roles = self.roles;
        child.colors = self.colors;
        child.key = self.key;
        child.pawn_key = self.pawn_key;
        child.board = self.board;
        child.castling_rights = self.castling_rights;
        child.en_passant = self.en_passant;
    }

    #[inline(always)]
    fn make_move(&self, mv: Move, child: &mut Position) {
        match self.turn {
            Color::White => self.make_move_as::<true>(mv, child),
            Color::Black => self.make_move_as::<false>(mv, child),
        }
    }

    /// Turns `child`, a copy of `self`, into the position after a move.
    ///
    /// Branches depend only on `self`, because the new copy may not be in the cache yet.
    fn make_move_as<const WHITE: bool>(&self, mv: Move, child: &mut Position) {
        let us = if WHITE { Color::White } else { Color::Black };
        let (from, to) = (mv.from(), mv.to());
        child.key ^= zobrist::BLACK_TO_MOVE;
        if let Some(file) = self.en_passant {
            child.en_passant = None;
            child.key ^= zobrist::en_passant(file);
        }
        child.turn = !us;
        child.halfmove_clock = self.halfmove_clock.saturating_add(1);
        child.fullmove_number = self.fullmove_number.saturating_add(us as u16);

        if let Some(side) = mv.castling_side() {
            child.castle(us, from, to, side);
        } else if let Some(piece) = self.board[from.index()] {
            let role = piece.role();
            if mv.is_capture() {
                let victim_square = if mv.is_en_passant() { to.forward(!us) } else { to };
                if let Some(victim) = self.board[victim_square.index()] {
                    child.remove_piece(victim, victim_square);
                }
                child.halfmove_clock = 0;
            }
            child.move_piece(piece, from, to);
            if role == Role::Pawn {
                child.halfmove_clock = 0;
                if let Some(promotion) = mv.promotion() {
                    child.remove_piece(piece, to);
                    child.put_piece(Piece::new(us, promotion), to);
                }
                if mv.is_double_push() {
                    child.set_en_passant_if_legal(from.forward(us));
                }
            }
            if (from.bitboard() | to.bitboard()).intersects(BACK_RANKS)
                && !self.castling_rights.is_empty()
            {
                child.update_castling_rights(us, role, from, to);
            }
        }
        child.update_check_info();
    }

    /// Plays the null move of the search. The side to move must not be in check.
    pub fn play_null_move(&mut self) {
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.turn = !self.turn;
        self.key ^= zobrist::BLACK_TO_MOVE;
        self.update_check_info();
    }

    #[inline]
    pub(super) fn put_piece(&mut self, piece: Piece, square: Square) {
        self.toggle_piece(piece, square.bitboard(), zobrist::piece(piece, square));
        self.board[square.index()] = Some(piece);
    }

    #[inline]
    fn remove_piece(&mut self, piece: Piece, square: Square) {
        self.toggle_piece(piece, square.bitboard(), zobrist::piece(piece, square));
        self.board[square.index()] = None;
    }

    #[inline]
    fn move_piece(&mut self, piece: Piece, from: Square, to: Square) {
        let key = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        self.toggle_piece(piece, from.bitboard() | to.bitboard(), key);
        self.board[from.index()] = None;
        self.board[to.index()] = Some(piece);
    }

    /// Flips squares of the bitboards of a piece, and its part of the keys.
    #[inline]
    fn toggle_piece(&mut self, piece: Piece, squares: Bitboard, key: u64) {
        self.roles[piece.role() as usize] ^= squares;
        self.colors[piece.color() as usize] ^= squares;
        self.key ^= key;
        // Branch-free: the role of the moving piece is hard to predict.
        self.pawn_key ^= key & u64::from(piece.role() != Role::Pawn).wrapping_sub(1);
    }

    fn castle(&mut self, us: Color, king_from: Square, king_to: Square, side: CastlingSide) {
        let Some(rook_from) = self.castling_rook(us, side) else { return };
        let rook_to = castled_rook_square(us, side);
        let (king, rook) = (Piece::new(us, Role::King), Piece::new(us, Role::Rook));
        // In Chess960 king and rook may exchange squares, so both are removed first.
        self.remove_piece(king, king_from);
        self.remove_piece(rook, rook_from);
        self.put_piece(king, king_to);
        self.put_piece(rook, rook_to);
        self.remove_castling_right(us, CastlingSide::King);
        self.remove_castling_right(us, CastlingSide::Queen);
    }

    /// Removes the rights that a move ends: those of a moving king or rook, and that of a rook
    /// captured on `to`.
    #[inline]
    fn update_castling_rights(&mut self, us: Color, role: Role, from: Square, to: Square) {
        for side in CastlingSide::ALL {
            if role == Role::King || self.castling_rook(us, side) == Some(from) {
                self.remove_castling_right(us, side);
            }
            if self.castling_rook(!us, side) == Some(to) {
                self.remove_castling_right(!us, side);
            }
        }
    }

    #[inline]
    fn remove_castling_right(&mut self, color: Color, side: CastlingSide) {
        if let Some(rook) = self.castling_rights.rook_file(color, side) {
            self.key ^= zobrist::castling(color, rook);
            self.castling_rights.set(color, side, None);
        }
    }

    #[inline]
    fn clear_en_passant(&mut self) {
        if let Some(file) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(file);
        }
    }

    /// Sets the en passant square if the side to move can legally capture there.
    #[inline]
    pub(in crate::chess) fn set_en_passant_if_legal(&mut self, target: Square) {
        let us = self.turn;
        let capturers = pawn_attacks(!us, target) & self.pieces(us, Role::Pawn);
        if capturers.is_nonempty() && self.has_legal_en_passant(target, capturers) {
            self.en_passant = Some(target.file());
            self.key ^= zobrist::en_passant(target.file());
        }
    }

    #[cold]
    fn has_legal_en_passant(&self, target: Square, mut capturers: Bitboard) -> bool {
        capturers.any(|from| self.is_king_safe_after_en_passant(from, target))
    }

    /// Computes checkers and pinned pieces from the king's square outwards.
    #[inline]
    pub(super) fn update_check_info(&mut self) {
        let us = self.turn;
        let king = self.king(us);
        let enemies = self.by_color(!us);
        let occupied = self.occupied();
        self.checkers = ((knight_attacks(king) & self.by_role(Role::Knight))
            | (pawn_attacks(us, king) & self.by_role(Role::Pawn)))
            & enemies;
        self.pinned = Bitboard::EMPTY;
        for sniper in self.snipers(king, !us) {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                self.checkers |= sniper.bitboard();
            } else if !blockers.more_than_one() {
                self.pinned |= blockers;
            }
        }
        self.pinned &= self.by_color(us);
    }
}
