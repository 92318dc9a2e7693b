//! SAN writer. It computes once per position what all moves share: the squares that give check, and
//! the pieces that discover a check.

use crate::chess::attacks::{
    attacks, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks, sole_blockers,
};
use crate::chess::{Bitboard, CastlingSide, Color, InlineStr, Move, Position, Role, Square};

/// A move in SAN, with its check and mate flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct San {
    /// The text with its suffix `+` or `#`.
    pub text: InlineStr,
    /// The move gives check. This is also set for a mate.
    pub check: bool,
    /// The move gives mate.
    pub mate: bool,
}

/// Writes a legal move: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `R1xa4#`.
pub fn to_san(position: &Position, mv: Move) -> String {
    SanWriter::new(position).write(mv).text.as_str().to_owned()
}

/// Writes several legal moves of one position.
pub fn to_san_all(position: &Position, moves: &[Move]) -> Vec<San> {
    let writer = SanWriter::new(position);
    moves.iter().map(|&mv| writer.write(mv)).collect()
}

/// A writer for the moves of one position.
pub struct SanWriter<'a> {
    position: &'a Position,
    us: Color,
    enemy_king: Square,
    /// The squares from which a pawn, knight, bishop and rook of the side to move give check.
    check_squares: [Bitboard; 4],
    /// Pieces of the side to move that are alone between the enemy king and an own slider.
    discovered_check_blockers: Bitboard,
}

impl<'a> SanWriter<'a> {
    /// A writer for the moves of a position.
    pub fn new(position: &'a Position) -> SanWriter<'a> {
        let us = position.turn();
        let king = position.king(!us);
        let occupied = position.occupied();
        let check_squares = [
            pawn_attacks(!us, king),
            knight_attacks(king),
            bishop_attacks(king, occupied),
            rook_attacks(king, occupied),
        ];
        SanWriter {
            position,
            us,
            enemy_king: king,
            check_squares,
            discovered_check_blockers: discovered_check_blockers(position, us, king),
        }
    }

    /// Writes a legal move.
    ///
    /// An illegal move gives a meaningless text. It does not panic.
    pub fn write(&self, mv: Move) -> San {
        let mut text = self.write_without_suffix(mv);
        let check = self.gives_check(mv);
        let mate = check && !self.position.after(mv).has_moves();
        if mate {
            text.push('#');
        } else if check {
            text.push('+');
        }
        San { text, check, mate }
    }

    /// `true` when the legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castling() || mv.is_en_passant() {
            // Two pieces leave their squares. Such moves are rare, so the move is made.
            return self.position.after(mv).in_check();
        }
        if self.discovered_check_blockers.contains(from)
            && !line(self.enemy_king, from).contains(to)
        {
            return true;
        }
        if let Some(role) = mv.promotion() {
            // The new piece may give check through the square that the pawn has left.
            let occupied = self.position.occupied() ^ from.bitboard();
            return attacks(self.us, role, to, occupied).contains(self.enemy_king);
        }
        match self.position.role_at(from) {
            Some(Role::Pawn) => self.check_squares[0].contains(to),
            Some(Role::Knight) => self.check_squares[1].contains(to),
            Some(Role::Bishop) => self.check_squares[2].contains(to),
            Some(Role::Rook) => self.check_squares[3].contains(to),
            Some(Role::Queen) => (self.check_squares[2] | self.check_squares[3]).contains(to),
            Some(Role::King) | None => false,
        }
    }

    fn write_without_suffix(&self, mv: Move) -> InlineStr {
        let mut text = InlineStr::EMPTY;
        match mv.castling_side() {
            Some(CastlingSide::King) => text.push_str("O-O"),
            Some(CastlingSide::Queen) => text.push_str("O-O-O"),
            None => match self.position.role_at(mv.from()) {
                Some(Role::Pawn) | None => push_pawn_move(&mut text, mv),
                Some(role) => self.push_piece_move(&mut text, mv, role),
            },
        }
        text
    }

    fn push_piece_move(&self, text: &mut InlineStr, mv: Move, role: Role) {
        text.push(role.upper_letter());
        if role != Role::King {
            self.disambiguate(text, mv, role);
        }
        if mv.is_capture() {
            text.push('x');
        }
        text.push_square(mv.to());
    }

    /// Writes the file, else the rank, else both, if another piece of the role can move to the same
    /// square.
    fn disambiguate(&self, text: &mut InlineStr, mv: Move, role: Role) {
        let (from, to) = (mv.from(), mv.to());
        let position = self.position;
        let others =
            attacks(self.us, role, to, position.occupied()) & position.pieces(self.us, role);
        let others = others.without(from.bitboard());
        if others.is_empty() {
            return;
        }
        // The move is legal, so its destination answers any check. Only a pin prevents the other
        // pieces from moving there.
        let king = position.king(self.us);
        let pinned =
            (others & position.pinned()).filter(|&other| !line(king, other).contains(to)).collect();
        let ambiguous = others.without(pinned);
        if ambiguous.is_empty() {
            return;
        }
        let same_file = ambiguous.intersects(from.file().bitboard());
        let same_rank = ambiguous.intersects(from.rank().bitboard());
        if !same_file || same_rank {
            text.push(from.file().letter());
        }
        if same_file {
            text.push((b'1' + from.rank() as u8) as char);
        }
    }
}

fn push_pawn_move(text: &mut InlineStr, mv: Move) {
    if mv.is_capture() {
        text.push(mv.from().file().letter());
        text.push('x');
    }
    text.push_square(mv.to());
    if let Some(role) = mv.promotion() {
        text.push('=');
        text.push(role.upper_letter());
    }
}

/// The pieces of `us` that discover a check when they leave their line to the enemy king.
fn discovered_check_blockers(position: &Position, us: Color, enemy_king: Square) -> Bitboard {
    let snipers = position.snipers(enemy_king, us);
    sole_blockers(enemy_king, snipers, position.occupied()) & position.by_color(us)
}
