//! What ends a node before its moves are tried.
//!
//! Chess Programming Wiki, "Razoring", "Reverse Futility Pruning", "Null Move Pruning", "ProbCut".

use super::checks::Checks;
use super::entry::{Bound, Entry};
use super::evaluation::Evaluator;
use super::keys::table_key;
use super::node::{Node, Scout};
use super::params;
use super::path::Found;
use super::picker::Picker;
use super::score::{Value, is_mate, to_table};
use super::search::{Search, Standing};
use crate::chess::Position;

/// From this depth on, a null move's cut-off has to be confirmed by moves.
const VERIFY_FROM: i32 = 14;

impl<E: Evaluator> Search<'_, E> {
    /// Ends a node with a zero window that stands so far below `alpha` or above `beta` that no move
    /// is expected to matter.
    pub(super) fn prune_node(
        &mut self,
        line: &mut [Position],
        node: Node,
        evaluation: Value,
        standing: &Standing,
    ) -> Option<Found> {
        let Node { alpha, beta, depth, ply, .. } = node;
        let estimate = standing.estimate;
        if is_mate(beta) || is_mate(alpha) {
            return None;
        }
        // Razoring: only captures could save it, so only they are looked at.
        if depth <= 4
            && estimate
                < alpha - params::razoring_base() - params::razoring_square() * depth * depth
        {
            let found = self.quiescence::<Scout>(line, alpha, beta, ply);
            if found.value <= alpha || self.budget.is_over() {
                return Some(found);
            }
        }
        // Reverse futility: no opponent's move is expected to win back that much within so few
        // plies. Not where a quiet move is known to be best: that position is worth a look.
        let margin = params::futility_slope() * depth
            - params::futility_improving() * i32::from(standing.improving)
            - params::futility_worsening() * i32::from(standing.worsening)
            + standing.correction.abs() * params::futility_correction() / 16;
        let quiet_table_move = !standing.known.mv.is_null() && !standing.known.mv.is_noisy();
        if depth <= params::futility_depth()
            && !self.frames.at(ply).on_pv
            && estimate >= beta
            && estimate - margin.max(10) >= beta
            && !quiet_table_move
        {
            return Some(Found {
                value: beta + (estimate - beta) / 3,
                reach: standing.known.reach,
            });
        }
        self.null_move(line, node, evaluation, standing)
    }

    /// Passes: if even that fails high, a move surely would.
    fn null_move(
        &mut self,
        line: &mut [Position],
        node: Node,
        evaluation: Value,
        standing: &Standing,
    ) -> Option<Found> {
        let Node { beta, depth, ply, .. } = node;
        if !node.cut
            || !self.frames.at(ply).excluded.is_null()
            || depth < params::null_depth()
            || ply < self.null_from
            || !line[0].has_pieces()
            || self.frames.before(ply, 1).mv.is_null() && ply > 0
            || standing.estimate < beta
            || evaluation
                < beta - params::null_slope() * depth + params::null_base()
                    - 100 * i32::from(standing.improving)
        {
            return None;
        }
        let less = params::null_reduction()
            + depth / params::null_divisor()
            + ((standing.estimate - beta) / params::null_evaluation()).clamp(0, 3);
        self.make_null(line, ply);
        let found =
            self.node::<Scout>(&mut line[1..], node.scout(beta - 1, depth - less, false)).flip();
        self.unmake();
        if self.budget.is_over() {
            return Some(Found::own(0));
        }
        if found.value < beta {
            return None;
        }
        // A mate that the opponent's pass allowed is not proved.
        let value = if is_mate(found.value) { beta } else { found.value };
        if depth < VERIFY_FROM || self.null_from > 0 {
            return Some(Found { value, ..found });
        }
        // Zugzwang: deep down the pass has to be confirmed by moves.
        self.null_from = ply + (3 * (depth - less).max(0) as usize).div_ceil(4) + 1;
        let verified =
            self.node::<Scout>(line, Node { cut: false, ..node.below(beta, depth - less) });
        self.null_from = 0;
        (self.budget.is_over() || verified.value >= beta)
            .then_some(Found { value, reach: found.reach.min(verified.reach) })
    }

    /// A capture that stays far above `beta` in a shallower search would do so in a full one.
    pub(super) fn probcut(
        &mut self,
        line: &mut [Position],
        node: Node,
        standing: &Standing,
    ) -> Option<Found> {
        let Node { beta, depth, ply, .. } = node;
        let known = standing.known;
        let evaluation = standing.evaluation?;
        let target = beta + params::probcut_margin()
            - params::probcut_improving() * i32::from(standing.improving);
        if is_mate(beta) || is_mate(target) {
            return None;
        }
        // What the table says at nearly this depth may be enough by itself: Stockfish's small
        // ProbCut.
        let sure = beta + params::small_probcut_margin();
        if known.is_floor()
            && known.depth >= depth - 4
            && known.value >= sure
            && !is_mate(known.value)
        {
            return Some(Found { value: sure, reach: known.reach });
        }
        let unlikely =
            known.bound != Bound::None && known.depth >= depth - 3 && known.value < target;
        if depth < params::probcut_depth() || unlikely || self.is_guarded(ply) {
            return None;
        }
        let mut picker = Picker::winning(&line[0], known.mv, target - evaluation);
        let checks = Checks::of(&line[0]);
        let shallow = depth - 4;
        loop {
            let guide = standing.guide(&line[0], self.history, &checks);
            let mv = picker.next(guide, true)?;
            self.frames.at_mut(ply).reduction = 0;
            self.make(line, ply, mv);
            let child = node.scout(target - 1, 0, !node.cut);
            let mut found =
                self.quiescence::<Scout>(&mut line[1..], child.alpha, child.beta, ply + 1).flip();
            if found.value >= target && shallow > 0 && !self.budget.is_over() {
                found = self.node::<Scout>(&mut line[1..], Node { depth: shallow, ..child }).flip();
            }
            self.unmake();
            if self.budget.is_over() {
                return Some(Found::own(0));
            }
            if found.value >= target {
                if found.reach >= ply as i32 {
                    let entry = Entry {
                        mv,
                        value: to_table(found.value, ply),
                        evaluation: standing.raw,
                        depth: (shallow + 1).max(0) as u8,
                        bound: Bound::Lower,
                        on_pv: self.frames.at(ply).on_pv,
                        leans: false,
                    };
                    self.table.store(table_key(&line[0]), entry);
                }
                let value =
                    if is_mate(found.value) { found.value } else { found.value - (target - beta) };
                return Some(Found { value, ..found });
            }
        }
    }
}
