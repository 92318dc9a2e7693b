//! Moves in SAN. What all moves of a position share (which squares give check, which pieces open a
//! line) is found once.

use crate::chess::attacks::{
    attacks, between, bishop_attacks, bishop_rays, knight_attacks, line, pawn_attacks,
    rook_attacks, rook_rays,
};
use crate::chess::{Bitboard, CastlingSide, Color, InlineStr, Move, Position, Role, Square};

/// A move in SAN, with what its marks say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct San {
    /// The text, with its mark.
    pub text: InlineStr,
    /// The move gives check; a mate too.
    pub check: bool,
    /// The move gives mate.
    pub mate: bool,
}

/// Writes a legal move: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `R1xa4#`.
pub fn to_san(position: &Position, mv: Move) -> String {
    SanWriter::new(position).write(mv).text.as_str().to_owned()
}

/// Writes legal moves of one position.
pub fn to_san_all(position: &Position, moves: &[Move]) -> Vec<San> {
    let writer = SanWriter::new(position);
    moves.iter().map(|&mv| writer.write(mv)).collect()
}

/// Writes the moves of one position.
pub struct SanWriter<'a> {
    position: &'a Position,
    us: Color,
    enemy_king: Square,
    /// The squares from which a pawn, knight, bishop and rook of ours would give check.
    check_squares: [Bitboard; 4],
    /// Our pieces that stand alone between the enemy king and a slider of ours.
    discovered_check_blockers: Bitboard,
}

impl<'a> SanWriter<'a> {
    /// Gets ready to write moves of that position.
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
    /// A move that is not legal gives a text that means nothing; it does not panic.
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
            // Two pieces leave their places: rare enough to try it.
            return self.position.after(mv).in_check();
        }
        if self.discovered_check_blockers.contains(from)
            && !line(self.enemy_king, from).contains(to)
        {
            return true;
        }
        if let Some(role) = mv.promotion() {
            // The new piece may look back over the square that the pawn has left.
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

    /// Names the file, else the rank, else both, when another piece of the kind may go to the same
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
        // The move at hand is legal, so its square answers any check: only a pin can hold the
        // others back.
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

fn discovered_check_blockers(position: &Position, us: Color, enemy_king: Square) -> Bitboard {
    let ours = position.by_color(us);
    let occupied = position.occupied();
    let snipers = ((bishop_rays(enemy_king) & position.diagonal_sliders())
        | (rook_rays(enemy_king) & position.orthogonal_sliders()))
        & ours;
    let mut candidates = Bitboard::EMPTY;
    for sniper in snipers {
        let blockers = between(enemy_king, sniper) & occupied;
        if !blockers.more_than_one() {
            candidates |= blockers & ours;
        }
    }
    candidates
}
