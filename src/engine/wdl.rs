//! The model of win, draw and loss, and the centipawns that it scales.
//!
//! At a score of x the side to move wins with probability 1 / (1 + e^((a − x) / b)), and loses with
//! that of −x; the rest is the draw. a is the score that wins half of the games, b the spread of
//! the curve. Both are cubic polynomials of the material on the board. The engine reports
//! normalized centipawns: a is +100, so +100 means a win probability of 50 % in any phase. Chess
//! Programming Wiki, "Pawn Advantage, Win Percentage, and Elo"; Stockfish's `WDL_model` has the
//! same form.
//!
//! `kibitzer-trainer wdl` fits the constants to self-play games of this engine; docs/strength.md
//! has data and errors. The model only changes reported scores, never the search.

use super::score::{RawScore, Score, UNITS_PER_PAWN, Value, tablebase_centipawns};
use crate::chess::{Position, Role};

/// The probabilities of win, draw and loss for the side to move, per mille. They add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// The probability of a win.
    pub win: u16,
    /// The probability of a draw.
    pub draw: u16,
    /// The probability of a loss.
    pub loss: u16,
}

impl Wdl {
    /// A certain win.
    pub const WON: Wdl = Wdl { win: 1000, draw: 0, loss: 0 };
    /// A certain draw.
    pub const DRAWN: Wdl = Wdl { win: 0, draw: 1000, loss: 0 };
    /// A certain loss.
    pub const LOST: Wdl = Wdl { win: 0, draw: 0, loss: 1000 };

    /// The same probabilities from the other side's view.
    pub const fn flip(self) -> Wdl {
        Wdl { win: self.loss, draw: self.draw, loss: self.win }
    }
}

/// The win, draw and loss model for the material of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    /// The score that wins half of the games (a), in raw centipawns.
    half_win_score: f64,
    /// The spread of the curve (b), in raw centipawns.
    spread: f64,
}

impl WdlModel {
    /// The material of the start position. More material counts as this.
    pub const FULL_MATERIAL: u32 = 78;
    /// The least material of the model. Less material counts as this.
    pub const MIN_MATERIAL: u32 = 10;
    /// The coefficients of a as a polynomial of material / [`WdlModel::FULL_MATERIAL`], constant
    /// term first, in raw centipawns.
    pub const HALF_WIN_COEFFICIENTS: [f64; 4] =
        [187.0795562940141, -427.4837267729127, 630.9829919259353, -309.8869526110609];
    /// The coefficients of b, in the same form.
    pub const SPREAD_COEFFICIENTS: [f64; 4] =
        [59.54337583529412, -175.72658745029034, 326.7745361984777, -153.589217184683];

    /// The model for the material of a position.
    pub fn for_position(position: &Position) -> WdlModel {
        WdlModel::for_material(material(position))
    }

    /// The model for the material of both sides together: a pawn counts 1, a knight and a bishop 3,
    /// a rook 5, a queen 9.
    pub fn for_material(material: u32) -> WdlModel {
        let share = f64::from(material.clamp(WdlModel::MIN_MATERIAL, WdlModel::FULL_MATERIAL))
            / f64::from(WdlModel::FULL_MATERIAL);
        // Only basic operations, which every machine rounds equally.
        let value = |[a, b, c, d]: [f64; 4]| ((d * share + c) * share + b) * share + a;
        WdlModel {
            half_win_score: value(WdlModel::HALF_WIN_COEFFICIENTS),
            spread: value(WdlModel::SPREAD_COEFFICIENTS),
        }
    }

    /// The probabilities at a score in raw centipawns, for the side that has it.
    pub fn wdl(&self, raw_centipawns: f64) -> Wdl {
        let permille = |score: f64| {
            (1000.0 / (1.0 + ((self.half_win_score - score) / self.spread).exp())).round() as u16
        };
        let win = permille(raw_centipawns);
        let loss = permille(-raw_centipawns).min(1000 - win);
        Wdl { win, draw: 1000 - win - loss, loss }
    }

    /// Converts raw centipawns to normalized centipawns (+100 = 50 % win probability).
    pub fn centipawns(&self, raw_centipawns: f64) -> i32 {
        (100.0 * raw_centipawns / self.half_win_score).round() as i32
    }

    /// A hash of the model's constants (FNV-1a, 32 bits). Scores of models with different
    /// fingerprints are not comparable.
    pub const fn fingerprint() -> u32 {
        let constants = [WdlModel::HALF_WIN_COEFFICIENTS, WdlModel::SPREAD_COEFFICIENTS];
        let mut hash: u32 = 0x811c_9dc5;
        let mut byte_index = 0;
        while byte_index < 64 {
            let bytes = constants[byte_index / 32][byte_index % 32 / 8].to_bits().to_be_bytes();
            hash = (hash ^ bytes[byte_index % 8] as u32).wrapping_mul(0x0100_0193);
            byte_index += 1;
        }
        hash
    }

    /// Converts a value of the search to the scores that are reported.
    pub(super) fn reported_score(&self, value: Value) -> ReportedScore {
        let raw_score = RawScore::from_value(value);
        let decided = if value > 0 { Wdl::WON } else { Wdl::LOST };
        let (score, wdl) = match (raw_score, tablebase_centipawns(value)) {
            (RawScore::Mate(moves), _) => (Score::Mate(moves), decided),
            (RawScore::Cp(_), Some(centipawns)) => (Score::Cp(centipawns), decided),
            (RawScore::Cp(_), None) => {
                let exact = f64::from(value) * 100.0 / f64::from(UNITS_PER_PAWN);
                (Score::Cp(self.centipawns(exact)), self.wdl(exact))
            }
        };
        ReportedScore { score, wdl, raw_score }
    }
}

/// The reported forms of one value of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportedScore {
    pub(super) score: Score,
    pub(super) wdl: Wdl,
    pub(super) raw_score: RawScore,
}

impl ReportedScore {
    /// The scores of a side to move that is checkmated.
    pub(super) const MATED: ReportedScore =
        ReportedScore { score: Score::Mate(0), wdl: Wdl::LOST, raw_score: RawScore::Mate(0) };
    /// The scores of a drawn game.
    pub(super) const DRAWN: ReportedScore =
        ReportedScore { score: Score::Cp(0), wdl: Wdl::DRAWN, raw_score: RawScore::Cp(0) };
}

/// The weight of a role in the model's material.
pub(super) const fn material_value(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

/// The material of both sides together.
pub(super) fn material(position: &Position) -> u32 {
    Role::ALL.into_iter().map(|role| material_value(role) * position.by_role(role).count()).sum()
}

#[cfg(test)]
mod tests;
