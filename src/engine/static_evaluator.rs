//! The static evaluation of positions outside a search.

use super::score::{MAX_STATIC_EVAL, UNITS_PER_PAWN};
use super::wdl::WdlModel;
use crate::chess::Position;
use crate::nnue::{BoardEvaluator, Network};

/// An evaluator of positions without a search. Positions that resemble the last one are cheap, such
/// as those of a game.
pub struct StaticEvaluator<'a> {
    evaluator: BoardEvaluator<'a>,
}

impl StaticEvaluator<'_> {
    pub(super) fn new(network: &Network) -> StaticEvaluator<'_> {
        StaticEvaluator { evaluator: BoardEvaluator::new(network) }
    }

    /// The static evaluation of a position from White's view, in normalized centipawns (+100 = 50 %
    /// win probability).
    pub fn white_value(&mut self, position: &Position) -> i32 {
        const LIMIT: i32 = MAX_STATIC_EVAL * 100 / UNITS_PER_PAWN;
        let raw = self.evaluator.evaluate(position).clamp(-LIMIT, LIMIT);
        let value = WdlModel::for_position(position).centipawns(f64::from(raw));
        if position.turn().is_white() { value } else { -value }
    }
}
