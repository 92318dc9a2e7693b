//! The review of a whole game and of its players.

use super::move_review::{Judgement, MoveReview};
use super::win_chance::{WinChance, player_accuracy, volatility_weights};
use crate::chess::Color;

/// The review of a played game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReview {
    /// The reviews of all moves in order.
    pub moves: Vec<MoveReview>,
    /// The review of White.
    pub white: PlayerReview,
    /// The review of Black.
    pub black: PlayerReview,
}

/// The review of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerReview {
    /// The accuracy in percent; `None` for a player without moves. Lichess's formula: the mean of
    /// the volatility-weighted mean and the harmonic mean of the moves' accuracies.
    pub accuracy: Option<f64>,
    /// The mean centipawn loss; `None` for a player without moves.
    pub average_centipawn_loss: Option<f64>,
    /// Number of inaccuracies.
    pub inaccuracies: usize,
    /// Number of mistakes.
    pub mistakes: usize,
    /// Number of blunders.
    pub blunders: usize,
}

impl GameReview {
    /// Combines the reviews of all moves of a game. `first_mover` makes the first move.
    pub fn new(first_mover: Color, moves: Vec<MoveReview>) -> GameReview {
        let weights = volatility_weights(&white_win_chances(first_mover, &moves));
        let player = |color: Color| {
            let skipped = usize::from(color != first_mover);
            let own_moves = moves.iter().zip(&weights).skip(skipped).step_by(2);
            PlayerReview::new(
                &own_moves.map(|(review, &weight)| (review, weight)).collect::<Vec<_>>(),
            )
        };
        let (white, black) = (player(Color::White), player(Color::Black));
        GameReview { moves, white, black }
    }

    /// The review of a player.
    pub const fn player(&self, color: Color) -> &PlayerReview {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

impl PlayerReview {
    /// Reviews a player by that player's moves and their weights.
    fn new(moves: &[(&MoveReview, f64)]) -> PlayerReview {
        let accuracies: Vec<_> =
            moves.iter().map(|(review, weight)| (review.assessment.accuracy, *weight)).collect();
        let total_loss: u64 =
            moves.iter().map(|(review, _)| u64::from(review.assessment.centipawn_loss)).sum();
        let judged = |judgement| {
            moves
                .iter()
                .filter(|(review, _)| review.assessment.judgement == Some(judgement))
                .count()
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

/// White's win chances in percent, before the first move and after each move.
fn white_win_chances(first_mover: Color, moves: &[MoveReview]) -> Vec<f64> {
    let white = |chance: WinChance, mover: Color| match mover {
        Color::White => chance.percent(),
        Color::Black => chance.flipped().percent(),
    };
    let start = moves.first().map(|review| white(review.win_chance_before(), first_mover));
    let movers = [first_mover, !first_mover].into_iter().cycle();
    let after_moves =
        moves.iter().zip(movers).map(|(review, mover)| white(review.win_chance_after(), mover));
    start.into_iter().chain(after_moves).collect()
}
