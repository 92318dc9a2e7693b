//! Random games with every element of PGN.

use super::*;
use crate::chess::splitmix;

/// A generator of random numbers that are the same in every run.
pub(super) struct Random {
    seed: u64,
    n: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random { seed, n: 0 }
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.n += 1;
        (splitmix::nth(self.seed, self.n) >> 33) as usize % end.max(1)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 70",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

const WORDS: [&str; 14] = [
    "good",
    "(",
    ")",
    "[",
    "]",
    "{",
    "%",
    ";",
    "$1",
    "1-0",
    "[%eval 0.34]",
    "[%clk 0:00:01]",
    "\\\"é½♞",
    "[Event \"x\"]",
];

fn comment(random: &mut Random) -> String {
    (0..random.below(12)).map(|_| random.pick(&WORDS)).collect::<Vec<_>>().join(" ")
}

fn line(random: &mut Random, start: &Position, plies: usize, depth: usize) -> Line {
    let mut line = Line::default();
    if random.below(4) == 0 {
        line.comment = comment(random);
    }
    let mut position = start.clone();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mut mv = PgnMove::new(random.pick(&legal));
        (0..random.below(8).saturating_sub(5))
            .for_each(|_| mv.add_nag(1 + random.below(255) as u8));
        if random.below(4) == 0 {
            mv.add_comment(&comment(random));
        }
        while depth > 0 && random.below(6) == 0 {
            let plies = random.below(6);
            mv.add_variation(self::line(random, &position, plies, depth - 1));
        }
        position.play(mv.mv());
        line.moves.push(mv);
    }
    line
}

/// A game with headers, comments, NAGs and nested variations.
pub(super) fn game(random: &mut Random) -> PgnGame {
    let start = Position::from_fen(random.pick(&STARTS)).unwrap();
    let mut game = PgnGame::new(start);
    for name in ["Event", "White", "Opening", "Ünïcode", "A_b-9"] {
        if random.below(2) == 0 {
            game.headers.set(name, &comment(random));
        }
    }
    let plies = random.below(120);
    game.line = line(random, &game.start, plies, 3);
    game.result = random.pick(&[
        GameResult::WhiteWins,
        GameResult::BlackWins,
        GameResult::Draw,
        GameResult::Unknown,
    ]);
    game
}
