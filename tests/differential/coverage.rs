//! Coverage of the random games. It makes the test fail if rare cases did not occur.

use kibitzer::chess::{DrawReason, Move, Outcome, Position};
use shakmaty::{Chess, Position as _};

use crate::plan::Plan;

#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) games: u64,
    pub(crate) chess960_games: u64,
    pub(crate) positions: u64,
    pub(crate) checks: u64,
    pub(crate) double_checks: u64,
    pub(crate) checkmates: u64,
    pub(crate) stalemates: u64,
    pub(crate) dead_positions: u64,
    pub(crate) fivefold_repetitions: u64,
    pub(crate) seventy_five_moves: u64,
    pub(crate) castlings: u64,
    pub(crate) castlings_with_a_stationary_king: u64,
    pub(crate) en_passant_captures: u64,
    pub(crate) promotions: u64,
}

impl Coverage {
    pub(crate) fn record_game(&mut self, plan: &Plan) {
        self.games += 1;
        self.chess960_games += u64::from(plan.start.is_chess960());
    }

    pub(crate) fn record_position(&mut self, position: &Chess) {
        self.positions += 1;
        self.checks += u64::from(position.is_check());
        self.double_checks += u64::from(position.checkers().count() == 2);
    }

    pub(crate) fn record_move(&mut self, mv: Move, before: &Position) {
        self.castlings += u64::from(mv.is_castling());
        self.castlings_with_a_stationary_king +=
            u64::from(mv.is_castling() && before.king(before.turn()) == mv.to());
        self.en_passant_captures += u64::from(mv.is_en_passant());
        self.promotions += u64::from(mv.is_promotion());
    }

    pub(crate) fn record_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Ongoing => {}
            Outcome::Checkmate { .. } => self.checkmates += 1,
            Outcome::Stalemate => self.stalemates += 1,
            Outcome::Draw(DrawReason::DeadPosition) => self.dead_positions += 1,
            Outcome::Draw(DrawReason::FivefoldRepetition) => self.fivefold_repetitions += 1,
            Outcome::Draw(DrawReason::SeventyFiveMoves) => self.seventy_five_moves += 1,
        }
    }

    /// Asserts that every common case occurred and, in a full run, every rare one.
    pub(crate) fn assert_covers(&self, full: bool) {
        let share = self.chess960_games as f64 / self.games as f64;
        assert!((0.2..0.5).contains(&share), "a third of the games should be Chess960: {self:?}");
        let common = [
            self.checks,
            self.checkmates,
            self.castlings,
            self.en_passant_captures,
            self.promotions,
        ];
        assert!(common.iter().all(|&count| count > 0), "{self:?}");
        let rare = [
            self.double_checks,
            self.stalemates,
            self.dead_positions,
            self.fivefold_repetitions,
            self.seventy_five_moves,
            self.castlings_with_a_stationary_king,
        ];
        assert!(!full || rare.iter().all(|&count| count > 0), "{self:?}");
    }
}
