//! Legal move generation from bitboards, without making moves. En passant captures alone are tested
//! on the board, because they may open a line to the king.
//!
//! The generator passes sets of squares to a [`MoveSink`]. One sink lists the moves, another counts
//! them, so the bulk count of perft and the search use the same generator.
//!
//! Chess Programming Wiki, "Legal Move Generation", "Checks and Pinned Pieces (Bitboards)".
//! Counting in sets follows Gigantua and cozy-chess.

use super::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, rook_attacks,
};
use super::{
    Bitboard, CastlingSide, Color, File, Move, MoveKind, MoveList, Position, Rank, Role, Square,
    castled_king_square, castled_rook_square,
};

/// The class of moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveGenType {
    /// All legal moves.
    All,
    /// Captures and promotions: the moves that change the material.
    Noisy,
    /// All other moves, castling included.
    Quiet,
}

/// A receiver of generated moves.
trait MoveSink {
    /// Adds the moves of a knight, bishop, rook, queen or king to empty squares and to captures.
    fn add_piece_moves(&mut self, from: Square, quiets: Bitboard, captures: Bitboard);
    /// Adds pawn moves to these squares, without promotions. Each pawn comes from the square whose
    /// index is `delta` lower.
    fn add_pawn_moves(&mut self, to: Bitboard, delta: i8, kind: MoveKind);
    /// Adds promotions on these squares. Each pawn comes from the square whose index is `delta`
    /// lower.
    fn add_promotions(&mut self, to: Bitboard, delta: i8, capture: bool);
    /// Adds a castling move or an en passant capture.
    fn add_move(&mut self, mv: Move);
}

/// A sink that passes each move to a function.
struct ForEachSink<F>(F);

impl<F: FnMut(Move)> MoveSink for ForEachSink<F> {
    #[inline]
    fn add_piece_moves(&mut self, from: Square, quiets: Bitboard, captures: Bitboard) {
        for to in captures {
            self.0(Move::new(from, to, MoveKind::Capture));
        }
        for to in quiets {
            self.0(Move::new(from, to, MoveKind::Quiet));
        }
    }

    #[inline]
    fn add_pawn_moves(&mut self, to: Bitboard, delta: i8, kind: MoveKind) {
        for to in to {
            self.0(Move::new(to.offset(-delta), to, kind));
        }
    }

    #[inline]
    fn add_promotions(&mut self, to: Bitboard, delta: i8, capture: bool) {
        for to in to {
            for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                self.0(Move::new_promotion(to.offset(-delta), to, role, capture));
            }
        }
    }

    #[inline]
    fn add_move(&mut self, mv: Move) {
        self.0(mv);
    }
}

/// A sink that counts the moves.
struct CountSink(u64);

impl MoveSink for CountSink {
    #[inline]
    fn add_piece_moves(&mut self, _: Square, quiets: Bitboard, captures: Bitboard) {
        self.0 += u64::from((quiets | captures).count());
    }

    #[inline]
    fn add_pawn_moves(&mut self, to: Bitboard, _: i8, _: MoveKind) {
        self.0 += u64::from(to.count());
    }

    #[inline]
    fn add_promotions(&mut self, to: Bitboard, _: i8, _: bool) {
        self.0 += 4 * u64::from(to.count());
    }

    #[inline]
    fn add_move(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// A sink that looks for one move.
struct FindSink {
    candidate: Move,
    found: bool,
}

impl MoveSink for FindSink {
    fn add_piece_moves(&mut self, from: Square, quiets: Bitboard, captures: Bitboard) {
        let (mv, to) = (self.candidate, self.candidate.to());
        self.found |= (quiets.contains(to) && mv == Move::new(from, to, MoveKind::Quiet))
            || (captures.contains(to) && mv == Move::new(from, to, MoveKind::Capture));
    }

    fn add_pawn_moves(&mut self, to: Bitboard, delta: i8, kind: MoveKind) {
        let target = self.candidate.to();
        self.found |=
            to.contains(target) && self.candidate == Move::new(target.offset(-delta), target, kind);
    }

    fn add_promotions(&mut self, to: Bitboard, delta: i8, capture: bool) {
        let (mv, target) = (self.candidate, self.candidate.to());
        self.found |= to.contains(target)
            && mv.promotion().is_some_and(|role| {
                mv == Move::new_promotion(target.offset(-delta), target, role, capture)
            });
    }

    fn add_move(&mut self, mv: Move) {
        self.found |= mv == self.candidate;
    }
}

impl Position {
    /// All legal moves. For each piece, captures come before quiet moves; otherwise the order is
    /// unspecified.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.for_each_move(MoveGenType::All, |mv| list.push(mv));
        list
    }

    /// Calls a function with each legal move of one class, in the order of
    /// [`Position::legal_moves`].
    #[inline]
    pub fn for_each_move(&self, gen_type: MoveGenType, callback: impl FnMut(Move)) {
        let mut sink = ForEachSink(callback);
        match gen_type {
            MoveGenType::All => self.generate(MoveGenType::All, Bitboard::ALL, &mut sink),
            MoveGenType::Noisy => self.generate(MoveGenType::Noisy, Bitboard::ALL, &mut sink),
            MoveGenType::Quiet => self.generate(MoveGenType::Quiet, Bitboard::ALL, &mut sink),
        }
    }

    /// The number of legal moves. It is counted in sets of squares, without a list.
    pub fn count_moves(&self) -> u64 {
        let mut sink = CountSink(0);
        self.generate(MoveGenType::All, Bitboard::ALL, &mut sink);
        sink.0
    }

    /// `true` when the side to move has a legal move.
    pub fn has_moves(&self) -> bool {
        self.count_moves() > 0
    }

    /// `true` when the move and its kind are legal here. Every code is allowed, for example one
    /// from a table entry of another position.
    pub fn is_legal(&self, mv: Move) -> bool {
        let mut sink = FindSink { candidate: mv, found: false };
        self.generate(MoveGenType::All, mv.from().bitboard(), &mut sink);
        sink.found
    }

    /// `true` when each move of a line is legal in its turn.
    pub fn is_legal_line(&self, line: &[Move]) -> bool {
        let mut position = self.clone();
        line.iter().all(|&mv| {
            let is_legal = position.is_legal(mv);
            if is_legal {
                position.play(mv);
            }
            is_legal
        })
    }

    #[inline(always)]
    fn generate<S: MoveSink>(&self, gen_type: MoveGenType, movers: Bitboard, sink: &mut S) {
        match self.turn() {
            Color::White => MoveGenerator::<true>::new(self, gen_type, movers).run(sink),
            Color::Black => MoveGenerator::<false>::new(self, gen_type, movers).run(sink),
        }
    }
}

/// A run of the generator. The side to move is a const parameter, so pawn directions are constants.
struct MoveGenerator<'a, const WHITE: bool> {
    position: &'a Position,
    king: Square,
    /// The pieces of the side to move whose moves are generated.
    movers: Bitboard,
    enemies: Bitboard,
    occupied: Bitboard,
    /// The empty squares; no square if only noisy moves are generated.
    quiet_targets: Bitboard,
    /// The enemy pieces; no square if only quiet moves are generated.
    capture_targets: Bitboard,
    gen_type: MoveGenType,
}

impl<'a, const WHITE: bool> MoveGenerator<'a, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const FORWARD: i8 = if WHITE { 8 } else { -8 };
    const PROMOTION_RANK: Bitboard = Rank::Eighth.relative_to(Self::US).bitboard();
    const THIRD_RANK: Bitboard = Rank::Third.relative_to(Self::US).bitboard();
    const NOT_A: Bitboard = Bitboard(!File::A.bitboard().0);
    const NOT_H: Bitboard = Bitboard(!File::H.bitboard().0);

    #[inline(always)]
    fn new(position: &'a Position, gen_type: MoveGenType, movers: Bitboard) -> Self {
        let occupied = position.occupied();
        let enemies = position.by_color(!Self::US);
        MoveGenerator {
            position,
            king: position.king(Self::US),
            movers: movers & position.by_color(Self::US),
            enemies,
            occupied,
            quiet_targets: if gen_type == MoveGenType::Noisy { Bitboard::EMPTY } else { !occupied },
            capture_targets: if gen_type == MoveGenType::Quiet { Bitboard::EMPTY } else { enemies },
            gen_type,
        }
    }

    #[inline(always)]
    fn run<S: MoveSink>(&self, sink: &mut S) {
        let checkers = self.position.checkers();
        self.generate_king_moves(sink);
        if checkers.is_empty() {
            self.generate_non_king_moves(Bitboard::ALL, sink);
            if self.gen_type != MoveGenType::Noisy {
                self.generate_castling(sink);
            }
        } else if !checkers.more_than_one() {
            let checker = Square::from_index(checkers.0.trailing_zeros() as u8);
            self.generate_non_king_moves(between(self.king, checker) | checkers, sink);
        }
    }

    #[inline(always)]
    fn emit<S: MoveSink>(&self, from: Square, targets: Bitboard, sink: &mut S) {
        let (quiets, captures) = (targets & self.quiet_targets, targets & self.capture_targets);
        sink.add_piece_moves(from, quiets, captures);
    }

    #[inline(always)]
    fn generate_king_moves<S: MoveSink>(&self, sink: &mut S) {
        let targets = king_attacks(self.king) & (self.quiet_targets | self.capture_targets);
        if targets.is_empty() || !self.movers.contains(self.king) {
            return;
        }
        let pawns = self.position.by_role(Role::Pawn) & self.enemies;
        let attacked = self.enemy_pawn_attacks(pawns) | king_attacks(self.position.king(!Self::US));
        // A slider also attacks the squares behind the king, so the king is not a blocker.
        let occupied = self.occupied ^ self.king.bitboard();
        let knights = self.position.by_role(Role::Knight) & self.enemies;
        let mut safe = targets.without(attacked);
        for to in safe {
            if knight_attacks(to).intersects(knights)
                || self.position.is_attacked_by_slider(to, !Self::US, occupied)
            {
                safe ^= to.bitboard();
            }
        }
        self.emit(self.king, safe, sink);
    }

    /// The squares that enemy pawns attack.
    #[inline(always)]
    fn enemy_pawn_attacks(&self, pawns: Bitboard) -> Bitboard {
        (pawns & Self::NOT_A).shift(-Self::FORWARD - 1)
            | (pawns & Self::NOT_H).shift(-Self::FORWARD + 1)
    }

    #[inline(always)]
    fn generate_non_king_moves<S: MoveSink>(&self, check_mask: Bitboard, sink: &mut S) {
        let pinned = self.position.pinned();
        self.generate_pawn_moves(check_mask, sink);

        let knights = (self.position.by_role(Role::Knight) & self.movers).without(pinned);
        for from in knights {
            self.emit(from, knight_attacks(from) & check_mask, sink);
        }
        // A queen moves as a bishop and as a rook. Two loops are predicted better than three.
        let diagonal = self.position.diagonal_sliders() & self.movers;
        for from in diagonal.without(pinned) {
            self.emit(from, bishop_attacks(from, self.occupied) & check_mask, sink);
        }
        let orthogonal = self.position.orthogonal_sliders() & self.movers;
        for from in orthogonal.without(pinned) {
            self.emit(from, rook_attacks(from, self.occupied) & check_mask, sink);
        }
        // A pinned piece stays on its line. It can neither capture a checker nor block a check.
        if pinned.is_nonempty() && check_mask == Bitboard::ALL {
            for from in diagonal & pinned {
                self.emit(from, bishop_attacks(from, self.occupied) & line(self.king, from), sink);
            }
            for from in orthogonal & pinned {
                self.emit(from, rook_attacks(from, self.occupied) & line(self.king, from), sink);
            }
        }
    }

    #[inline(always)]
    fn generate_pawn_moves<S: MoveSink>(&self, check_mask: Bitboard, sink: &mut S) {
        let pawns = self.position.by_role(Role::Pawn) & self.movers;
        let pinned = pawns & self.position.pinned();
        self.generate_pushes_and_captures(pawns ^ pinned, check_mask, sink);
        if pinned.is_nonempty() && check_mask == Bitboard::ALL {
            for from in pinned {
                self.generate_pushes_and_captures(from.bitboard(), line(self.king, from), sink);
            }
        }
        if let Some(target) = self.position.en_passant()
            && self.gen_type != MoveGenType::Quiet
        {
            self.generate_en_passant(target, pawns, sink);
        }
    }

    /// Adds the moves of these pawns to squares in `mask`, without en passant captures.
    #[inline(always)]
    fn generate_pushes_and_captures<S: MoveSink>(
        &self,
        pawns: Bitboard,
        mask: Bitboard,
        sink: &mut S,
    ) {
        let empty = !self.occupied;
        let single = pawns.shift(Self::FORWARD) & empty;
        if self.gen_type != MoveGenType::Noisy {
            let double = (single & Self::THIRD_RANK).shift(Self::FORWARD) & empty & mask;
            sink.add_pawn_moves(
                (single & mask).without(Self::PROMOTION_RANK),
                Self::FORWARD,
                MoveKind::Quiet,
            );
            sink.add_pawn_moves(double, 2 * Self::FORWARD, MoveKind::DoublePush);
        }
        if self.gen_type != MoveGenType::Quiet {
            let targets = self.capture_targets & mask;
            let west = (pawns & Self::NOT_A).shift(Self::FORWARD - 1) & targets;
            let east = (pawns & Self::NOT_H).shift(Self::FORWARD + 1) & targets;
            sink.add_pawn_moves(
                west.without(Self::PROMOTION_RANK),
                Self::FORWARD - 1,
                MoveKind::Capture,
            );
            sink.add_pawn_moves(
                east.without(Self::PROMOTION_RANK),
                Self::FORWARD + 1,
                MoveKind::Capture,
            );
            if ((single & mask) | west | east).intersects(Self::PROMOTION_RANK) {
                sink.add_promotions(west & Self::PROMOTION_RANK, Self::FORWARD - 1, true);
                sink.add_promotions(east & Self::PROMOTION_RANK, Self::FORWARD + 1, true);
                sink.add_promotions(single & mask & Self::PROMOTION_RANK, Self::FORWARD, false);
            }
        }
    }

    /// Adds the legal en passant captures. Two pawns leave their lines at once, so each capture is
    /// tested with the occupied squares after it.
    #[cold]
    #[inline(never)]
    fn generate_en_passant<S: MoveSink>(&self, target: Square, pawns: Bitboard, sink: &mut S) {
        let victim = target.forward(!Self::US).bitboard();
        // After a double step, only the pawn itself or a slider gives check. The capture does not
        // answer a check by another piece.
        let leapers = self.position.checkers().without(
            victim | self.position.diagonal_sliders() | self.position.orthogonal_sliders(),
        );
        if leapers.is_nonempty() {
            return;
        }
        for from in pawn_attacks(!Self::US, target) & pawns {
            if self.position.is_king_safe_after_en_passant(from, target) {
                sink.add_move(Move::new(from, target, MoveKind::EnPassant));
            }
        }
    }

    #[inline(always)]
    fn generate_castling<S: MoveSink>(&self, sink: &mut S) {
        if !self.position.castling_rights().has_any(Self::US) || !self.movers.contains(self.king) {
            return;
        }
        for (side, kind) in [
            (CastlingSide::King, MoveKind::CastleShort),
            (CastlingSide::Queen, MoveKind::CastleLong),
        ] {
            if let Some(rook) = self.position.castling_rook(Self::US, side)
                && self.can_castle(rook, side)
            {
                sink.add_move(Move::new(self.king, castled_king_square(Self::US, side), kind));
            }
        }
    }

    #[inline(always)]
    fn can_castle(&self, rook: Square, side: CastlingSide) -> bool {
        let (king_to, rook_to) =
            (castled_king_square(Self::US, side), castled_rook_square(Self::US, side));
        let king_path = between(self.king, king_to) | king_to.bitboard();
        let rook_path = between(rook, rook_to) | rook_to.bitboard();
        let others = self.occupied ^ self.king.bitboard() ^ rook.bitboard();
        if others.intersects(king_path | rook_path) {
            return false;
        }
        let enemy = !Self::US;
        // In Chess960 the rook may have shielded the king's destination.
        let castled = others | king_to.bitboard() | rook_to.bitboard();
        let mut king_path = king_path.without(self.king.bitboard());
        !king_path.any(|square| {
            self.position.is_attacked(square, enemy, self.occupied ^ self.king.bitboard())
        }) && !self.position.is_attacked_by_slider(king_to, enemy, castled)
    }
}

#[cfg(test)]
mod tests;
