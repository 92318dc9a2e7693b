//! Quiescence search: captures, promotions and evasions at the leaves, until a position is quiet.
//!
//! Chess Programming Wiki, "Quiescence Search", "Delta Pruning", "Static Exchange Evaluation". The
//! limit on the number of moves, the exchange that must win the missing material, and the averaging
//! of values beyond beta follow Stockfish and Reckless.

use std::ops::ControlFlow;

use super::check_info::CheckInfo;
use super::move_picker::{MovePicker, OrderingContext};
use super::node::NodeType;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::see::{material_gain, see_at_least};
use super::threats::Threats;
use super::tt_data::TtData;
use super::worker::SearchWorker;
use crate::chess::{Move, Position, Square};
use crate::engine::evaluator::Evaluator;
use crate::engine::history::HistoryKey;
use crate::engine::params;
use crate::engine::score::{INFINITE, TB_WIN_IN_MAX_PLY, Value, is_decisive, mate_in, mated_in};
use crate::engine::tt::{Bound, TtEntry, tt_key};

/// The state of a quiescence node.
#[derive(Clone, Copy)]
struct QuiescenceNode {
    alpha: Value,
    beta: Value,
    ply: usize,
    tt_pv: bool,
    best: NodeScore,
    /// The move that raised alpha last, or the null move.
    best_move: Move,
    /// The earliest ply that any score of the node depends on.
    depends_on_ply: i32,
    /// The uncorrected static evaluation; `None` in check.
    raw_eval: Option<Value>,
    /// The evaluation to which a move's gain is added, to decide whether it can raise alpha.
    futility_base: Value,
    /// The number of moves tried.
    move_count: i32,
}

/// The decision whether to prune a move.
enum QuiescencePruning {
    /// The move is searched.
    Search,
    /// The move is pruned.
    Prune,
    /// The move is pruned: even this value would not raise alpha.
    PruneFutile(Value),
    /// This and all later moves are pruned.
    PruneRest,
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Searches a node until it is quiet.
    pub(super) fn quiescence<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        alpha: Value,
        beta: Value,
        ply: usize,
    ) -> NodeScore {
        self.pv_table.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_stopped() {
            return NodeScore::independent(0);
        }
        let repetition_bound = match self.resolve_draws(&positions[0], ply, (alpha, beta), true) {
            ControlFlow::Break(score) => return score,
            ControlFlow::Continue(repetition_bound) => repetition_bound,
        };
        let alpha = alpha.max(repetition_bound.value);
        if params::mate_distance_on() != 0 && alpha >= mate_in(ply + 1) {
            return NodeScore::independent(alpha);
        }
        let tt_data = self.probe_tt(&positions[0], ply);
        if !NT::PV && tt_data.bound.allows_cutoff(tt_data.value, beta) {
            return tt_data.score().raised_to(repetition_bound, beta);
        }
        let in_check = positions[0].in_check();
        if !in_check && is_stalemate(&positions[0]) {
            return NodeScore::independent(0);
        }
        let mut node = QuiescenceNode {
            alpha,
            beta,
            ply,
            tt_pv: NT::PV || tt_data.is_pv,
            best: repetition_bound,
            best_move: Move::NULL,
            depends_on_ply: repetition_bound.depends_on_ply,
            raw_eval: None,
            futility_base: -INFINITE,
            move_count: 0,
        };
        self.stack.at_mut(ply).static_eval = self.stack.before(ply, 2).static_eval;
        self.stack.at_mut(ply).in_check = in_check;
        if !in_check && let Some(score) = self.stand_pat(&positions[0], &tt_data, &mut node) {
            return score;
        }
        self.search_quiescence_moves::<NT>(positions, &mut node, tt_data.mv);
        if self.budget.is_stopped() {
            return NodeScore::independent(0);
        }
        if node.move_count == 0 && in_check {
            return NodeScore::independent(mated_in(ply));
        }
        let is_exact = NT::PV && node.best.value > alpha;
        self.store_quiescence(&positions[0], node, is_exact)
    }

    /// Evaluates the position as a lower bound of its value. Returns the score when it causes a
    /// cut-off, else raises alpha.
    #[inline(always)]
    fn stand_pat(
        &mut self,
        position: &Position,
        tt_data: &TtData,
        node: &mut QuiescenceNode,
    ) -> Option<NodeScore> {
        let correction_indices = self.correction_indices(position, node.ply);
        let eval = self.evaluate_position(position, tt_data, &correction_indices);
        node.raw_eval = Some(eval.raw_eval);
        self.stack.at_mut(node.ply).static_eval = Some(eval.static_eval);
        if eval.estimate > node.best.value {
            node.best = NodeScore {
                value: eval.estimate,
                depends_on_ply: if eval.estimate == tt_data.value {
                    tt_data.depends_on_ply
                } else {
                    NodeScore::INDEPENDENT
                },
            };
            node.depends_on_ply = node.depends_on_ply.min(node.best.depends_on_ply);
        }
        let NodeScore { value, depends_on_ply } = node.best;
        if value >= node.beta {
            if !tt_data.hit {
                self.tt.store_eval(tt_key(position), eval.raw_eval, node.tt_pv);
            }
            let near_fifty_moves = position.halfmove_clock() >= NEAR_FIFTY_MOVES;
            return Some(NodeScore {
                value: if is_decisive(value) { value } else { (value + node.beta) / 2 },
                depends_on_ply: if near_fifty_moves { -1 } else { depends_on_ply },
            });
        }
        node.alpha = node.alpha.max(value);
        node.futility_base = eval.static_eval + params::delta_margin();
        None
    }

    /// Searches the moves of the node until a cut-off or the end of the budget.
    #[inline(always)]
    fn search_quiescence_moves<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        node: &mut QuiescenceNode,
        tt_move: Move,
    ) {
        let ply = node.ply;
        let in_check = node.raw_eval.is_none();
        let threats = if in_check { Threats::new(&positions[0]) } else { Threats::default() };
        let history_key =
            HistoryKey::new(&positions[0], threats.all, self.stack.continuation_indices(ply), ply);
        let previous_move = self.stack.before(ply, 1).mv;
        let recapture_square = (!previous_move.is_null()).then_some(previous_move.to());
        let mut picker = MovePicker::noisy(&positions[0], tt_move);
        let check_info = CheckInfo::new(&positions[0]);
        loop {
            let ordering = OrderingContext {
                position: &positions[0],
                history: self.history,
                history_key: &history_key,
                threats: &threats,
                check_info: &check_info,
            };
            let Some(mv) = picker.next(ordering, false) else { break };
            node.move_count += 1;
            match prune_quiescence_move(&positions[0], node, mv, &check_info, recapture_square) {
                QuiescencePruning::Search => {}
                QuiescencePruning::Prune => continue,
                QuiescencePruning::PruneFutile(value) => {
                    node.best.value = node.best.value.max(value);
                    continue;
                }
                QuiescencePruning::PruneRest => break,
            }
            self.make_move(positions, ply, mv);
            let score =
                self.quiescence::<NT>(&mut positions[1..], -node.beta, -node.alpha, ply + 1).flip();
            self.unmake_move();
            if self.budget.is_stopped() {
                return;
            }
            node.depends_on_ply = node.depends_on_ply.min(score.depends_on_ply);
            if score.value > node.best.value {
                node.best = score;
                if score.value > node.alpha {
                    node.best_move = mv;
                    node.alpha = score.value;
                    if NT::PV {
                        self.pv_table.extend(ply, mv);
                    }
                    if score.value >= node.beta {
                        break;
                    }
                }
            }
        }
    }

    /// Stores the result of the node and returns it.
    #[inline(always)]
    fn store_quiescence(
        &mut self,
        position: &Position,
        mut node: QuiescenceNode,
        is_exact: bool,
    ) -> NodeScore {
        let bound = if node.best.value >= node.beta {
            node.depends_on_ply = node.best.depends_on_ply;
            if !is_decisive(node.best.value) {
                node.best.value = (node.best.value + node.beta) / 2;
            }
            Bound::Lower
        } else if is_exact {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = TtEntry {
            mv: node.best_move,
            value: 0,
            raw_eval: node.raw_eval,
            depth: 0,
            bound,
            is_pv: node.tt_pv,
            path_dependent: false,
        };
        let score = NodeScore { value: node.best.value, depends_on_ply: node.depends_on_ply };
        self.store_tt(position, score, entry, node.ply)
    }
}

/// Decides whether to prune a move.
#[inline(always)]
fn prune_quiescence_move(
    position: &Position,
    node: &QuiescenceNode,
    mv: Move,
    check_info: &CheckInfo,
    recapture_square: Option<Square>,
) -> QuiescencePruning {
    if node.best.value <= -TB_WIN_IN_MAX_PLY {
        return QuiescencePruning::Search;
    }
    let in_check = node.raw_eval.is_none();
    let is_delta_candidate =
        !in_check && recapture_square != Some(mv.to()) && !check_info.may_give_check(position, mv);
    if is_delta_candidate {
        if node.move_count > params::quiescence_late() {
            return QuiescencePruning::Prune;
        }
        let futility_value = node.futility_base + material_gain(position, mv);
        if params::delta_on() != 0 && futility_value <= node.alpha {
            return QuiescencePruning::PruneFutile(futility_value);
        }
        // The exchange must win the material that is missing to alpha.
        if params::quiescence_gain_on() != 0
            && !see_at_least(position, mv, node.alpha - node.futility_base)
        {
            return QuiescencePruning::PruneFutile(node.futility_base.min(node.alpha));
        }
    }
    // One evasion already avoids mate, so the remaining quiet evasions are skipped.
    if in_check && !mv.is_noisy() {
        return QuiescencePruning::PruneRest;
    }
    if params::quiescence_see_on() != 0 && !see_at_least(position, mv, -params::quiescence_see()) {
        return QuiescencePruning::Prune;
    }
    QuiescencePruning::Search
}

/// `true` when the side to move, which is not in check, has no move. In practice only a side
/// without pieces can be stalemated, so only then the moves are generated.
#[inline]
fn is_stalemate(position: &Position) -> bool {
    !position.has_non_pawn_material() && !position.has_moves()
}
