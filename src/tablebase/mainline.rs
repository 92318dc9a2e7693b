//! The line of best moves to the end of the game.

use super::category::FIFTY_MOVES;
use super::convert;
use super::error::ProbeError;
use super::tables::Tablebase;
use super::values::Dtz;
use crate::chess::{Color, Move, Position};

/// The line of best moves from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mainline {
    /// The distance of the position, for the side to move.
    pub dtz: Dtz,
    /// The moves, to checkmate or a draw by the 50-move rule. Empty in a drawn position.
    pub moves: Vec<MainlineMove>,
    /// The side that gives checkmate at the end of the line.
    pub winner: Option<Color>,
}

/// A move of a main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MainlineMove {
    /// The move.
    pub mv: Move,
    /// The distance of the position after the move, for the side to move there.
    pub dtz: Dtz,
}

impl Tablebase {
    /// The line of best moves from a position, to checkmate, or to a draw by the 50-move rule.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] if the position or one of the line has no result.
    pub fn mainline(&self, position: &Position) -> Result<Mainline, ProbeError> {
        let dtz = self.probe_dtz(position)?;
        let mut position = position.clone();
        let mut moves = Vec::new();
        while dtz.plies != 0 && position.halfmove_clock() < FIFTY_MOVES {
            let Some(best) = self.best_move(&position)? else { break };
            position.play(best.mv);
            moves.push(best);
        }
        let is_mated = position.in_check() && !position.has_moves();
        Ok(Mainline { dtz, moves, winner: is_mated.then(|| !position.turn()) })
    }

    /// The move that wins soonest, or loses latest; `None` without a legal move.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] if a position after a move has no result.
    pub fn best_move(&self, position: &Position) -> Result<Option<MainlineMove>, ProbeError> {
        let best = self.probe(position, |converted| self.tables.best_move(converted))?;
        Ok(best.and_then(|(mv, dtz)| {
            let mv = convert::mv(position, &mv)?;
            Some(MainlineMove { mv, dtz: convert::dtz(dtz) })
        }))
    }
}
