//! The tapered piece-square evaluation.
//!
//! Chess Programming Wiki, "Piece-Square Tables", "Tapered Eval": each piece is worth its material and a bonus for its square, once
//! for the middlegame and once for the endgame, and the pieces left on the board say how to mix the two. The tables come from
//! formulas of rank, file and distance from the centre, not from lists of numbers.

use super::evaluation::Evaluator;
use super::score::{EVALUATION_LIMIT, MAX_PLY, Value};
use crate::chess::{Color, Move, Piece, Position, Role, Square, castled_rook};

/// Middlegame and endgame values, White's pieces positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    middlegame: i32,
    endgame: i32,
    /// 24 with all pieces on the board, 0 with pawns and kings alone.
    phase: i32,
}

const MATERIAL: [(i32, i32); 6] = [(84, 112), (334, 302), (352, 318), (470, 540), (985, 985), (0, 0)];
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

/// To move is worth this much in the middlegame, and half in the endgame.
const TEMPO: Value = 14;

/// How central a coordinate is: 0 on the edge, 3 in the middle.
const fn centrality(coordinate: i32) -> i32 {
    if coordinate < 4 { coordinate } else { 7 - coordinate }
}

const fn at_most(value: i32, limit: i32) -> i32 {
    if value < limit { value } else { limit }
}

/// The bonus of a kind on a square from its owner's view, rank 0 being the owner's first.
const fn bonus(role: Role, rank: i32, file: i32) -> (i32, i32) {
    let (file_centre, rank_centre) = (centrality(file), centrality(rank));
    let centre = file_centre + rank_centre;
    match role {
        Role::Pawn => {
            // Advance counts little before the ending; the two centre files count from the third rank on.
            let advance = rank - 1;
            let middle = if file_centre == 3 && rank >= 2 { 8 + 6 * at_most(advance, 3) } else { 2 * file_centre - 3 };
            (middle + 3 * advance * advance / 2 - 4, 4 * advance * advance - 6)
        }
        Role::Knight => (9 * centre - 28 - if rank == 0 { 8 } else { 0 } + 2 * at_most(rank, 5), 8 * centre - 26),
        Role::Bishop => (5 * centre - 14 - if rank == 0 { 10 } else { 0 }, 4 * centre - 12),
        Role::Rook => {
            let seventh = if rank == 6 { 18 } else { 0 };
            (4 * file_centre - 8 + seventh, 4 + seventh / 2 - if rank == 0 { 6 } else { 0 })
        }
        Role::Queen => (2 * centre - 6 - 2 * at_most(rank_centre, 1), 7 * centre - 20),
        Role::King => {
            // Shelter on the wings of the first rank; a fighting piece in the centre once the board is empty.
            let shelter = if rank == 0 {
                24
            } else if rank == 1 {
                -4
            } else {
                -22 * at_most(rank, 4) + 6
            };
            let wing = if file_centre == 1 {
                14
            } else if file_centre == 0 {
                6
            } else {
                -12
            };
            (shelter + wing, 13 * centre - 40)
        }
    }
}

static TABLE: [[(i16, i16); 64]; 12] = {
    let mut table = [[(0, 0); 64]; 12];
    let mut piece = 0;
    while piece < 12 {
        let role = Piece::ALL[piece].role();
        let black = matches!(Piece::ALL[piece].color(), Color::Black);
        let mut square = 0;
        while square < 64 {
            let rank = if black { 7 - square / 8 } else { square / 8 };
            let (middlegame, endgame) = bonus(role, rank, square % 8);
            let sign = if black { -1 } else { 1 };
            table[piece][square as usize] = (
                (sign * (MATERIAL[role as usize].0 + middlegame)) as i16,
                (sign * (MATERIAL[role as usize].1 + endgame)) as i16,
            );
            square += 1;
        }
        piece += 1;
    }
    table
};

impl Sum {
    #[inline]
    fn add(&mut self, piece: Piece, square: Square) {
        let (middlegame, endgame) = TABLE[piece as usize][square.index()];
        self.middlegame += i32::from(middlegame);
        self.endgame += i32::from(endgame);
        self.phase += PHASE[piece.role() as usize];
    }

    #[inline]
    fn remove(&mut self, piece: Piece, square: Square) {
        let (middlegame, endgame) = TABLE[piece as usize][square.index()];
        self.middlegame -= i32::from(middlegame);
        self.endgame -= i32::from(endgame);
        self.phase -= PHASE[piece.role() as usize];
    }

    fn of(position: &Position) -> Sum {
        let mut sum = Sum::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                sum.add(piece, square);
            }
        }
        sum
    }

    fn after(mut self, before: &Position, mv: Move) -> Sum {
        let (us, from, to) = (before.turn(), mv.from(), mv.to());
        let Some(mover) = before.piece_at(from) else { return self };
        self.remove(mover, from);
        if mv.is_capture() {
            let victim = if mv.is_en_passant() { to.forward(!us) } else { to };
            if let Some(taken) = before.piece_at(victim) {
                self.remove(taken, victim);
            }
        }
        self.add(mv.promotion().map_or(mover, |role| Piece::new(us, role)), to);
        if let Some(side) = mv.castling()
            && let Some(rook_from) = before.castling_rook(us, side)
        {
            let rook = Piece::new(us, Role::Rook);
            self.remove(rook, rook_from);
            self.add(rook, castled_rook(us, side));
        }
        self
    }
}

/// The evaluation with its running sums, one for each ply of the line.
pub(super) struct PieceSquare {
    sums: Vec<Sum>,
}

impl PieceSquare {
    pub(super) fn new() -> PieceSquare {
        PieceSquare { sums: Vec::with_capacity(MAX_PLY + 2) }
    }

    #[inline]
    fn last(&self) -> Sum {
        self.sums.last().copied().unwrap_or_default()
    }
}

impl Evaluator for PieceSquare {
    const NAME: &'static str = "piece-square";

    fn reset(&mut self, root: &Position) {
        self.sums.clear();
        self.sums.push(Sum::of(root));
    }

    #[inline]
    fn make(&mut self, before: &Position, mv: Move) {
        self.sums.push(self.last().after(before, mv));
    }

    #[inline]
    fn make_null(&mut self) {
        self.sums.push(self.last());
    }

    #[inline]
    fn unmake(&mut self) {
        self.sums.pop();
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> Value {
        let sum = self.last();
        let phase = sum.phase.clamp(0, FULL_PHASE);
        let mixed = (sum.middlegame * phase + sum.endgame * (FULL_PHASE - phase)) / FULL_PHASE;
        let ours = if position.turn().is_white() { mixed } else { -mixed };
        (ours + TEMPO * (FULL_PHASE + phase) / (2 * FULL_PHASE)).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_is_worth_the_move() {
        let start = Position::startpos();
        let mut evaluation = PieceSquare::new();
        evaluation.reset(&start);
        assert_eq!(evaluation.evaluate(&start), TEMPO);
    }

    #[test]
    fn running_sums_equal_sums_from_scratch_along_random_games() {
        let mut random = 0x9e37_79b9_u64;
        let starts = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1r1kr3/8/8/8/8/8/8/1R1KR3 w EBeb - 0 1"];
        for round in 0..300 {
            let mut position = match starts.get(round % 3) {
                Some(fen) => Position::from_fen(fen).unwrap(),
                None => Position::startpos(),
            };
            let mut evaluation = PieceSquare::new();
            evaluation.reset(&position);
            for _ in 0..120 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let mv = moves[(random >> 33) as usize % moves.len()];
                evaluation.make(&position, mv);
                position.play(mv);
                assert_eq!(evaluation.last(), Sum::of(&position));
            }
        }
    }
}
