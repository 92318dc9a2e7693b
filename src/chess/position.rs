//! A legal position: its pieces, state, keys and attack queries.

mod make_move;

use super::attacks::{
    bishop_attacks, bishop_rays, king_attacks, knight_attacks, pawn_attacks, rook_attacks,
    rook_rays,
};
use super::setup::push_empty_squares;
use super::{
    Bitboard, CastlingRights, CastlingSide, Color, File, Move, MoveKind, Piece, Rank, Role, Setup,
    Square, zobrist,
};

/// A legal position, with the checkers and pinned pieces that move generation needs.
///
/// A position is built from a validated [`Setup`] and changes only by legal moves. To take a move
/// back, keep a copy of the position before it (copy-make).
///
/// ```
/// use kibitzer::chess::{Color, Position, parse_move};
///
/// let mut position = Position::startpos();
/// assert_eq!(position.legal_moves().len(), 20);
///
/// let mv = parse_move(&position, "e4").expect("e4 is legal");
/// position.play(mv);
/// assert_eq!(position.turn(), Color::Black);
/// assert_eq!(position.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Position {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    key: u64,
    pawn_key: u64,
    /// The pieces that give check to the side to move.
    checkers: Bitboard,
    /// The pieces of the side to move that are alone between their king and an enemy slider.
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
    /// The start position of standard chess.
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

    /// Builds the position of a legal setup. The position keeps the en passant square only if a
    /// capture there is legal.
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

    /// The position as a setup.
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

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    #[inline]
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// The role of the piece on a square.
    #[inline]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        match self.board[square.index()] {
            Some(piece) => Some(piece.role()),
            None => None,
        }
    }

    /// The pieces of a role, of both players.
    #[inline]
    pub const fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize]
    }

    /// The pieces of a player.
    #[inline]
    pub const fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The pieces of a player with a role.
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

    /// The square of a player's king.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::from_index(self.pieces(color, Role::King).0.trailing_zeros() as u8)
    }

    /// The castling rights with the files of their rooks.
    #[inline]
    pub const fn castling_rights(&self) -> CastlingRights {
        self.castling_rights
    }

    /// The square of a legal en passant capture; `None` if no such capture is legal.
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

    /// The full-move number. It starts at 1 and increases after Black's move.
    #[inline]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The frozen Zobrist key of layout version 1. It does not depend on the clocks.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The Zobrist key of the pawns only.
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

    /// The square of the king in check, if there is one.
    pub fn checked_king(&self) -> Option<Square> {
        self.in_check().then(|| self.king(self.turn()))
    }

    /// The pieces of the side to move that are alone between their king and an enemy slider.
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The square of the rook of a castling right; `None` without the right.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.castling_rights
            .rook_file(color, side)
            .map(|file| Square::new(file, Rank::First.relative_to(color)))
    }

    /// `true` when a castling right has its king or rook on a non-standard file.
    pub fn is_chess960(&self) -> bool {
        !self.castling_rights.are_standard(|color| self.king(color).file())
    }

    /// `true` when the side to move has a piece besides its king and pawns.
    #[inline]
    pub const fn has_non_pawn_material(&self) -> bool {
        self.by_color(self.turn).without(self.by_role(Role::Pawn)).more_than_one()
    }

    /// The role of the piece that a legal move captures, en passant included.
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

    /// The pieces of both players that attack a square, with the given occupied squares.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (pawn_attacks(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (pawn_attacks(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (knight_attacks(square) & self.by_role(Role::Knight))
            | (king_attacks(square) & self.by_role(Role::King))
            | (bishop_attacks(square, occupied) & self.diagonal_sliders())
            | (rook_attacks(square, occupied) & self.orthogonal_sliders())
    }

    /// `true` when a piece of `by` attacks the square, with the given occupied squares.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let attackers = self.by_color(by);
        (pawn_attacks(!by, square) & self.by_role(Role::Pawn)).intersects(attackers)
            || (knight_attacks(square) & self.by_role(Role::Knight)).intersects(attackers)
            || (king_attacks(square) & self.by_role(Role::King)).intersects(attackers)
            || self.is_attacked_by_slider(square, by, occupied)
    }

    /// `true` when a slider of `by` attacks the square, with the given occupied squares.
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
        // Most squares have no slider on their lines. The cheap test avoids the table access.
        (bishop_rays(square).intersects(diagonal)
            && bishop_attacks(square, occupied).intersects(diagonal))
            || (rook_rays(square).intersects(orthogonal)
                && rook_attacks(square, occupied).intersects(orthogonal))
    }

    /// The sliders of `by` that would attack the square on a board without other pieces.
    #[inline]
    pub fn snipers(&self, square: Square, by: Color) -> Bitboard {
        ((bishop_rays(square) & self.diagonal_sliders())
            | (rook_rays(square) & self.orthogonal_sliders()))
            & self.by_color(by)
    }

    /// `true` when no slider attacks the king of the side to move after an en passant capture. Two
    /// pawns leave their lines.
    pub(super) fn is_king_safe_after_en_passant(&self, from: Square, target: Square) -> bool {
        let us = self.turn;
        let victim = target.forward(!us).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ victim) | target.bitboard();
        !self.is_attacked_by_slider(self.king(us), !us, occupied)
    }

    /// The move of a pawn that does not promote, with its kind.
    pub(super) fn new_pawn_move(&self, from: Square, to: Square, capture: bool) -> Move {
        let kind = if from.file() != to.file() && self.en_passant() == Some(to) {
            MoveKind::EnPassant
        } else if capture {
            MoveKind::Capture
        } else if (from.rank() as u8).abs_diff(to.rank() as u8) == 2 {
            MoveKind::DoublePush
        } else {
            MoveKind::Quiet
        };
        Move::new(from, to, kind)
    }

    /// The piece placement in the form of a FEN.
    pub(super) fn board_fen(&self) -> String {
        let mut text = String::with_capacity(72);
        self.write_board(&mut text);
        text
    }

    /// Appends the piece placement in the form of a FEN.
    pub(super) fn write_board(&self, text: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut next = 0;
            for square in self.occupied() & rank.bitboard() {
                if let Some(piece) = self.piece_at(square) {
                    let file = square.file() as u8;
                    push_empty_squares(text, file - next);
                    next = file + 1;
                    text.push(piece.letter());
                }
            }
            push_empty_squares(text, 8 - next);
            if rank != Rank::First {
                text.push('/');
            }
        }
    }
}

#[cfg(test)]
mod tests;
