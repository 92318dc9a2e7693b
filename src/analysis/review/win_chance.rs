//! Win chance and accuracy by Lichess's formulas (scalachess `eval.scala`; lila
//! `AccuracyPercent.scala` and `Maths.scala`).

use crate::engine::Score;

/// The limit of a score's absolute value in centipawns. A mate counts as this value.
pub const CP_CEILING: i32 = 1000;

/// The slope of the win chance over centipawns. Lichess fitted it to games of players rated 2300:
/// <https://github.com/lichess-org/lila/pull/11148>.
const STEEPNESS: f64 = 0.003_682_08;

/// A score from one player's view, without the distance to mate.
///
/// Unlike [`Score`], it can always be flipped: `Score::Mate(0)` has no counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PovScore {
    /// Centipawns.
    Cp(i32),
    /// The player mates or has mated.
    Mating,
    /// The player is mated or will be.
    Mated,
}

impl PovScore {
    /// The score from the view of the side to move.
    pub(super) const fn of(score: Score) -> PovScore {
        match score {
            Score::Cp(value) => PovScore::Cp(value),
            Score::Mate(1..) => PovScore::Mating,
            Score::Mate(_) => PovScore::Mated,
        }
    }

    /// The score from the other player's view.
    pub(super) const fn flipped(self) -> PovScore {
        match self {
            PovScore::Cp(value) => PovScore::Cp(value.saturating_neg()),
            PovScore::Mating => PovScore::Mated,
            PovScore::Mated => PovScore::Mating,
        }
    }

    /// The score in centipawns, from −[`CP_CEILING`] to [`CP_CEILING`].
    pub(super) fn centipawns(self) -> i32 {
        match self {
            PovScore::Cp(value) => value.clamp(-CP_CEILING, CP_CEILING),
            PovScore::Mating => CP_CEILING,
            PovScore::Mated => -CP_CEILING,
        }
    }
}

/// A player's chance to win in percent, from 0 to 100; a draw counts as half a win.
///
/// 50 + 50 · (2 / (1 + e^(−0.00368208 · centipawns)) − 1), with centipawns up to [`CP_CEILING`]. A
/// mate counts as the ceiling, so the chance ranges from 2.5 to 97.5. Lichess's formula.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct WinChance(f64);

impl WinChance {
    /// The win chance of the side to move.
    pub fn of(score: Score) -> WinChance {
        WinChance::of_pov(PovScore::of(score))
    }

    pub(super) fn of_pov(pov: PovScore) -> WinChance {
        let centipawns = f64::from(pov.centipawns());
        WinChance(100.0 / (1.0 + (-STEEPNESS * centipawns).exp()))
    }

    /// The other player's chance.
    pub const fn flipped(self) -> WinChance {
        WinChance(100.0 - self.0)
    }

    /// The chance in percent.
    pub const fn percent(self) -> f64 {
        self.0
    }
}

/// The accuracy in percent of a move that loses this win chance, in percent.
///
/// An exponential curve through 100 at no loss. Lichess adds one point for the uncertainty of the
/// analysis itself.
pub(super) fn move_accuracy(win_chance_loss: f64) -> f64 {
    if win_chance_loss <= 0.0 {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * win_chance_loss).exp()
        - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// The weight of each move: the standard deviation of the win chances around it, from 0.5 to 12.
/// Errors in unclear positions therefore count most.
///
/// `win_chances` are White's, in percent, before the first move and after each move. The window
/// holds a tenth of the moves, at least 2 and at most 8 positions. The first moves share the first
/// window.
pub(super) fn volatility_weights(win_chances: &[f64]) -> Vec<f64> {
    let moves = win_chances.len().saturating_sub(1);
    let window = (moves / 10).clamp(2, 8);
    (0..moves)
        .map(|index| {
            let start = (index + 2).saturating_sub(window);
            win_chances
                .get(start..start + window)
                .map_or(0.5, |window| standard_deviation(window).clamp(0.5, 12.0))
        })
        .collect()
}

/// A player's accuracy in percent, from the accuracy and weight of each move: the mean of the
/// weighted mean and the harmonic mean. `None` without moves.
pub(super) fn player_accuracy(moves: &[(f64, f64)]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let weights: f64 = moves.iter().map(|(_, weight)| weight).sum();
    let weighted = moves.iter().map(|(accuracy, weight)| accuracy * weight).sum::<f64>() / weights;
    let harmonic =
        moves.len() as f64 / moves.iter().map(|(accuracy, _)| 1.0 / accuracy.max(1.0)).sum::<f64>();
    Some((weighted + harmonic) / 2.0)
}

/// The population standard deviation.
fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}
