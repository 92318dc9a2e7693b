//! A legal position: the only code that touches bitboards, mailbox and keys together, so that they
//! cannot drift apart.

use super::attacks::{
    between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, pawn_attacks, rook_attacks,
    rook_rays,
};
use super::{
    Bitboard, CastlingRights, CastlingSide, Color, File, Move, Piece, Rank, Role, Setup, Square,
    zobrist,
};

/// Where kings and rooks with castling rights stand.
const BACK_RANKS: Bitboard = Bitboard(0xff00_0000_0000_00ff);

/// A legal position, with everything that move generation wants to know of it.
///
/// Made from a [`Setup`] that proved valid, and changed by legal moves only. Copying it is how a
/// move is taken back (copy-make).
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Position {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    key: u64,
    pawn_key: u64,
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that stand alone between their king and an enemy slider.
    pinned: Bitboard,
    board: [Option<Piece>; 64],
    castling_rights: CastlingRights,
    /// The file of a legal en passant capture.
    en_passant: Option<File>,
    turn: Color,
    halfmove_clock: u16,
    fullmove_number: u16,
}

impl Position {
    /// The start of standard chess.
    pub fn startpos() -> Position {
        let mut setup = Setup { castling_rights: CastlingRights::STANDARD, ..Setup::EMPTY };
        let back_rank = [
            Role::Rook,
            Role::Knight,
            Role::Bishop,
            Role::Queen,
            Role::King,
            Role::Bishop,
            Role::Knight,
            Role::Rook,
        ];
        for (file, role) in File::ALL.into_iter().zip(back_rank) {
            for color in Color::ALL {
                setup.board[Square::new(file, Rank::First.relative_to(color)).index()] =
                    Some(Piece::new(color, role));
                setup.board[Square::new(file, Rank::Second.relative_to(color)).index()] =
                    Some(Piece::new(color, Role::Pawn));
            }
        }
        Position::from_setup_unchecked(&setup)
    }

    /// Builds the position of a setup that has been found legal. An en passant square stays only
    /// where a legal capture exists.
    pub(super) fn from_setup_unchecked(setup: &Setup) -> Position {
        let mut position = Position {
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            key: 0,
            pawn_key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            board: [None; 64],
            castling_rights: setup.castling_rights,
            en_passant: None,
            turn: setup.turn,
            halfmove_clock: setup.halfmove_clock,
            fullmove_number: setup.fullmove_number,
        };
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                position.put_piece(piece, square);
            }
        }
        for (color, _, rook) in setup.castling_rights.iter() {
            position.key ^= zobrist::castling(color, rook);
        }
        if setup.turn == Color::Black {
            position.key ^= zobrist::BLACK_TO_MOVE;
        }
        if let Some(target) = setup.en_passant {
            position.set_en_passant_if_legal(target);
        }
        position.update_check_info();
        position
    }

    /// The same position as a setup.
    pub fn to_setup(&self) -> Setup {
        Setup {
            board: self.board,
            turn: self.turn,
            castling_rights: self.castling_rights,
            en_passant: self.en_passant(),
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
        }
    }

    /// Who is to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// The kind of the piece on a square.
    #[inline]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        match self.board[square.index()] {
            Some(piece) => Some(piece.role()),
            None => None,
        }
    }

    /// All pieces of a kind, of both players.
    #[inline]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize]
    }

    /// All pieces of a player.
    #[inline]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The pieces of a player and kind.
    #[inline]
    pub const fn pieces(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.roles[role as usize].0 & self.colors[color as usize].0)
    }

    /// The bishops and queens of both players.
    #[inline]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Bishop) | self.by_role(Role::Queen)
    }

    /// The rooks and queens of both players.
    #[inline]
    pub fn orthogonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Rook) | self.by_role(Role::Queen)
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Where a player's king stands.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::from_index(self.pieces(color, Role::King).0.trailing_zeros() as u8)
    }

    /// Who may still castle, and with which rooks.
    #[inline]
    pub const fn castling_rights(&self) -> CastlingRights {
        self.castling_rights
    }

    /// The square that a pawn may capture en passant on: present only where such a capture is
    /// legal.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        match self.en_passant {
            Some(file) => Some(Square::new(file, Rank::Sixth.relative_to(self.turn))),
            None => None,
        }
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move, from 1, raised after Black's.
    #[inline]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The frozen Zobrist key (FORMATS, layout version 1). Clocks are not in it.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key of the pawns alone.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// `true` when the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers.is_nonempty()
    }

    /// The pieces of the side to move that stand alone between their king and an enemy slider.
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The square of the rook that a player castles with to a side.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.castling_rights
            .rook_file(color, side)
            .map(|file| Square::new(file, Rank::First.relative_to(color)))
    }

    /// `true` when some castling right is not the standard one: king on e, rooks on a and h.
    pub fn is_chess960(&self) -> bool {
        self.castling_rights.iter().any(|(color, side, rook)| {
            let home = CastlingRights::STANDARD.rook_file(color, side);
            home != Some(rook) || self.king(color).file() != File::E
        })
    }

    /// `true` when the side to move has more than its king and pawns.
    #[inline]
    pub const fn has_non_pawn_material(&self) -> bool {
        self.by_color(self.turn).without(self.by_role(Role::Pawn)).more_than_one()
    }

    /// The kind of the piece that a legal move takes, en passant included.
    #[inline]
    pub const fn victim(&self, mv: Move) -> Option<Role> {
        if mv.is_en_passant() {
            Some(Role::Pawn)
        } else if mv.is_capture() {
            self.role_at(mv.to())
        } else {
            None
        }
    }

    /// The pieces of both players that attack a square when these squares are occupied.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (pawn_attacks(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (pawn_attacks(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (knight_attacks(square) & self.by_role(Role::Knight))
            | (king_attacks(square) & self.by_role(Role::King))
            | (bishop_attacks(square, occupied) & self.diagonal_sliders())
            | (rook_attacks(square, occupied) & self.orthogonal_sliders())
    }

    /// `true` when a piece of `by` attacks the square with these squares occupied.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let attackers = self.by_color(by);
        (pawn_attacks(!by, square) & self.by_role(Role::Pawn)).intersects(attackers)
            || (knight_attacks(square) & self.by_role(Role::Knight)).intersects(attackers)
            || (king_attacks(square) & self.by_role(Role::King)).intersects(attackers)
            || self.is_attacked_by_slider(square, by, occupied)
    }

    #[inline]
    pub(super) fn is_attacked_by_slider(
        &self,
        square: Square,
        by: Color,
        occupied: Bitboard,
    ) -> bool {
        let attackers = self.by_color(by);
        let diagonal = self.diagonal_sliders() & attackers;
        let orthogonal = self.orthogonal_sliders() & attackers;
        // Most squares have no slider on their lines at all: look before the dearer table access.
        (bishop_rays(square).intersects(diagonal)
            && bishop_attacks(square, occupied).intersects(diagonal))
            || (rook_rays(square).intersects(orthogonal)
                && rook_attacks(square, occupied).intersects(orthogonal))
    }

    /// Plays a legal move.
    ///
    /// A move that is not legal here leaves a position that means nothing; it does not panic.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.clone().make_move(mv, self);
    }

    /// The position after a legal move.
    ///
    /// A move that is not legal here gives a position that means nothing; it does not panic.
    #[inline]
    pub fn after(&self, mv: Move) -> Position {
        let mut child = self.clone();
        self.make_move(mv, &mut child);
        child
    }

    /// The same into a place that is there already, whatever it held: one copy less, for loops over
    /// many moves.
    #[inline(always)]
    pub fn after_into(&self, mv: Move, child: &mut Position) {
        self.copy_fields_to(child);
        self.make_move(mv, child);
    }

    /// Field by field: so the copy is a dozen register moves where `clone_from` calls `memcpy`
    /// (measured: a tenth of perft's time).
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

    /// Turns `child`, a copy of `self`, into the position after a move. All that decides the way is
    /// read from `self`: the fresh copy is still on its way to the cache.
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

    /// Passes the move to the other side, for the search's null move. Not to be played in check.
    pub fn play_null_move(&mut self) {
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.turn = !self.turn;
        self.key ^= zobrist::BLACK_TO_MOVE;
        self.update_check_info();
    }

    #[inline]
    fn put_piece(&mut self, piece: Piece, square: Square) {
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

    /// The one place where sets and keys change.
    #[inline]
    fn toggle_piece(&mut self, piece: Piece, squares: Bitboard, key: u64) {
        self.roles[piece.role() as usize] ^= squares;
        self.colors[piece.color() as usize] ^= squares;
        self.key ^= key;
        // Without a branch: which kind moves is what a processor guesses worst.
        self.pawn_key ^= key & u64::from(piece.role() != Role::Pawn).wrapping_sub(1);
    }

    fn castle(&mut self, us: Color, king_from: Square, king_to: Square, side: CastlingSide) {
        let Some(rook_from) = self.castling_rook(us, side) else { return };
        let rook_to = castled_rook_square(us, side);
        let (king, rook) = (Piece::new(us, Role::King), Piece::new(us, Role::Rook));
        // In Chess960 either may arrive where the other stood: first lift both.
        self.remove_piece(king, king_from);
        self.remove_piece(rook, rook_from);
        self.put_piece(king, king_to);
        self.put_piece(rook, rook_to);
        self.remove_castling_right(us, CastlingSide::King);
        self.remove_castling_right(us, CastlingSide::Queen);
    }

    /// Takes away the rights that a move of `role` ends: a king's or rook's own, and those of a
    /// rook taken on `to`.
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

    /// Notes the square that a pawn has just passed, if the side to move can legally capture there.
    #[inline]
    pub(super) fn set_en_passant_if_legal(&mut self, target: Square) {
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

    /// `true` when no slider sees the king of the side to move once its pawn has captured en
    /// passant: two pawns leave the lines.
    pub(super) fn is_king_safe_after_en_passant(&self, from: Square, target: Square) -> bool {
        let us = self.turn;
        let victim = target.forward(!us).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ victim) | target.bitboard();
        !self.is_attacked_by_slider(self.king(us), !us, occupied)
    }

    /// Finds checkers and pinned pieces anew: from the king's place outwards to the enemy sliders
    /// that look at it.
    #[inline]
    fn update_check_info(&mut self) {
        let us = self.turn;
        let king = self.king(us);
        let enemies = self.by_color(!us);
        let occupied = self.occupied();
        self.checkers = ((knight_attacks(king) & self.by_role(Role::Knight))
            | (pawn_attacks(us, king) & self.by_role(Role::Pawn)))
            & enemies;
        self.pinned = Bitboard::EMPTY;
        let snipers = ((bishop_rays(king) & self.diagonal_sliders())
            | (rook_rays(king) & self.orthogonal_sliders()))
            & enemies;
        for sniper in snipers {
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

/// Where the king arrives when it castles.
#[inline]
pub const fn castled_king_square(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::King => File::G,
        CastlingSide::Queen => File::C,
    };
    Square::new(file, Rank::First.relative_to(color))
}

/// Where the rook arrives when its king castles.
#[inline]
pub const fn castled_rook_square(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::King => File::F,
        CastlingSide::Queen => File::D,
    };
    Square::new(file, Rank::First.relative_to(color))
}

#[cfg(test)]
mod tests;
