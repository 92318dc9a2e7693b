//! How accurate moves and players are, by Lichess's formulas (lila `AccuracyPercent.scala` and
//! `Maths.scala`).

/// The accuracy in percent of a move that lost so much win chance, in percent.
///
/// An exponential through 100 at no loss; one point is given on top for what the analysis itself
/// does not know.
pub(super) fn move_accuracy(win_chance_loss: f64) -> f64 {
    if win_chance_loss <= 0.0 {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * win_chance_loss).exp()
        - 3.166_924_740_191_411;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// How much each move of a game counts: the standard deviation of the win chances around it,
/// between 0.5 and 12. So errors count most where the game is open.
///
/// `chances` are White's, in percent, before the first move and after each. The window holds a
/// tenth of the moves, at least 2 and at most 8 positions; the first moves share the first window.
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

/// The accuracy in percent of a player whose moves have these accuracies and weights: the mean of
/// the weighted and the harmonic mean. `None` without a move.
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

/// Of the whole population.
fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}
