//! The search of a node: principal variation search.
//!
//! Chess Programming Wiki, "Principal Variation Search", "Transposition Table", "Mate Distance
//! Pruning", "Internal Iterative Reductions". What ends a node before its moves stands in
//! `pruning`, the moves in `moves`, which of them are not searched in `skipping`, their extensions
//! in `singular`, their reductions in `reductions`; what the table says and is told in `recall`,
//! what the histories learn in `learning`. What the search may prune, it never lets decide a mate:
//! a mate score means that every defence was looked at.

use super::check_info::CheckInfo;
use super::correction_history::{CorrectionIndices, corrected_static_eval};
use super::evaluator::Evaluator;
use super::history::{
    HistoryKey, HistoryTables, NO_CONTINUATION, continuation_index, piece_to_index,
};
use super::keys::{CorrectionKeys, tt_key};
use super::move_picker::OrderingContext;
use super::node::{Node, NodeType, TtData};
use super::params;
use super::pv_table::PvTable;
use super::reductions::ONE_PLY;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore, PositionHistory};
use super::root_move::RootMove;
use super::score::{INFINITE, MAX_PLY, Value, is_mate, mate_in, mated_in};
use super::search_budget::SearchBudget;
use super::stack::Stack;
use super::threats::Threats;
use super::tt::TtView;
use crate::chess::{Move, Position};

/// Everything that one thread of a running search owns, and what it shares.
pub(super) struct SearchWorker<'a, E> {
    pub(super) tt: &'a TtView<'a>,
    pub(super) evaluator: &'a mut E,
    pub(super) budget: SearchBudget<'a>,
    pub(super) position_history: PositionHistory,
    pub(super) history: &'a mut HistoryTables,
    pub(super) stack: Stack,
    pub(super) pv_table: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// With several lines asked: the moves before this one have their line already.
    pub(super) pv_index: usize,
    /// Every legal move of the root is searched: none is left out by the scope.
    pub(super) searches_all_root_moves: bool,
    /// The keys of parts of the position at each ply of the line.
    correction_keys: Box<[CorrectionKeys; MAX_PLY + 2]>,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The depth of the running iteration.
    pub(super) root_depth: i32,
    /// The width of the root's window.
    pub(super) root_delta: Value,
    /// Up to this ply the table gives no cut-offs, and no move back into the game's past is
    /// skipped.
    pub(super) draw_guard_plies: usize,
    /// Before this ply no null move is tried: a null move's result is being verified.
    pub(super) null_move_min_ply: usize,
}

/// What a node knows of its position before it tries moves.
pub(super) struct NodeContext {
    pub(super) tt_data: TtData,
    /// The corrected static evaluation; `None` in check.
    pub(super) static_eval: Option<Value>,
    /// The same, or what the table says where that is the better guess.
    pub(super) estimate: Value,
    /// The static evaluation as the table keeps it.
    pub(super) raw_eval: Option<Value>,
    /// How much the evaluation was corrected.
    pub(super) correction: Value,
    /// The side to move stands better than two plies ago. (Stockfish's `improving`.)
    pub(super) improving: bool,
    /// The opponent stands worse than a ply ago. (Stockfish's `opponentWorsening`.)
    pub(super) opponent_worsening: bool,
    pub(super) threats: Threats,
    pub(super) history_key: HistoryKey,
    pub(super) correction_indices: CorrectionIndices,
}

impl NodeContext {
    /// What the node lends its pickers.
    #[inline]
    pub(super) fn ordering<'a>(
        &'a self,
        position: &'a Position,
        history: &'a HistoryTables,
        check_info: &'a CheckInfo,
    ) -> OrderingContext<'a> {
        OrderingContext {
            position,
            history,
            history_key: &self.history_key,
            threats: &self.threats,
            check_info,
        }
    }
}

impl<'a, E: Evaluator> SearchWorker<'a, E> {
    /// A search of a position, which has these root moves; `earlier` are the keys of the game's
    /// earlier positions, oldest first.
    pub(super) fn new(
        tt: &'a TtView<'a>,
        evaluator: &'a mut E,
        history: &'a mut HistoryTables,
        budget: SearchBudget<'a>,
        root: &Position,
        earlier_keys: &[u64],
        root_moves: Vec<RootMove>,
    ) -> SearchWorker<'a, E> {
        evaluator.reset(root);
        let mut correction_keys = Box::new([CorrectionKeys::default(); MAX_PLY + 2]);
        correction_keys[0] = CorrectionKeys::from_position(root);
        SearchWorker {
            tt,
            evaluator,
            budget,
            position_history: PositionHistory::new(root, earlier_keys),
            history,
            stack: Stack::new(),
            pv_table: PvTable::new(),
            searches_all_root_moves: root_moves.len() == root.legal_moves().len(),
            root_moves,
            pv_index: 0,
            correction_keys,
            seldepth: 0,
            root_depth: 0,
            root_delta: 1,
            draw_guard_plies: 0,
            null_move_min_ply: 0,
        }
    }

    /// The keys of parts of the position at a ply of the line.
    #[inline]
    pub(super) fn correction_keys_at(&self, ply: usize) -> &CorrectionKeys {
        &self.correction_keys[ply]
    }

    /// `true` in the first plies of a game with a past: there what other searches know counts for
    /// less.
    #[inline]
    pub(super) const fn is_draw_guarded(&self, ply: usize) -> bool {
        self.draw_guard_plies > 0 && ply <= self.draw_guard_plies
    }

    /// Makes a move of the line's first position on every stack, and counts the node.
    #[inline]
    pub(super) fn make_move(&mut self, positions: &mut [Position], ply: usize, mv: Move) {
        let [position, child, ..] = positions else { return };
        // First of all the child's key: the table is slow to answer.
        position.after_into(mv, child);
        self.tt.prefetch(tt_key(child));
        self.position_history.push(child);
        self.budget.count_node();
        self.evaluator.make_move(position, mv);
        self.correction_keys[ply + 1] = self.correction_keys[ply].after(position, mv);
        let stack_entry = self.stack.at_mut(ply);
        stack_entry.mv = mv;
        stack_entry.piece_to = piece_to_index(position, mv) as u16;
        stack_entry.continuation_index = continuation_index(position, mv);
        self.history.correction.prefetch(&CorrectionIndices::new(
            child,
            &self.correction_keys[ply + 1],
            &self.stack,
            ply + 1,
        ));
    }

    #[inline]
    pub(super) fn unmake_move(&mut self) {
        self.position_history.pop();
        self.evaluator.unmake_move();
    }

    /// Passes.
    pub(super) fn make_null_move(&mut self, positions: &mut [Position], ply: usize) {
        let [position, child, ..] = positions else { return };
        self.evaluator.make_null_move();
        self.correction_keys[ply + 1] = self.correction_keys[ply];
        let stack_entry = self.stack.at_mut(ply);
        stack_entry.mv = Move::NULL;
        stack_entry.continuation_index = NO_CONTINUATION;
        stack_entry.reduction = 0;
        child.clone_from(position);
        child.play_null_move();
        self.position_history.push_null(child);
    }

    /// The value of the node of the line's first position, at least `alpha` exact and below `beta`
    /// (fail-soft). The places after it are for its descendants. Means nothing once the budget is
    /// over.
    pub(super) fn search_node<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        mut node: Node,
    ) -> NodeScore {
        let ply = node.ply;
        if node.depth <= 0 {
            return self.quiescence::<NT>(positions, node.alpha, node.beta, ply);
        }
        self.pv_table.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_stopped() {
            return NodeScore::independent(0);
        }
        let excluded_move = self.stack.at(ply).excluded_move;
        // What the side to move has for sure.
        let mut floor = NodeScore::independent(-INFINITE);
        if !NT::ROOT {
            if let Some(score) = self.position_history.draw_score(&positions[0], ply) {
                return score;
            }
            if ply >= MAX_PLY {
                return NodeScore::independent(self.evaluator.evaluate(&positions[0]));
            }
            // A move back into a draw is at hand: this cannot be worse.
            if node.alpha < 0
                && excluded_move.is_null()
                && params::upcoming_on() != 0
                && let Some(depends_on_ply) =
                    self.position_history.upcoming_repetition(&positions[0])
            {
                floor = NodeScore { value: 0, depends_on_ply };
                node.alpha = 0;
                if node.alpha >= node.beta {
                    return floor;
                }
            }
            // No line from here is better than mating at once, nor worse than being mated now.
            if params::mate_distance_on() != 0 {
                node.alpha = node.alpha.max(mated_in(ply));
                node.beta = node.beta.min(mate_in(ply + 1));
                if node.alpha >= node.beta {
                    return NodeScore::independent(node.alpha);
                }
            }
        }
        self.stack.at_mut(ply + 2).cutoff_count = 0;

        let tt_data = self.probe_tt(&positions[0], ply);
        // Without its best move the position has neither that move nor its value.
        let tt_data = if excluded_move.is_null() { tt_data } else { tt_data.without_move() };
        if excluded_move.is_null() {
            self.stack.at_mut(ply).tt_pv = NT::PV || tt_data.is_pv;
            if !NT::PV
                && let Some(score) = self.tt_cutoff(&positions[0], &tt_data, node)
            {
                return score.raised_to(floor, node.beta);
            }
        }

        let node_context = self.evaluate_node::<NT>(&positions[0], tt_data, node);
        self.adjust_depth_by_hindsight::<NT>(&mut node, &node_context);
        if !NT::PV
            && let Some(static_eval) = node_context.static_eval
            && positions[0].halfmove_clock() < NEAR_FIFTY_MOVES
            && let Some(score) = self.prune_node(positions, node, static_eval, &node_context)
        {
            return score.raised_to(floor, node.beta);
        }
        // The root has a first move whether the table knows it or not.
        let lacks_tt_move = tt_data.mv.is_null() && excluded_move.is_null() && !NT::ROOT;
        if node.depth >= params::iir_depth() && lacks_tt_move && (NT::PV || node.cut_node) {
            node.depth -= 1;
        }
        if !NT::PV
            && excluded_move.is_null()
            && node_context.static_eval.is_some()
            && positions[0].halfmove_clock() < NEAR_FIFTY_MOVES
            && let Some(score) = self.try_probcut(positions, node, &node_context)
        {
            return score.raised_to(floor, node.beta);
        }
        self.run_move_loop::<NT>(positions, node, &node_context, floor)
    }

    /// Evaluates the position, and compares it with those before.
    fn evaluate_node<NT: NodeType>(
        &mut self,
        position: &Position,
        tt_data: TtData,
        node: Node,
    ) -> NodeContext {
        let ply = node.ply;
        let threats = Threats::new(position);
        let history_key =
            HistoryKey::new(position, threats.all, self.stack.continuation_indices(ply), ply);
        let correction_indices =
            CorrectionIndices::new(position, &self.correction_keys[ply], &self.stack, ply);
        let in_singular_search = !self.stack.at(ply).excluded_move.is_null();
        let previous_evals =
            [self.stack.before(ply, 2).static_eval, self.stack.before(ply, 4).static_eval];
        let parent_eval = if ply > 0 { self.stack.before(ply, 1).static_eval } else { None };
        let (mut static_eval, mut raw_eval, mut correction) = (None, None, 0);
        let mut estimate = 0;
        if !position.in_check() {
            let value = tt_data.raw_eval.unwrap_or_else(|| self.evaluator.evaluate(position));
            raw_eval = Some(value);
            correction = self.history.correction.value(&correction_indices);
            let now = corrected_static_eval(value, correction, position.halfmove_clock());
            static_eval = Some(now);
            estimate = if tt_data.is_better_estimate_than(now) && !is_mate(tt_data.value) {
                tt_data.value
            } else {
                now
            };
            if !tt_data.hit && !in_singular_search {
                self.tt.store_eval(tt_key(position), value, self.stack.at(ply).tt_pv);
            }
        }
        let stack_entry = self.stack.at_mut(ply);
        stack_entry.turn = history_key.turn;
        stack_entry.threats = threats.all;
        stack_entry.pawn_index = history_key.pawn_index;
        // In check the last evaluation of this side stands for the missing one.
        stack_entry.static_eval = static_eval.or(previous_evals[0]);
        stack_entry.in_check = static_eval.is_none();
        stack_entry.move_count = 0;
        if !in_singular_search && !NT::ROOT {
            self.update_on_eval_change(ply, static_eval, parent_eval);
        }
        let improving = match (static_eval, previous_evals[0].or(previous_evals[1])) {
            (Some(now), Some(before)) => now > before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let opponent_worsening =
            matches!((static_eval, parent_eval), (Some(now), Some(last)) if now > -last);
        NodeContext {
            tt_data,
            static_eval,
            estimate,
            raw_eval,
            correction,
            improving,
            opponent_worsening,
            threats,
            history_key,
            correction_indices,
        }
    }

    /// The node was reduced before anybody knew its evaluation: deeper when that shows no gain for
    /// the one who moved there, less deep when both sides' evaluations agree that it stands well.
    /// (After Stockfish, "hindsight".)
    fn adjust_depth_by_hindsight<NT: NodeType>(&self, node: &mut Node, node_context: &NodeContext) {
        if NT::ROOT
            || params::hindsight_on() == 0
            || !self.stack.at(node.ply).excluded_move.is_null()
        {
            return;
        }
        let parent = self.stack.before(node.ply, 1);
        let (Some(now), Some(last)) = (node_context.static_eval, parent.static_eval) else {
            return;
        };
        if parent.reduction >= 3 * ONE_PLY && !node_context.opponent_worsening {
            node.depth += 1;
        } else if parent.reduction >= 2 * ONE_PLY
            && node.depth >= 2
            && now + last > params::hindsight_sum()
        {
            node.depth -= 1;
        }
    }
}
