//! The time of a network evaluation, for each form of network and SIMD level of the processor.
//!
//! The layered network is the embedded one; the single-layer network has random weights.
//!
//! `cargo bench --bench evaluation` prints nanoseconds of the fastest of many rounds, so that other
//! load has little effect. It measures the evaluation of a new position, and that of a position
//! after a move. The latter includes the update and undo of the accumulators, but not of the board,
//! whose time is measured separately and subtracted.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark panics on errors and prints its results"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use kibitzer::chess::{Move, Position};
use kibitzer::nnue::{AccumulatorStack, Network, SimdLevel};

#[path = "../../src/nnue/tests/random_network.rs"]
#[expect(dead_code, reason = "the unit tests use the rest")]
mod random_network;

use random_network::{Ranges, network_file};

/// Openings, middle games and endings.
const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "8/8/1p2k1p1/3p3p/1p1P1P1P/1P2PK2/8/8 w - - 3 54",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/3q4/8/8/3QP3/4K3 w - - 0 1",
];

/// Moves tried in each position of the tree walk.
const WIDTH: usize = 6;
/// Depth of the tree walk in plies.
const DEPTH: usize = 4;
const ROUNDS: usize = 60;

/// A visitor of the tree walk.
trait Observer {
    fn enter(&mut self, before: &Position, mv: Move, after: &Position);
    fn leave(&mut self);
}

struct NullObserver;

impl Observer for NullObserver {
    fn enter(&mut self, _: &Position, _: Move, after: &Position) {
        black_box(after.key());
    }

    fn leave(&mut self) {}
}

impl Observer for AccumulatorStack {
    fn enter(&mut self, before: &Position, mv: Move, after: &Position) {
        self.push(before, mv);
        black_box(self.evaluate(after));
    }

    fn leave(&mut self) {
        self.pop();
    }
}

/// Walks a tree of positions and returns the number of its moves.
fn walk(position: &Position, depth: usize, observer: &mut impl Observer) -> usize {
    if depth == 0 {
        return 0;
    }
    let moves = position.legal_moves();
    let stride = moves.len().div_ceil(WIDTH).max(1);
    let mut count = 0;
    for &mv in moves.iter().step_by(stride) {
        let child = position.after(mv);
        observer.enter(position, mv, &child);
        count += 1 + walk(&child, depth - 1, observer);
        observer.leave();
    }
    count
}

/// Nanoseconds of the fastest round, divided by `count`.
fn fastest_round_ns(count: usize, mut round: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / count as f64
}

fn main() {
    let positions: Vec<Position> =
        POSITIONS.iter().map(|fen| Position::from_fen(fen).expect("a legal position")).collect();
    let moves = positions.iter().map(|position| walk(position, DEPTH, &mut NullObserver)).sum();
    let walk_ns = fastest_round_ns(moves, || {
        for position in &positions {
            black_box(walk(position, DEPTH, &mut NullObserver));
        }
    });
    println!("{moves} moves; the walk takes {walk_ns:.0} ns per move");
    let single_layer = Network::from_bytes(&network_file(1, Ranges::USUAL));
    for network in [Arc::new(single_layer.expect("a valid file")), Network::embedded()] {
        println!("{}", network.architecture());
        for level in SimdLevel::ALL {
            let accumulators = AccumulatorStack::with_level(Arc::clone(&network), DEPTH, level);
            measure(level, accumulators, &positions, (moves, walk_ns));
        }
    }
}

/// Prints the time of an evaluation at a level. `walk` is the number of moves of the tree walk and
/// the time that each takes without an evaluation.
fn measure(
    level: SimdLevel,
    accumulators: Option<AccumulatorStack>,
    positions: &[Position],
    (moves, walk_ns): (usize, f64),
) {
    let Some(mut accumulators) = accumulators else {
        return println!("{:<12} not supported by this processor", level.name());
    };
    let new_position_ns = fastest_round_ns(64 * positions.len(), || {
        for position in std::iter::repeat_n(positions, 64).flatten() {
            accumulators.reset(position);
            black_box(accumulators.evaluate(position));
        }
    });
    let after_move_ns = fastest_round_ns(moves, || {
        for position in positions {
            accumulators.reset(position);
            walk(position, DEPTH, &mut accumulators);
        }
    });
    println!(
        "{:<12} new position {new_position_ns:>5.0} ns, after a move {:>5.0} ns",
        level.name(),
        after_move_ns - walk_ns
    );
}
