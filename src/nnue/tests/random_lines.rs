//! Random lines of moves, with every kind of move.

use super::random_network::Random;
use crate::chess::{Move, Position};

/// Start positions near castling, castling in Chess960 (king and rook on each other's path),
/// promotions, and en passant.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
    "1r1kr3/8/8/8/8/8/8/1R1KR3 w EBeb - 0 1",
    "5rkr/8/8/8/8/8/8/5RKR w HFhf - 0 1",
    "rk4r1/pppppppp/8/8/8/8/PPPPPPPP/RK4R1 w GAga - 0 1",
    "8/PPPPPPPP/k7/8/8/7K/pppppppp/8 w - - 0 1",
    "r1n3n1/1P1P1P1P/k7/8/8/7K/p1p1p1p1/1N1N2NR b - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1",
];

/// A line: each move with the position before it, and the final position.
pub(super) struct RandomLine {
    pub(super) steps: Vec<(Position, Move)>,
    pub(super) end: Position,
}

/// Random lines of up to `moves` moves, from each start position in turn. Every third move is
/// chosen from captures, promotions, castling and en passant if there are any, since they are rare
/// among all moves.
pub(super) fn random_lines(count: usize, moves: usize, random: &mut Random) -> Vec<RandomLine> {
    (0..count).map(|n| random_line(STARTS[n % STARTS.len()], moves, random)).collect()
}

fn random_line(start: &str, moves: usize, random: &mut Random) -> RandomLine {
    let mut position = Position::from_fen(start).unwrap();
    let mut steps = Vec::new();
    for _ in 0..moves {
        let mut candidates: Vec<Move> = position.legal_moves().into_iter().collect();
        let rare: Vec<Move> =
            candidates.iter().copied().filter(|mv| mv.is_noisy() || mv.is_castling()).collect();
        if !rare.is_empty() && random.below(3) == 0 {
            candidates = rare;
        }
        if candidates.is_empty() {
            break;
        }
        let mv = candidates[random.below(candidates.len())];
        steps.push((position.clone(), mv));
        position.play(mv);
    }
    RandomLine { steps, end: position }
}

#[test]
fn the_lines_hold_every_kind_of_move() {
    let lines = random_lines(64, 60, &mut Random(3));
    let has = |kind: fn(Move) -> bool| {
        lines.iter().flat_map(|line| &line.steps).filter(|(_, mv)| kind(*mv)).count() > 5
    };
    assert!(has(Move::is_en_passant) && has(Move::is_capture) && has(Move::is_castling));
    assert!(
        has(|mv| mv.is_promotion() && mv.is_capture())
            && has(|mv| mv.is_promotion() && !mv.is_capture())
    );
    let is_null_king_castling =
        |(_, mv): &(Position, Move)| mv.is_castling() && mv.from() == mv.to();
    assert!(
        lines.iter().flat_map(|line| &line.steps).any(is_null_king_castling),
        "a king must castle without leaving its square"
    );
}
