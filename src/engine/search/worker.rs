//! The state of one search thread, and the moves it makes along its line.

use super::repetition::PositionHistory;
use super::root_move::RootMove;
use super::stack::Stack;
use crate::chess::{Game, Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::history::{
    CorrectionIndices, CorrectionKeys, HistoryTables, NO_CONTINUATION, continuation_index,
    piece_to_index,
};
use crate::engine::pv::PvTable;
use crate::engine::score::{MAX_PLY, Value};
use crate::engine::tablebase_options::SearchTablebase;
use crate::engine::time::SearchBudget;
use crate::engine::tt::{TtView, tt_key};

/// The root of a search.
pub(in crate::engine) struct SearchRoot<'a> {
    pub(in crate::engine) position: &'a Position,
    /// The keys of the game's earlier positions, oldest first.
    pub(in crate::engine) earlier_keys: &'a [u64],
    /// The moves to search, in their first order; those of better rank come first.
    pub(in crate::engine) moves: Vec<RootMove>,
    /// The use of tables.
    pub(in crate::engine) tablebase: Option<SearchTablebase<'a>>,
}

impl<'a> SearchRoot<'a> {
    /// The root of a game's present position.
    pub(in crate::engine) fn new(
        game: &'a Game,
        moves: Vec<RootMove>,
        tablebase: Option<SearchTablebase<'a>>,
    ) -> SearchRoot<'a> {
        let (position, earlier_keys) = (game.position(), game.earlier_keys());
        SearchRoot { position, earlier_keys, moves, tablebase }
    }
}

/// The state of one thread of a running search: what it owns and what it shares.
pub(in crate::engine) struct SearchWorker<'a, E> {
    pub(super) tt: &'a TtView<'a>,
    pub(super) evaluator: &'a mut E,
    pub(super) budget: SearchBudget<'a>,
    pub(in crate::engine) position_history: PositionHistory,
    pub(in crate::engine) history: &'a mut HistoryTables,
    pub(super) stack: Stack,
    pub(super) pv_table: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// The MultiPV line under search. The root moves before this index have their lines already.
    pub(super) pv_index: usize,
    /// The end of the root moves with the rank of the line under search.
    pub(super) rank_end: usize,
    /// Every legal move of the root is searched: the search options exclude none.
    pub(super) searches_all_root_moves: bool,
    /// The correction keys of each ply of the line.
    correction_keys: Box<[CorrectionKeys; MAX_PLY + 2]>,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The depth of the running iteration.
    pub(super) root_depth: i32,
    /// The width of the root's window.
    pub(super) root_delta: Value,
    /// Up to this ply the search guards against graph history interaction (GHI): the transposition
    /// table gives no cut-offs, and no move back to a position of the game is pruned.
    pub(in crate::engine) ghi_guard_plies: usize,
    /// Before this ply no null move is tried, because the result of one is being verified.
    pub(super) null_move_min_ply: usize,
    /// The use of tables.
    pub(super) tablebase: Option<SearchTablebase<'a>>,
}

impl<'a, E: Evaluator> SearchWorker<'a, E> {
    /// A worker that is ready to search a root.
    pub(in crate::engine) fn new(
        tt: &'a TtView<'a>,
        evaluator: &'a mut E,
        history: &'a mut HistoryTables,
        budget: SearchBudget<'a>,
        root: SearchRoot<'a>,
    ) -> SearchWorker<'a, E> {
        let SearchRoot { position, earlier_keys, moves, tablebase } = root;
        evaluator.reset(position);
        let mut position_history = PositionHistory::new(position, earlier_keys);
        position_history.note_game_history_dependence(
            tablebase.is_some_and(|tables| tables.depends_on_history),
        );
        let mut correction_keys = Box::new([CorrectionKeys::default(); MAX_PLY + 2]);
        correction_keys[0] = CorrectionKeys::from_position(position);
        SearchWorker {
            tt,
            evaluator,
            budget,
            position_history,
            history,
            stack: Stack::new(),
            pv_table: PvTable::new(),
            searches_all_root_moves: moves.len() == position.legal_moves().len()
                && moves.iter().all(|root_move| root_move.rank == moves[0].rank),
            rank_end: moves.len(),
            root_moves: moves,
            pv_index: 0,
            correction_keys,
            seldepth: 0,
            root_depth: 0,
            root_delta: 1,
            ghi_guard_plies: 0,
            null_move_min_ply: 0,
            tablebase,
        }
    }

    /// The indices of the correction entries of a position at a ply of the line.
    #[inline]
    pub(super) fn correction_indices(&self, position: &Position, ply: usize) -> CorrectionIndices {
        CorrectionIndices::new(
            position,
            &self.correction_keys[ply],
            self.stack.previous_piece_to(ply),
        )
    }

    /// `true` in the first plies of a search on a shared table with a game history or a half-move
    /// clock above 20. There the transposition table is trusted less, because its values may come
    /// from other histories (graph history interaction).
    #[inline]
    pub(super) const fn is_ghi_guarded(&self, ply: usize) -> bool {
        self.ghi_guard_plies > 0 && ply <= self.ghi_guard_plies
    }

    /// Makes a move in the node's position, `positions[0]`, updates every stack, and counts the
    /// node.
    #[inline]
    pub(super) fn make_move(&mut self, positions: &mut [Position], ply: usize, mv: Move) {
        let [position, child, ..] = positions else { return };
        // The child comes first, so that its table entry is prefetched as early as possible.
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
        self.history.correction.prefetch(&self.correction_indices(child, ply + 1));
    }

    /// Takes back the last move or null move of the line.
    #[inline]
    pub(super) fn unmake_move(&mut self) {
        self.position_history.pop();
        self.evaluator.unmake_move();
    }

    /// Makes a null move in the node's position, `positions[0]`.
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
}
