//! What is said of a game.

use super::accuracy::{player_accuracy, volatility_weights};
use super::{Judgement, MoveReview, WinChance};
use crate::chess::Color;

/// What is said of a game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReview {
    /// The moves in order.
    pub moves: Vec<MoveReview>,
    /// How White played.
    pub white: PlayerReview,
    /// How Black played.
    pub black: PlayerReview,
}

/// What is said of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerReview {
    /// The accuracy in percent: the mean of the mean of the moves' accuracies weighted by the
    /// volatility of the game, and their harmonic mean. Lichess's formula. `None` for a player who
    /// has not moved.
    pub accuracy: Option<f64>,
    /// The mean of the centipawns lost; `None` for a player who has not moved.
    pub average_centipawn_loss: Option<f64>,
    /// Moves judged so.
    pub inaccuracies: usize,
    /// Moves judged so.
    pub mistakes: usize,
    /// Moves judged so.
    pub blunders: usize,
}

impl GameReview {
    /// Puts the reviews of all moves of a game together, the first of them made by that player.
    pub fn new(first_mover: Color, moves: Vec<MoveReview>) -> GameReview {
        let weights = volatility_weights(&white_win_chances(first_mover, &moves));
        let player = |color: Color| {
            let skipped = usize::from(color != first_mover);
            let own = moves.iter().zip(&weights).skip(skipped).step_by(2);
            PlayerReview::new(&own.map(|(review, &weight)| (review, weight)).collect::<Vec<_>>())
        };
        let (white, black) = (player(Color::White), player(Color::Black));
        GameReview { moves, white, black }
    }

    /// How a player played.
    pub const fn player(&self, color: Color) -> &PlayerReview {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

impl PlayerReview {
    /// Of the player's own moves, each with its weight.
    fn new(moves: &[(&MoveReview, f64)]) -> PlayerReview {
        let accuracies: Vec<_> =
            moves.iter().map(|(review, weight)| (review.accuracy, *weight)).collect();
        let total_loss: u64 =
            moves.iter().map(|(review, _)| u64::from(review.centipawn_loss)).sum();
        let judged = |judgement| {
            moves.iter().filter(|(review, _)| review.judgement == Some(judgement)).count()
        };
        PlayerReview {
            accuracy: player_accuracy(&accuracies),
            average_centipawn_loss: (!moves.is_empty())
                .then(|| total_loss as f64 / moves.len() as f64),
            inaccuracies: judged(Judgement::Inaccuracy),
            mistakes: judged(Judgement::Mistake),
            blunders: judged(Judgement::Blunder),
        }
    }
}

/// White's win chance in percent before the first move and after each.
fn white_win_chances(first_mover: Color, moves: &[MoveReview]) -> Vec<f64> {
    let white = |chance: WinChance, color: Color| match color {
        Color::White => chance.percent(),
        Color::Black => 100.0 - chance.percent(),
    };
    let start = moves.first().map(|review| white(WinChance::of(review.score_before), first_mover));
    let sides_to_move = [!first_mover, first_mover].into_iter().cycle();
    start
        .into_iter()
        .chain(
            moves
                .iter()
                .zip(sides_to_move)
                .map(|(review, to_move)| white(review.win_chance_after(), to_move)),
        )
        .collect()
}
