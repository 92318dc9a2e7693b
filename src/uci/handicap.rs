//! Playing weakly on purpose: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! Two things make a player weak: it sees little, and it errs in what it sees. So the search gets a
//! budget of nodes, and of the lines that it finds one is chosen by chance, the likelier the less
//! it loses (a softmax over centipawns). Chess Programming Wiki, "Playing Strength"; Stockfish's
//! `Skill` chooses among lines in a like way.

use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

use crate::chess::Move;
use crate::engine::{Limits, Report, Score, SearchScope};

/// How weakly to play one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handicap {
    elo: u16,
    /// What decides this move.
    random_value: u64,
}

/// A strength, with what makes it: nodes a move, and a temperature: a move that loses so many
/// centipawns against the best is chosen 1/e times as often.
struct StrengthLevel {
    elo: f64,
    nodes: f64,
    temperature: f64,
}

const fn strength_level(elo: f64, nodes: f64, temperature: f64) -> StrengthLevel {
    StrengthLevel { elo, nodes, temperature }
}

/// From 1450 to 2450 measured against Stockfish 15.1 with the same `UCI_Elo`, in matches of 40 to
/// 80 games of 4 s + 0.04 s; below by matches of one rung against the next, above continued.
/// Between the rungs both figures grow or shrink by equal factors.
const STRENGTH_LEVELS: [StrengthLevel; 7] = [
    strength_level(800.0, 20.0, 300.0),
    strength_level(1_080.0, 60.0, 120.0),
    strength_level(1_200.0, 260.0, 70.0),
    strength_level(1_450.0, 780.0, 46.0),
    strength_level(2_000.0, 10_000.0, 16.0),
    strength_level(2_450.0, 90_000.0, 8.0),
    strength_level(2_800.0, 300_000.0, 5.0),
];

/// So many lines are looked at.
const CANDIDATE_LINES: usize = 4;

/// No score counts more centipawns. A mate counts a thousand more, less one for each move to it.
const MAX_CENTIPAWNS: i32 = 3_000;

impl Handicap {
    /// The strengths that can be asked for.
    pub(super) const ELO: RangeInclusive<u16> = 800..=2800;

    /// For one move, with the chance of the moment.
    pub(super) fn new(elo: u16) -> Handicap {
        Handicap {
            elo: elo.clamp(*Handicap::ELO.start(), *Handicap::ELO.end()),
            random_value: RandomState::new().hash_one(elo),
        }
    }

    /// Lays the handicap on a search.
    pub(super) fn apply_to(self, limits: &mut Limits, scope: &mut SearchScope) {
        limits.nodes = Some(self.nodes().min(limits.nodes.unwrap_or(u64::MAX)));
        scope.threads = 1;
        scope.multipv = scope.multipv.max(CANDIDATE_LINES);
    }

    /// The line to play.
    pub(super) fn choose_line(self, report: &Report) -> &[Move] {
        let first = (report.score, report.pv.as_slice());
        let others =
            report.alternatives.iter().map(|variation| (variation.score, variation.pv.as_slice()));
        let lines: Vec<_> = std::iter::once(first).chain(others).take(CANDIDATE_LINES).collect();
        let best = centipawns(report.score);
        let weight =
            |score| (f64::from(centipawns(score) - best) / self.temperature()).min(0.0).exp();
        let total: f64 = lines.iter().map(|&(score, _)| weight(score)).sum();
        // 53 bits are what a float holds exactly.
        let mut remaining = total * (self.random_value >> 11) as f64 / (1_u64 << 53) as f64;
        for &(score, line) in &lines {
            remaining -= weight(score);
            if remaining < 0.0 {
                return line;
            }
        }
        &report.pv
    }

    fn nodes(self) -> u64 {
        self.interpolate(|level| level.nodes) as u64
    }

    fn temperature(self) -> f64 {
        self.interpolate(|level| level.temperature)
    }

    /// A figure of this strength, from the rungs around it.
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
