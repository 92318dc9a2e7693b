//! What a score promises a player.

use crate::engine::Score;

/// A score beyond so many centipawns counts as this, and a mate as well.
pub const CP_CEILING: i32 = 1000;

/// How steeply the chance to win rises with centipawns. Fitted by Lichess to games of players rated
/// 2300: <https://github.com/lichess-org/lila/pull/11148>.
const STEEPNESS: f64 = 0.003_682_08;

/// A score from one player's view, of which the distance of a mate does not matter.
///
/// Other than [`Score`], whose `Mate(0)` has no other side, it can be turned around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PovScore {
    /// Centipawns.
    Cp(i32),
    /// The player mates, or has mated.
    Mating,
    /// The player is mated, or will be.
    Mated,
}

impl PovScore {
    /// Of the side whose view the score is from.
    pub(super) const fn of(score: Score) -> PovScore {
        match score {
            Score::Cp(value) => PovScore::Cp(value),
            Score::Mate(1..) => PovScore::Mating,
            Score::Mate(_) => PovScore::Mated,
        }
    }

    /// The same from the other player's view.
    pub(super) const fn flipped(self) -> PovScore {
        match self {
            PovScore::Cp(value) => PovScore::Cp(value.saturating_neg()),
            PovScore::Mating => PovScore::Mated,
            PovScore::Mated => PovScore::Mating,
        }
    }

    /// In centipawns, from −[`CEILING`] to [`CEILING`].
    pub(super) fn centipawns(self) -> i32 {
        match self {
            PovScore::Cp(value) => value.clamp(-CP_CEILING, CP_CEILING),
            PovScore::Mating => CP_CEILING,
            PovScore::Mated => -CP_CEILING,
        }
    }
}

/// A player's chance to win, a draw counted as half: percent, from 0 to 100.
///
/// 50 + 50 · (2 / (1 + e^(−0.00368208 · centipawns)) − 1), with centipawns up to [`CEILING`]; a
/// mate counts as the ceiling, so the chance goes from 2.5 to 97.5. Lichess's formula.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct WinChance(f64);

impl WinChance {
    /// Of the side whose view the score is from.
    pub fn of(score: Score) -> WinChance {
        WinChance::of_pov(PovScore::of(score))
    }

    pub(super) fn of_pov(pov: PovScore) -> WinChance {
        let centipawns = f64::from(pov.centipawns());
        WinChance(100.0 / (1.0 + (-STEEPNESS * centipawns).exp()))
    }

    /// The chance in percent.
    pub const fn percent(self) -> f64 {
        self.0
    }
}
