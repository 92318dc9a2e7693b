//! How likely a score wins, draws and loses, and the centipawns that follow from it.
//!
//! The side to move wins with the chance 1 / (1 + e^((a − x) / b)) at a score of x and loses with
//! that of −x; what is left is the draw. a, the score that wins half of the games, and b, how
//! gradually more wins more, are cubic polynomials of the material on the board. What the engine
//! tells as 100 centipawns is a: half of the games are won with that, in any phase. Chess
//! Programming Wiki, "Pawn Advantage, Win Percentage, and Elo"; Stockfish's `WDL_model` has the
//! same form.
//!
//! The constants are fitted to games of this engine against itself by `kibitzer-trainer wdl`;
//! docs/strength.md has data and errors. Nothing here is searched with: it is what is told.

use super::Score;
use super::score::{RawScore, UNITS_PER_PAWN, Value};
use crate::chess::{Position, Role};

/// The chances of the side to move, per mille. They add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// It wins.
    pub win: u16,
    /// Nobody wins.
    pub draw: u16,
    /// It loses.
    pub loss: u16,
}

impl Wdl {
    /// The side to move wins.
    pub const WON: Wdl = Wdl { win: 1000, draw: 0, loss: 0 };
    /// Nobody wins.
    pub const DRAWN: Wdl = Wdl { win: 0, draw: 1000, loss: 0 };
    /// The other side wins.
    pub const LOST: Wdl = Wdl { win: 0, draw: 0, loss: 1000 };

    /// The same from the other side's view.
    pub const fn flip(self) -> Wdl {
        Wdl { win: self.loss, draw: self.draw, loss: self.win }
    }
}

/// The model at the material of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlModel {
    half_win_score: f64,
    spread: f64,
}

impl WdlModel {
    /// The material of the start position; more counts as this.
    pub const FULL_MATERIAL: u32 = 78;
    /// Less material than this counts as this.
    pub const MIN_MATERIAL: u32 = 10;
    /// Coefficients of a in material / [`WinModel::FULL`], constant term first: linear centipawns.
    pub const HALF_WIN_COEFFICIENTS: [f64; 4] =
        [234.28749092677975, -483.74074913471196, 613.2705383561077, -277.5553797561859];
    /// Coefficients of b, likewise.
    pub const SPREAD_COEFFICIENTS: [f64; 4] =
        [31.54745317845972, 30.108064172941493, 25.921727556325454, -15.530982125312809];

    /// At the material of a position.
    pub fn for_position(position: &Position) -> WdlModel {
        WdlModel::for_material(material(position))
    }

    /// At a material, both sides together: a pawn counts 1, a knight and a bishop 3, a rook 5, a
    /// queen 9.
    pub fn for_material(material: u32) -> WdlModel {
        let share = f64::from(material.clamp(WdlModel::MIN_MATERIAL, WdlModel::FULL_MATERIAL))
            / f64::from(WdlModel::FULL_MATERIAL);
        // Only basic operations, which every machine rounds alike.
        let value = |[a, b, c, d]: [f64; 4]| ((d * share + c) * share + b) * share + a;
        WdlModel {
            half_win_score: value(WdlModel::HALF_WIN_COEFFICIENTS),
            spread: value(WdlModel::SPREAD_COEFFICIENTS),
        }
    }

    /// The chances at a score in linear centipawns, of the side that has it.
    pub fn wdl(&self, raw_centipawns: f64) -> Wdl {
        let permille = |score: f64| {
            (1000.0 / (1.0 + ((self.half_win_score - score) / self.spread).exp())).round() as u16
        };
        let win = permille(raw_centipawns);
        let loss = permille(-raw_centipawns).min(1000 - win);
        Wdl { win, draw: 1000 - win - loss, loss }
    }

    /// Linear centipawns as the centipawns that are told: with 100 half of the games are won.
    pub fn centipawns(&self, raw_centipawns: f64) -> i32 {
        (100.0 * raw_centipawns / self.half_win_score).round() as i32
    }

    /// Changes with the model's constants (FNV-1a, in 32 bits): scores that another model has
    /// scaled are not comparable.
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

    /// What is told of a value of the search.
    pub(super) fn reported_score(&self, value: Value) -> ReportedScore {
        let raw_score = RawScore::from_value(value);
        let (score, wdl) = match raw_score {
            RawScore::Mate(moves) => {
                (Score::Mate(moves), if value > 0 { Wdl::WON } else { Wdl::LOST })
            }
            RawScore::Cp(_) => {
                let exact = f64::from(value) * 100.0 / f64::from(UNITS_PER_PAWN);
                (Score::Cp(self.centipawns(exact)), self.wdl(exact))
            }
        };
        ReportedScore { score, wdl, raw_score }
    }
}

/// What is told of a value of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportedScore {
    pub(super) score: Score,
    pub(super) wdl: Wdl,
    pub(super) raw_score: RawScore,
}

impl ReportedScore {
    /// The side to move is checkmated.
    pub(super) const MATED: ReportedScore =
        ReportedScore { score: Score::Mate(0), wdl: Wdl::LOST, raw_score: RawScore::Mate(0) };
    /// The game has ended in a draw.
    pub(super) const DRAWN: ReportedScore =
        ReportedScore { score: Score::Cp(0), wdl: Wdl::DRAWN, raw_score: RawScore::Cp(0) };
}

/// What a piece counts in the material of the model.
pub(super) const fn material_value(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

/// What stands on the board, both sides together.
pub(super) fn material(position: &Position) -> u32 {
    Role::ALL.into_iter().map(|role| material_value(role) * position.by_role(role).count()).sum()
}

#[cfg(test)]
mod tests;
