//! Playing weakly on purpose: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! Two things make a player weak: it sees little, and it errs in what it sees. So the search gets a budget of nodes, and of the
//! lines that it finds one is chosen by chance, the likelier the less it loses (a softmax over centipawns). Chess Programming
//! Wiki, "Playing Strength"; Stockfish's `Skill` chooses among lines in a like way.

use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

use crate::chess::Move;
use crate::engine::{Limits, Report, Scope, Score};

/// How weakly to play one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handicap {
    elo: u16,
    /// What decides this move.
    chance: u64,
}

/// Nodes at the lower end of the range, and how many times as many at the upper one.
const LEAST_NODES: f64 = 60.0;
const NODES_RANGE: f64 = 1_500.0;

/// Of a move that loses so many centipawns against the best it is chosen 1/e times as often: at the lower end, and how many times
/// less at the upper one.
const MOST_TEMPERATURE: f64 = 120.0;
const TEMPERATURE_RANGE: f64 = 15.0;

/// So many lines are looked at.
const LINES: usize = 4;

/// What a mate counts in centipawns, less a little for each move to it.
const MATE: i32 = 3_000;

impl Handicap {
    /// The strengths that can be asked for.
    pub(super) const ELO: RangeInclusive<u16> = 800..=2800;

    /// For one move, with the chance of the moment.
    pub(super) fn new(elo: u16) -> Handicap {
        Handicap { elo: elo.clamp(*Handicap::ELO.start(), *Handicap::ELO.end()), chance: RandomState::new().hash_one(elo) }
    }

    /// Lays the handicap on a search.
    pub(super) fn burden(self, limits: &mut Limits, scope: &mut Scope) {
        limits.nodes = Some(self.nodes().min(limits.nodes.unwrap_or(u64::MAX)));
        scope.threads = 1;
        scope.multipv = scope.multipv.max(LINES);
    }

    /// The line to play.
    pub(super) fn choose(self, report: &Report) -> &[Move] {
        let first = (report.score, report.pv.as_slice());
        let others = report.alternatives.iter().map(|variation| (variation.score, variation.pv.as_slice()));
        let lines: Vec<_> = std::iter::once(first).chain(others).take(LINES).collect();
        let best = centipawns(report.score);
        let weigh = |score| (f64::from(centipawns(score) - best) / self.temperature()).min(0.0).exp();
        let total: f64 = lines.iter().map(|&(score, _)| weigh(score)).sum();
        // 53 bits are what a float holds exactly.
        let mut left = total * (self.chance >> 11) as f64 / (1_u64 << 53) as f64;
        for &(score, line) in &lines {
            left -= weigh(score);
            if left < 0.0 {
                return line;
            }
        }
        &report.pv
    }

    fn nodes(self) -> u64 {
        (LEAST_NODES * NODES_RANGE.powf(self.share())) as u64
    }

    fn temperature(self) -> f64 {
        MOST_TEMPERATURE * TEMPERATURE_RANGE.powf(-self.share())
    }

    /// Where in the range this strength lies, from 0 to 1.
    fn share(self) -> f64 {
        let (least, greatest) = (f64::from(*Handicap::ELO.start()), f64::from(*Handicap::ELO.end()));
        (f64::from(self.elo) - least) / (greatest - least)
    }
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value.clamp(-MATE, MATE),
        Score::Mate(moves) if moves > 0 => MATE + 1_000 - moves,
        Score::Mate(moves) => -MATE - 1_000 - moves,
    }
}

#[cfg(test)]
#[path = "handicap_tests.rs"]
mod tests;
