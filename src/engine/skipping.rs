//! Which moves of a node need not be searched.
//!
//! Chess Programming Wiki, "Futility Pruning", "Late Move Pruning", "History Leaf Pruning", "Static
//! Exchange Evaluation".

use super::checks::Checks;
use super::evaluation::Evaluator;
use super::history::cell;
use super::node::Node;
use super::params;
use super::reductions::PLY;
use super::score::Value;
use super::search::{Search, Standing};
use super::see::{gain, see_at_least};
use crate::chess::{Move, Position};

/// A move on its way through the loop.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    pub(super) quiet: bool,
    /// What the histories say of it.
    pub(super) history: i32,
    /// What it takes and promotes to, in the units of the search.
    pub(super) gain: Value,
    /// It may give check.
    pub(super) checks: bool,
}

/// What comes of asking whether to skip a move.
pub(super) enum Skip {
    /// It is searched.
    No,
    /// It is not.
    This,
    /// It is not: even so much would not reach alpha.
    Futile(Value),
    /// Neither it nor any other quiet move.
    Quiets,
}

impl<E: Evaluator> Search<'_, E> {
    pub(super) fn candidate(
        &self,
        position: &Position,
        standing: &Standing,
        checks: &Checks,
        mv: Move,
    ) -> Candidate {
        let quiet = !mv.is_noisy();
        let history = if quiet {
            let cell = cell(position, mv);
            let rows = standing.setting.rows;
            self.history.quiet(&standing.setting, mv)
                + self.history.continuation(rows[0], cell)
                + self.history.continuation(rows[1], cell)
                + self.history.pawn(&standing.setting, cell) / 2
        } else {
            self.history.noisy(position, standing.setting.threats, mv)
        };
        let gain = if quiet { 0 } else { gain(position, mv) };
        Candidate { mv, quiet, history, gain, checks: checks.may_give(position, mv) }
    }

    /// Whether a move need not be searched. Chess Programming Wiki, "Futility Pruning", "Late Move
    /// Pruning", "History Leaf Pruning", "Static Exchange Evaluation".
    #[expect(clippy::too_many_arguments, reason = "it is one step of the loop, with a name")]
    pub(super) fn skips(
        &self,
        position: &Position,
        node: Node,
        alpha: Value,
        standing: &Standing,
        candidate: Candidate,
        less: i32,
        tried: i32,
        found_one: bool,
    ) -> Skip {
        let Candidate { mv, quiet, history, gain, checks } = candidate;
        let depth = node.depth;
        let left = (depth - 1 - less / PLY).max(0);
        // A quiet check is forcing: it is judged like a capture. (After Stockfish.)
        if quiet && !checks {
            let late = (params::late_base() + depth * depth) / (2 - i32::from(standing.improving));
            if params::late_on() != 0 && tried >= late && standing.evaluation.is_some() {
                return Skip::Quiets;
            }
            if history < -params::quiet_history_skip() * depth {
                return Skip::This;
            }
            let left = (left + history / params::quiet_history_ply()).max(0);
            if let Some(evaluation) = standing.evaluation
                && left < params::quiet_futility_depth()
            {
                let hope = evaluation
                    + params::quiet_futility_base()
                    + params::quiet_futility_slope() * left
                    + params::quiet_futility_first() * i32::from(!found_one)
                    + 90 * i32::from(evaluation > alpha);
                if hope <= alpha {
                    return Skip::Futile(hope);
                }
            }
            if params::see_on() != 0
                && !see_at_least(position, mv, -params::see_quiet() * left * left)
            {
                return Skip::This;
            }
            return Skip::No;
        }
        if let Some(evaluation) = standing.evaluation
            && !checks
            && left < params::noisy_futility_depth()
        {
            let hope = evaluation
                + params::noisy_futility_base()
                + params::noisy_futility_slope() * left
                + gain
                + history * params::noisy_futility_history() / 1024;
            if hope <= alpha {
                return Skip::Futile(hope);
            }
        }
        let history = if quiet { 0 } else { history };
        let margin = (params::see_noisy() * depth + history / params::see_history()).max(0);
        if params::see_on() != 0 && !see_at_least(position, mv, -margin) {
            return Skip::This;
        }
        Skip::No
    }
}
