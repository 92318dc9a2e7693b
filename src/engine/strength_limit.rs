//! Limited playing strength, in Elo: `UCI_Elo`, and `elo` of a best-move request or batch line.
//!
//! Two settings limit the strength: a node budget, and a random choice among the MultiPV lines. The
//! less a line loses, the likelier it is chosen (a softmax over centipawns). See Chess
//! Programming Wiki, "Playing Strength". Stockfish's `Skill` chooses among lines in a similar way.

use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

use super::limits::{Limits, SearchOptions};
use super::report::{Report, Variation};
use super::score::Score;
use crate::chess::Move;

/// The strength limit of one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrengthLimit {
    elo: u16,
    /// Random number that selects the line.
    random_value: u64,
}

/// A strength with its node budget per move and its temperature. A move that loses `temperature`
/// centipawns against the best one is chosen 1/e times as often.
struct StrengthLevel {
    elo: f64,
    nodes: f64,
    temperature: f64,
}

const fn strength_level(elo: f64, nodes: f64, temperature: f64) -> StrengthLevel {
    StrengthLevel { elo, nodes, temperature }
}

/// Levels from 1450 to 2450 follow from matches against Stockfish 15.1 with the same `UCI_Elo`,
/// lower ones from matches of neighbours: docs/strength.md. The highest is extrapolated. Between
/// two levels both numbers are interpolated geometrically.
const STRENGTH_LEVELS: [StrengthLevel; 8] = [
    strength_level(800.0, 18.0, 460.0),
    strength_level(1_080.0, 33.0, 205.0),
    strength_level(1_200.0, 49.0, 138.0),
    strength_level(1_450.0, 290.0, 67.0),
    strength_level(1_700.0, 1_290.0, 37.0),
    strength_level(2_000.0, 6_400.0, 19.0),
    strength_level(2_450.0, 76_000.0, 8.4),
    strength_level(2_800.0, 300_000.0, 5.0),
];

/// Lines from which the move is drawn.
const CANDIDATE_LINES: usize = 4;

/// Largest centipawn score. A mate counts 1,000 more, less one for each move to it.
const MAX_CENTIPAWNS: i32 = 3_000;

impl StrengthLimit {
    /// The range of the strength, in Elo.
    pub const ELO: RangeInclusive<u16> = 800..=2800;

    /// A limit for one move, with a fresh random number. A strength outside the range counts as the
    /// nearest one.
    pub fn new(elo: u16) -> StrengthLimit {
        StrengthLimit {
            elo: elo.clamp(*StrengthLimit::ELO.start(), *StrengthLimit::ELO.end()),
            random_value: RandomState::new().hash_one(elo),
        }
    }

    /// Applies the limit to a search.
    pub fn apply_to(self, limits: &mut Limits, options: &mut SearchOptions) {
        limits.nodes = Some(self.nodes().min(limits.nodes.unwrap_or(u64::MAX)));
        options.threads = 1;
        options.use_tablebase = false;
        options.multipv = options.multipv.max(CANDIDATE_LINES);
    }

    /// The line to play.
    pub fn choose_line(self, report: &Report) -> &[Move] {
        match self.choose_alternative(report) {
            Some(index) => &report.alternatives[index].pv,
            None => &report.pv,
        }
    }

    /// The report with the line to play as its only one.
    pub fn weaken(self, report: &Report) -> Report {
        let mut weakened = report.clone();
        if let Some(index) = self.choose_alternative(report) {
            let Variation { score, wdl, pv } = weakened.alternatives.swap_remove(index);
            weakened = Report { score, wdl, pv, raw_score: None, ..weakened };
        }
        weakened.alternatives = Vec::new();
        weakened
    }

    /// The index of the line to play among the alternatives; `None` for the best line.
    fn choose_alternative(self, report: &Report) -> Option<usize> {
        let others = report.alternatives.iter().map(|variation| variation.score);
        let scores = std::iter::once(report.score).chain(others).take(CANDIDATE_LINES);
        let best = centipawns(report.score);
        let weight =
            |score| (f64::from(centipawns(score) - best) / self.temperature()).min(0.0).exp();
        let total: f64 = scores.clone().map(weight).sum();
        // A float holds 53 bits exactly.
        let mut remaining = total * (self.random_value >> 11) as f64 / (1_u64 << 53) as f64;
        let chosen = scores.into_iter().position(|score| {
            remaining -= weight(score);
            remaining < 0.0
        });
        chosen.and_then(|index| index.checked_sub(1))
    }

    fn nodes(self) -> u64 {
        self.interpolate(|level| level.nodes) as u64
    }

    fn temperature(self) -> f64 {
        self.interpolate(|level| level.temperature)
    }

    /// A property of this strength, interpolated between the levels around it.
    fn interpolate(self, property: impl Fn(&StrengthLevel) -> f64) -> f64 {
        let elo = f64::from(self.elo);
        let above = STRENGTH_LEVELS
            .iter()
            .position(|level| level.elo > elo)
            .unwrap_or(STRENGTH_LEVELS.len() - 1)
            .max(1);
        let (low, high) = (&STRENGTH_LEVELS[above - 1], &STRENGTH_LEVELS[above]);
        let fraction = (elo - low.elo) / (high.elo - low.elo);
        property(low).powf(1.0 - fraction) * property(high).powf(fraction)
    }
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(value) => value.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS),
        Score::Mate(moves) if moves > 0 => MAX_CENTIPAWNS + 1_000 - moves,
        Score::Mate(moves) => -MAX_CENTIPAWNS - 1_000 - moves,
    }
}

#[cfg(test)]
mod tests;
