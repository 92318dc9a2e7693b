//! A fixed piece of work: how fast the engine is, and whether it still searches the same tree.
//!
//! One thread, 16 MiB, one position after the other to the same depth. The number of nodes is the
//! signature of search and evaluation: it changes with every change of either, and with nothing
//! else. OpenBench and fastchess read the last line.

mod positions;

use std::fmt;
use std::time::{Duration, Instant};

use super::{Engine, EngineOptions, Limits, SimdLevel, StopFlag};
use crate::chess::{Game, Position};
use positions::POSITIONS;

/// The size of the table, in MiB.
const HASH_MB: usize = 16;

/// What the work came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// Make-moves of all searches: the signature.
    pub nodes: u64,
    /// Wall time of all searches.
    pub elapsed: Duration,
}

impl Bench {
    /// How deep the signature's searches go, in plies.
    pub const DEPTH: u8 = 12;

    /// Searches every position to a depth, at least 1.
    pub fn run(depth: u8) -> Bench {
        Bench::run_with_simd(depth, SimdLevel::best())
    }

    /// The same with other processor instructions: the nodes are the same.
    pub fn run_with_simd(depth: u8, simd_level: SimdLevel) -> Bench {
        let engine = Engine::with_options(EngineOptions {
            hash_mb: HASH_MB,
            simd_level,
            ..EngineOptions::default()
        });
        let limits = Limits { depth: Some(depth.max(1)), ..Limits::default() };
        let mut bench = Bench { nodes: 0, elapsed: Duration::ZERO };
        // That all of them are legal is a claim of the tests.
        for game in POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok()).map(Game::new) {
            let started = Instant::now();
            bench.nodes += engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ()).nodes;
            bench.elapsed += started.elapsed();
        }
        bench
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        u64::try_from(u128::from(self.nodes) * 1_000_000 / self.elapsed.as_micros().max(1))
            .unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Bench {
    /// `<nodes> nodes <nps> nps`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal_and_none_is_over() {
        for fen in POSITIONS {
            let game = Game::new(Position::from_fen(fen).unwrap());
            assert!(!game.outcome().is_over(), "{fen}");
        }
    }

    #[test]
    fn the_same_tree_is_searched_every_time() {
        assert_eq!(Bench::run(5).nodes, Bench::run(5).nodes);
    }
}
