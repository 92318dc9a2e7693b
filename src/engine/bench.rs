//! A benchmark of fixed searches: the engine's speed and the signature of its search.
//!
//! One thread with a table of 16 MiB searches one position after the other to the same depth. The
//! number of nodes is the signature of search and evaluation. A change that affects only the speed
//! keeps it; other positions or another table size change it. OpenBench and
//! fastchess read the last line.

mod positions;

use std::fmt;
use std::time::{Duration, Instant};

use super::analyse::{Engine, EngineOptions};
use super::limits::{Limits, StopFlag};
use crate::chess::{Game, Position};
use crate::nnue::SimdLevel;
use positions::POSITIONS;

/// The size of the table, in MiB.
const HASH_MB: usize = 16;

/// The result of a benchmark run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The moves made by all searches: the signature.
    pub nodes: u64,
    /// The wall time of all searches.
    pub elapsed: Duration,
}

impl Bench {
    /// The depth of the signature's searches, in plies.
    pub const DEPTH: u8 = 12;

    /// The number of positions.
    pub const POSITIONS: usize = POSITIONS.len();

    /// Searches every position to a depth, at least 1.
    pub fn run(depth: u8) -> Bench {
        Bench::run_with(depth, SimdLevel::best(), &mut || ())
    }

    /// Runs the benchmark with the processor instructions of a level, which do not change the
    /// nodes, and calls `on_position` after each of [`Bench::POSITIONS`] positions.
    pub fn run_with(depth: u8, simd_level: SimdLevel, on_position: &mut dyn FnMut()) -> Bench {
        let engine = Engine::with_options(EngineOptions {
            hash_mb: HASH_MB,
            simd_level,
            ..EngineOptions::default()
        });
        let limits = Limits { depth: Some(depth.max(1)), ..Limits::default() };
        let mut bench = Bench { nodes: 0, elapsed: Duration::ZERO };
        // The tests check that every position is legal.
        for game in POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok()).map(Game::new) {
            let started = Instant::now();
            bench.nodes += engine.analyse(&game, &limits, &StopFlag::default(), &mut |_| ()).nodes;
            bench.elapsed += started.elapsed();
            on_position();
        }
        bench
    }

    /// The nodes per second.
    pub fn nps(&self) -> u64 {
        u64::try_from(u128::from(self.nodes) * 1_000_000 / self.elapsed.as_micros().max(1))
            .unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Bench {
    /// Writes `<nodes> nodes <nps> nps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes {} nps", self.nodes, self.nps())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal_and_no_game_is_over() {
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
