//! The moves of a node, best first: skipped, extended, reduced, searched.
//!
//! Chess Programming Wiki, "Late Move Reductions", "Principal Variation Search". What a reduction
//! is adjusted by (the child's cut-offs, the table's line, the correction of the evaluation), the
//! deeper or shallower second look and the lesser depth once alpha was raised are after Stockfish
//! and Reckless.

use super::check_info::CheckInfo;
use super::evaluator::Evaluator;
use super::history::{history_bonus, history_malus, piece_to_index};
use super::history_update::SearchedMoves;
use super::move_picker::MovePicker;
use super::move_pruning::{MoveContext, PruneDecision};
use super::node::{Node, NodeType, NonPv};
use super::params;
use super::reductions::{ONE_PLY, base_reduction};
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::score::{INFINITE, MATE_IN_MAX_PLY, is_mate, mated_in};
use super::search::{NodeContext, SearchWorker};
use super::singular::SingularResult;
use super::tt_entry::{Bound, TtEntry};
use crate::chess::{Move, Position};

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Tries the moves of a node. `floor` is what the side to move has for sure, and what that
    /// leans on.
    pub(super) fn run_move_loop<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        mut node: Node,
        node_context: &NodeContext,
        floor: NodeScore,
    ) -> NodeScore {
        let Node { beta, ply, .. } = node;
        let mut alpha = node.alpha;
        let excluded_move = self.stack.at(ply).excluded_move;
        let in_check = node_context.static_eval.is_none();
        let tt_move =
            if NT::ROOT { self.root_moves[self.pv_index].mv } else { node_context.tt_data.mv };
        let mut picker = MovePicker::all(&positions[0], tt_move);
        let check_info = CheckInfo::new(&positions[0]);
        let (mut best, mut depends_on_ply) = (floor, floor.depends_on_ply);
        let mut best_move = Move::NULL;
        let mut move_count = 0;
        let (mut quiets, mut noisies) = (SearchedMoves::new(), SearchedMoves::new());
        let mut skip_quiets = false;

        let draw_guarded = self.is_draw_guarded(ply);
        let may_prune = !NT::ROOT
            && positions[0].halfmove_clock() < NEAR_FIFTY_MOVES
            && positions[0].has_non_pawn_material();

        loop {
            let ordering = node_context.ordering(&positions[0], self.history, &check_info);
            let Some(mv) = picker.next(ordering, skip_quiets) else { break };
            if mv == excluded_move || NT::ROOT && !self.is_pending_root_move(mv) {
                continue;
            }
            move_count += 1;
            self.stack.at_mut(ply).move_count = move_count;
            let move_context = self.move_context(&positions[0], node_context, &check_info, mv);

            let mut reduction = base_reduction(node.depth, move_count);
            if NT::PV {
                reduction -= params::lmr_window() * (beta - alpha) / self.root_delta;
            }
            // In the first plies no move back into the game's past is skipped: it may be the
            // repetition that saves the game.
            let returns_to_game_position = || {
                draw_guarded && self.position_history.is_game_position(positions[0].after(mv).key())
            };
            if may_prune && best.value > -MATE_IN_MAX_PLY && !returns_to_game_position() {
                match self.prune_move(
                    &positions[0],
                    node,
                    alpha,
                    node_context,
                    move_context,
                    reduction,
                    move_count,
                    !best_move.is_null(),
                ) {
                    PruneDecision::Search => {}
                    PruneDecision::Prune => continue,
                    PruneDecision::PruneFutile(value) => {
                        if !is_mate(best.value) {
                            best.value = best.value.max(value);
                        }
                        continue;
                    }
                    PruneDecision::PruneQuiets => {
                        skip_quiets = !draw_guarded;
                        continue;
                    }
                }
            }

            let mut extension = 0;
            let depth = node.depth;
            if !NT::ROOT
                && mv == node_context.tt_data.mv
                && ply < 2 * self.root_depth as usize
                && !draw_guarded
            {
                match self.singular_search::<NT>(positions, node, node_context, mv) {
                    SingularResult::Extend(plies) => extension = plies,
                    SingularResult::MultiCut(score) => {
                        return NodeScore {
                            depends_on_ply: floor.depends_on_ply.min(score.depends_on_ply),
                            ..score
                        };
                    }
                }
                if self.budget.is_stopped() {
                    return NodeScore::independent(0);
                }
                // That search counted its own moves here.
                self.stack.at_mut(ply).move_count = move_count;
                if extension > 1 && node.depth < 12 {
                    node.depth += 1;
                }
            }

            let nodes_before = self.budget.nodes();
            self.stack.at_mut(ply).reduction = 0;
            self.make_move(positions, ply, mv);
            let full_depth = depth - 1 + extension;
            let mut score = NodeScore::independent(-INFINITE);
            let is_first_move = move_count == 1;
            let mut search_full_window = NT::PV && is_first_move;
            if node.depth >= params::lmr_depth() && move_count > 1 + i32::from(NT::ROOT) {
                reduction += self.reduction_adjustment::<NT>(
                    &positions[1],
                    node,
                    node_context,
                    move_context,
                    reduction,
                );
                let reduced_depth = (full_depth - reduction.div_euclid(ONE_PLY))
                    .clamp(1.min(full_depth), full_depth)
                    .max(0)
                    + i32::from(NT::PV);
                self.stack.at_mut(ply).reduction = reduction;
                score = self
                    .search_node::<NonPv>(
                        &mut positions[1..],
                        node.zero_window_child(alpha, reduced_depth, true),
                    )
                    .flip();
                self.stack.at_mut(ply).reduction = 0;
                if score.value > alpha && reduced_depth < full_depth && !self.budget.is_stopped() {
                    // The reduced search was promising: how far to go depends on how much.
                    let deeper = i32::from(score.value > best.value + params::deeper_margin());
                    let shallower =
                        i32::from(score.value < best.value + params::shallower_margin());
                    let research_depth = full_depth + deeper - shallower;
                    if research_depth > reduced_depth {
                        score = self
                            .search_node::<NonPv>(
                                &mut positions[1..],
                                node.zero_window_child(alpha, research_depth, !node.cut_node),
                            )
                            .flip();
                    }
                    if move_context.is_quiet && !self.budget.is_stopped() {
                        let bonus = if score.value <= alpha {
                            -history_malus(full_depth)
                        } else {
                            history_bonus(full_depth)
                        };
                        let piece_to = piece_to_index(&positions[0], mv);
                        self.history.update_continuations(
                            node_context.history_key.continuation_indices,
                            piece_to,
                            bonus,
                        );
                    }
                }
                search_full_window = NT::PV && score.value > alpha;
            } else if !search_full_window {
                let zero_window_depth = full_depth - i32::from(reduction > 3 * ONE_PLY && NT::ROOT);
                score = self
                    .search_node::<NonPv>(
                        &mut positions[1..],
                        node.zero_window_child(alpha, zero_window_depth, !node.cut_node),
                    )
                    .flip();
                search_full_window = NT::PV && score.value > alpha;
            }
            if search_full_window && !self.budget.is_stopped() {
                self.stack.at_mut(ply).reduction = 0;
                score = self
                    .search_node::<NT::Child>(
                        &mut positions[1..],
                        node.full_window_child(alpha, full_depth),
                    )
                    .flip();
            }
            self.unmake_move();
            if self.budget.is_stopped() {
                return NodeScore::independent(0);
            }
            if NT::ROOT {
                self.update_root_move(mv, score.value, (alpha, beta), is_first_move, nodes_before);
            }

            depends_on_ply = depends_on_ply.min(score.depends_on_ply);
            if score.value > best.value {
                best = score;
                if score.value > alpha {
                    best_move = mv;
                    if NT::PV && !NT::ROOT {
                        self.pv_table.extend(ply, mv);
                    }
                    if score.value >= beta {
                        let stack_entry = self.stack.at_mut(ply);
                        stack_entry.cutoff_count += i32::from(extension < 2 || NT::PV);
                        break;
                    }
                    alpha = score.value;
                    // What comes now has to beat a move that was good already.
                    if (3..=12).contains(&node.depth) && !is_mate(score.value) {
                        node.depth -= params::raised_less().min(node.depth - 1);
                    }
                }
            }
            if mv != best_move {
                if move_context.is_quiet { quiets.push(mv) } else { noisies.push(mv) }
            }
        }

        if move_count == 0 {
            if !excluded_move.is_null() {
                return NodeScore { value: alpha, depends_on_ply };
            }
            return NodeScore::independent(if in_check { mated_in(ply) } else { 0 });
        }
        let bound = if best.value >= beta {
            Bound::Lower
        } else if NT::PV && !best_move.is_null() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !best_move.is_null() {
            self.update_move_histories(
                &positions[0],
                node,
                node_context,
                best_move,
                &quiets,
                &noisies,
            );
        } else if !NT::ROOT {
            self.update_on_fail_low(node, node_context);
        }
        if bound == Bound::Lower {
            // The move that cuts off proves its bound alone.
            depends_on_ply = best.depends_on_ply;
            if !is_mate(best.value) && !is_mate(beta) {
                best.value = (best.value * node.depth + beta) / (node.depth + 1);
            }
        }
        if bound == Bound::Upper {
            let on_pv = self.stack.before(ply, 1).tt_pv && node.depth > 3;
            self.stack.at_mut(ply).tt_pv |= on_pv && ply > 0;
        }
        let score = NodeScore { value: best.value, depends_on_ply };
        if !excluded_move.is_null() {
            return score;
        }
        // What a root is worth without some of its moves is not what the position is worth.
        if NT::ROOT && (self.pv_index > 0 || !self.searches_all_root_moves) {
            return score;
        }
        self.update_correction_history(node_context, node.depth, best.value, bound, best_move);
        let depth = if move_count == 1 && in_check { node.depth + 1 } else { node.depth };
        let entry = TtEntry {
            mv: best_move,
            value: 0,
            raw_eval: node_context.raw_eval,
            depth: depth.clamp(0, 255) as u8,
            bound,
            is_pv: self.stack.at(ply).tt_pv,
            path_dependent: false,
        };
        self.store_tt(&positions[0], score, entry, ply)
    }

    /// What is added to a late move's reduction, in 1/1024 ply. `child` is the position after it.
    fn reduction_adjustment<NT: NodeType>(
        &self,
        child: &Position,
        node: Node,
        node_context: &NodeContext,
        move_context: MoveContext,
        base_reduction: i32,
    ) -> i32 {
        let stack_entry = self.stack.at(node.ply);
        let tt_data = node_context.tt_data;
        let mut adjustment = 0;
        if stack_entry.tt_pv {
            adjustment -= params::lmr_table_pv()
                + 500 * i32::from(tt_data.is_lower_bound() && tt_data.depth >= node.depth);
        }
        if NT::PV {
            adjustment -= params::lmr_pv();
        }
        if node.cut_node {
            adjustment +=
                params::lmr_cut() + params::lmr_no_move() * i32::from(tt_data.mv.is_null());
        }
        if tt_data.mv.is_noisy() {
            adjustment += params::lmr_table_noisy();
        }
        if self.stack.at(node.ply + 1).cutoff_count > 2 {
            adjustment += params::lmr_cutoffs();
        }
        if child.in_check() {
            adjustment -= params::lmr_check();
        }
        if !node_context.improving {
            adjustment +=
                (base_reduction - params::lmr_base()) * params::lmr_not_improving() / 1024;
        }
        adjustment -= params::lmr_tried() * self.stack.at(node.ply).move_count;
        adjustment -= params::lmr_correction() * node_context.correction.abs() / 2;
        let weight =
            if move_context.is_quiet { params::lmr_history() } else { params::lmr_noisy_history() };
        adjustment
            - (move_context.history * weight + move_context.material_gain * params::lmr_gain())
                / 1024
    }
}
