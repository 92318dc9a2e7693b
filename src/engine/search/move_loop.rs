//! The move loop of a node: each move, best first, is pruned, or extended, reduced and searched.
//!
//! Chess Programming Wiki, "Late Move Reductions", "Principal Variation Search". The adjustments of
//! a reduction (the child's cut-offs, former principal variations, the correction of the
//! evaluation), the deeper or shallower re-search, and the lower depth after alpha was raised
//! follow Stockfish and Reckless.

use super::check_info::CheckInfo;
use super::history_update::SearchedMoves;
use super::move_picker::MovePicker;
use super::move_pruning::{MoveContext, PruneDecision};
use super::node::{Node, NodeContext, NodeType, NonPv};
use super::reductions::ONE_PLY;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::root_move::RootMoveResult;
use super::singular::SingularResult;
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::history::{history_bonus, piece_to_index};
use crate::engine::params;
use crate::engine::score::{INFINITE, TB_WIN_IN_MAX_PLY, is_decisive, mated_in};
use crate::engine::tt::{Bound, TtEntry};

/// The state of a node's move loop.
#[derive(Clone, Copy)]
struct MoveLoop {
    /// The node. Its alpha rises with the best move, and its depth may change.
    node: Node,
    best: NodeScore,
    /// The move that raised alpha last, or the null move.
    best_move: Move,
    /// The earliest ply that any score of the node depends on.
    depends_on_ply: i32,
    /// The number of moves tried.
    move_count: i32,
    /// Moves may be pruned: the node is not the root, not near the 50-move limit, and the side to
    /// move has a piece.
    may_prune: bool,
    skip_quiets: bool,
}

/// The search of one move of the loop.
#[derive(Clone, Copy)]
struct MoveSearch<'a> {
    state: &'a MoveLoop,
    node_context: &'a NodeContext,
    candidate: MoveContext,
    /// The depth of the child without reduction.
    full_depth: i32,
}

impl MoveLoop {
    #[inline(always)]
    fn new<NT: NodeType>(position: &Position, node: Node, repetition_bound: NodeScore) -> MoveLoop {
        MoveLoop {
            node,
            best: repetition_bound,
            best_move: Move::NULL,
            depends_on_ply: repetition_bound.depends_on_ply,
            move_count: 0,
            may_prune: !NT::ROOT
                && position.halfmove_clock() < NEAR_FIFTY_MOVES
                && position.has_non_pawn_material(),
            skip_quiets: false,
        }
    }

    #[inline(always)]
    const fn bound<NT: NodeType>(&self) -> Bound {
        if self.best.value >= self.node.beta {
            Bound::Lower
        } else if NT::PV && !self.best_move.is_null() {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Searches the moves of a node. `repetition_bound` is the score that the side to move has for
    /// certain.
    pub(super) fn run_move_loop<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        node: Node,
        node_context: &NodeContext,
        repetition_bound: NodeScore,
    ) -> NodeScore {
        let ply = node.ply;
        let excluded_move = self.stack.at(ply).excluded_move;
        let tt_move =
            if NT::ROOT { self.root_moves[self.pv_index].mv } else { node_context.tt_data.mv };
        let mut picker = MovePicker::all(&positions[0], tt_move);
        let check_info = CheckInfo::new(&positions[0]);
        let mut state = MoveLoop::new::<NT>(&positions[0], node, repetition_bound);
        let mut searched = SearchedMoves::new();
        loop {
            let ordering = node_context.ordering(&positions[0], self.history, &check_info);
            let Some(mv) = picker.next(ordering, state.skip_quiets) else { break };
            if mv == excluded_move || NT::ROOT && !self.is_pending_root_move(mv) {
                continue;
            }
            state.move_count += 1;
            self.stack.at_mut(ply).move_count = state.move_count;
            let candidate =
                self.move_context::<NT>(&positions[0], state.node, node_context, &check_info, mv);
            if self.skip_move(&positions[0], &mut state, node_context, candidate) {
                continue;
            }
            let depth = state.node.depth;
            let extension = match self.extend_tt_move::<NT>(positions, &mut state, node_context, mv)
            {
                SingularResult::Extend(plies) => plies,
                SingularResult::MultiCut(score) => {
                    return score.with_dependence_of(repetition_bound);
                }
            };
            if self.budget.is_stopped() {
                return NodeScore::independent(0);
            }
            let nodes_before = self.budget.nodes();
            let full_depth = depth - 1 + extension;
            let search = MoveSearch { state: &state, node_context, candidate, full_depth };
            let score = self.search_move::<NT>(positions, search);
            if self.budget.is_stopped() {
                return NodeScore::independent(0);
            }
            if NT::ROOT {
                self.update_root_move(&state, mv, score, nodes_before);
            }
            if self.update_best::<NT>(&mut state, mv, score, extension) {
                break;
            }
            if mv != state.best_move {
                searched.push(mv, candidate.is_quiet);
            }
        }
        self.finish_node::<NT>(&positions[0], state, node_context, &searched)
    }

    /// `true` when a move is pruned. It updates the state for what pruning implies.
    #[inline(always)]
    fn skip_move(
        &self,
        position: &Position,
        state: &mut MoveLoop,
        node_context: &NodeContext,
        candidate: MoveContext,
    ) -> bool {
        if !state.may_prune || state.best.value <= -TB_WIN_IN_MAX_PLY {
            return false;
        }
        let ghi_guarded = self.is_ghi_guarded(state.node.ply);
        // In the first plies no move back to a position of the game is pruned: it may be the
        // repetition that saves the game.
        if ghi_guarded && self.position_history.is_game_position(position.after(candidate.mv).key())
        {
            return false;
        }
        let has_best_move = !state.best_move.is_null();
        match self.prune_move(position, state.node, node_context, candidate, has_best_move) {
            PruneDecision::Search => false,
            PruneDecision::Prune => true,
            PruneDecision::PruneFutile(value) => {
                if !is_decisive(state.best.value) {
                    state.best.value = state.best.value.max(value);
                }
                true
            }
            PruneDecision::PruneQuiets => {
                state.skip_quiets = !ghi_guarded;
                true
            }
        }
    }

    /// The extension of the transposition table's move by singular search; 0 for other moves.
    #[inline(always)]
    fn extend_tt_move<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        state: &mut MoveLoop,
        node_context: &NodeContext,
        mv: Move,
    ) -> SingularResult {
        let ply = state.node.ply;
        if NT::ROOT
            || mv != node_context.tt_data.mv
            || ply >= 2 * self.root_depth as usize
            || self.is_ghi_guarded(ply)
        {
            return SingularResult::Extend(0);
        }
        let result = self.singular_search::<NT>(positions, state.node, node_context, mv);
        // The singular search counted its own moves in the same stack entry.
        self.stack.at_mut(ply).move_count = state.move_count;
        if let SingularResult::Extend(1..) = result {
            state.node.depth += 1;
        }
        result
    }

    /// Makes a move, searches the child and takes the move back. The first search of a late move
    /// has a reduced depth and a zero window; a promising move is searched again.
    #[inline(always)]
    fn search_move<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        search: MoveSearch<'_>,
    ) -> NodeScore {
        let MoveSearch { state, candidate, full_depth, .. } = search;
        let node = state.node;
        self.stack.at_mut(node.ply).reduction = 0;
        self.make_move(positions, node.ply, candidate.mv);
        let mut score = NodeScore::independent(-INFINITE);
        let mut search_full_window = NT::PV && state.move_count == 1;
        if node.depth >= params::lmr_depth() && state.move_count > 1 + i32::from(NT::ROOT) {
            score = self.search_reduced::<NT>(positions, search);
            search_full_window = NT::PV && score.value > node.alpha;
        } else if !search_full_window {
            let depth = full_depth - i32::from(candidate.reduction > 3 * ONE_PLY && NT::ROOT);
            score = self.search_zero_window(positions, node, depth, !node.cut_node);
            search_full_window = NT::PV && score.value > node.alpha;
        }
        if search_full_window && !self.budget.is_stopped() {
            self.stack.at_mut(node.ply).reduction = 0;
            score = self
                .search_node::<NT::Child>(&mut positions[1..], node.full_window_child(full_depth))
                .flip();
        }
        self.unmake_move();
        score
    }

    /// Searches a late move with a reduced depth, and again nearer to the full depth when that
    /// raises alpha.
    #[inline(always)]
    fn search_reduced<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        search: MoveSearch<'_>,
    ) -> NodeScore {
        let MoveSearch { state, node_context, candidate, full_depth } = search;
        let node = state.node;
        let reduction = candidate.reduction
            + self.reduction_adjustment::<NT>(&positions[1], node, node_context, candidate);
        let reduced_depth = (full_depth - reduction.div_euclid(ONE_PLY))
            .clamp(1.min(full_depth), full_depth)
            .max(0)
            + i32::from(NT::PV);
        self.stack.at_mut(node.ply).reduction = reduction;
        let mut score = self.search_zero_window(positions, node, reduced_depth, true);
        self.stack.at_mut(node.ply).reduction = 0;
        if score.value <= node.alpha || reduced_depth >= full_depth || self.budget.is_stopped() {
            return score;
        }
        // The depth of the second search depends on how promising the first was.
        let deeper = i32::from(score.value > state.best.value + params::deeper_margin());
        let shallower = i32::from(score.value < state.best.value + params::shallower_margin());
        let research_depth = full_depth + deeper - shallower;
        if research_depth > reduced_depth {
            score = self.search_zero_window(positions, node, research_depth, !node.cut_node);
        }
        if candidate.is_quiet && score.value > node.alpha && !self.budget.is_stopped() {
            let piece_to = piece_to_index(&positions[0], candidate.mv);
            self.history.update_continuations(
                node_context.history_key.continuation_indices,
                piece_to,
                history_bonus(full_depth),
            );
        }
        score
    }

    /// Searches the child with a zero window above alpha.
    #[inline(always)]
    fn search_zero_window(
        &mut self,
        positions: &mut [Position],
        node: Node,
        depth: i32,
        cut_node: bool,
    ) -> NodeScore {
        let child = node.zero_window_child(node.alpha, depth, cut_node);
        self.search_node::<NonPv>(&mut positions[1..], child).flip()
    }

    /// Updates the state with a move's score; `true` on a cut-off.
    #[inline(always)]
    fn update_best<NT: NodeType>(
        &mut self,
        state: &mut MoveLoop,
        mv: Move,
        score: NodeScore,
        extension: i32,
    ) -> bool {
        let node = &mut state.node;
        state.depends_on_ply = state.depends_on_ply.min(score.depends_on_ply);
        if score.value <= state.best.value {
            return false;
        }
        state.best = score;
        if score.value <= node.alpha {
            return false;
        }
        state.best_move = mv;
        if NT::PV && !NT::ROOT {
            self.pv_table.extend(node.ply, mv);
        }
        if score.value >= node.beta {
            self.stack.at_mut(node.ply).cutoff_count += i32::from(extension < 2 || NT::PV);
            return true;
        }
        node.alpha = score.value;
        // The remaining moves must beat a move that is already good.
        if (3..=12).contains(&node.depth) && !is_decisive(score.value) {
            node.depth -= params::raised_less().min(node.depth - 1);
        }
        false
    }

    /// Updates the histories after the last move, stores the result and returns it.
    #[inline]
    fn finish_node<NT: NodeType>(
        &mut self,
        position: &Position,
        mut state: MoveLoop,
        node_context: &NodeContext,
        searched: &SearchedMoves,
    ) -> NodeScore {
        let MoveLoop { node, best_move, .. } = state;
        let ply = node.ply;
        let excluded_move = self.stack.at(ply).excluded_move;
        if state.move_count == 0 {
            if !excluded_move.is_null() {
                return NodeScore { value: node.alpha, depends_on_ply: state.depends_on_ply };
            }
            let in_check = node_context.static_eval.is_none();
            return NodeScore::independent(if in_check { mated_in(ply) } else { 0 });
        }
        state.best.value = state.best.value.min(node_context.ceiling);
        let bound = state.bound::<NT>();
        if !best_move.is_null() {
            self.update_move_histories(position, node, node_context, best_move, searched);
        } else if !NT::ROOT {
            self.update_on_fail_low(node, node_context);
        }
        if bound == Bound::Lower {
            // The move that causes the cut-off proves the bound alone.
            state.depends_on_ply = state.best.depends_on_ply;
            if !is_decisive(state.best.value) && !is_decisive(node.beta) {
                state.best.value = (state.best.value * node.depth + node.beta) / (node.depth + 1);
            }
        }
        if bound == Bound::Upper {
            let parent_on_pv = self.stack.before(ply, 1).tt_pv && node.depth > 3;
            self.stack.at_mut(ply).tt_pv |= parent_on_pv && ply > 0;
        }
        let score = NodeScore { value: state.best.value, depends_on_ply: state.depends_on_ply };
        // The value of a node without some of its moves is not the value of the position.
        let omits_moves = !excluded_move.is_null()
            || NT::ROOT && (self.pv_index > 0 || !self.searches_all_root_moves);
        if omits_moves {
            return score;
        }
        self.store_node(position, state, node_context, bound, score)
    }

    /// Stores the result of a node in the correction histories and the transposition table.
    #[inline]
    fn store_node(
        &mut self,
        position: &Position,
        state: MoveLoop,
        node_context: &NodeContext,
        bound: Bound,
        score: NodeScore,
    ) -> NodeScore {
        let MoveLoop { node, best_move, .. } = state;
        self.update_correction_history(node_context, node.depth, score.value, bound, best_move);
        let is_forced = state.move_count == 1 && node_context.static_eval.is_none();
        let depth = if is_forced { node.depth + 1 } else { node.depth };
        let entry = TtEntry {
            mv: best_move,
            value: 0,
            raw_eval: node_context.raw_eval,
            depth: depth.clamp(0, 255) as u8,
            bound,
            is_pv: self.stack.at(node.ply).tt_pv,
            path_dependent: false,
        };
        self.store_tt(position, score, entry, node.ply)
    }

    /// The adjustment of a late move's reduction, in 1/1024 ply. `child` is the position after it.
    fn reduction_adjustment<NT: NodeType>(
        &self,
        child: &Position,
        node: Node,
        node_context: &NodeContext,
        candidate: MoveContext,
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
                (candidate.reduction - params::lmr_base()) * params::lmr_not_improving() / 1024;
        }
        adjustment -= params::lmr_tried() * stack_entry.move_count;
        adjustment -= params::lmr_correction() * node_context.correction.abs() / 2;
        let weight =
            if candidate.is_quiet { params::lmr_history() } else { params::lmr_noisy_history() };
        adjustment
            - (candidate.history * weight + candidate.material_gain * params::lmr_gain()) / 1024
    }

    /// `true` for a root move of the present rank that has no line yet.
    #[inline]
    fn is_pending_root_move(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..self.rank_end].iter().any(|root_move| root_move.mv == mv)
    }

    /// Records the score of a root move. `nodes_before` is the node count before its search.
    fn update_root_move(
        &mut self,
        state: &MoveLoop,
        mv: Move,
        score: NodeScore,
        nodes_before: u64,
    ) {
        let result = RootMoveResult {
            value: score.value,
            alpha: state.node.alpha,
            is_first: state.move_count == 1,
            nodes: self.budget.nodes() - nodes_before,
        };
        if let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv) {
            root_move.update(result, self.pv_table.line(1));
        }
    }
}
