//! The search of one thread: iterative deepening over principal variation search and quiescence.
//!
//! `iterative_deepening` searches the root with aspiration windows. Three stages of a node have
//! files of their own. `search_node` tries to return before the move loop (draws, TT cut-off,
//! pruning), `move_loop` searches the moves, and `quiescence` resolves captures at the leaves.
//! `move_picker` orders the moves, `see` evaluates exchanges, and `repetition` finds draws.
//! `tablebase_probe` and `tablebase_root` use endgame tables.

mod check_info;
mod cuckoo;
mod history_update;
mod iterative_deepening;
mod mate_search;
mod move_loop;
mod move_picker;
mod move_pruning;
mod node;
mod node_pruning;
mod pv_check;
mod quiescence;
mod reductions;
mod repetition;
mod root_move;
mod root_search;
mod search_node;
mod see;
mod singular;
mod stack;
mod tablebase_probe;
mod tablebase_root;
mod threats;
mod tt_access;
mod tt_data;
mod worker;

pub(super) use iterative_deepening::{DeepeningGoal, MAX_DEPTH};
pub(super) use root_move::ordered_root_moves;
pub(super) use tablebase_root::rank_root_moves;
pub(super) use worker::{SearchRoot, SearchWorker};
