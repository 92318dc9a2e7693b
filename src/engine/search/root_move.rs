//! The moves of the root, with their values and lines.

use super::check_info::CheckInfo;
use super::move_picker::{MovePicker, OrderingContext};
use super::threats::Threats;
use crate::chess::{Move, Position};
use crate::engine::history::{HistoryKey, HistoryTables, NO_CONTINUATION};
use crate::engine::limits::SearchOptions;
use crate::engine::pv::PvLine;
use crate::engine::score::{INFINITE, Value, is_decisive};
use crate::engine::tt::{TtView, tt_key};
use crate::tablebase::RootOutcome;

/// A move of the root.
#[derive(Clone)]
pub(in crate::engine) struct RootMove {
    pub(super) mv: Move,
    /// The value in the running iteration; −[`INFINITE`] while the move is not among the best.
    pub(super) value: Value,
    /// The value in the previous iteration.
    pub(super) previous_value: Value,
    /// The running average of the values of the iterations so far.
    pub(super) average_value: Option<Value>,
    /// The value is at least a lower bound: it did not fail low.
    pub(super) raised_alpha: bool,
    pub(super) pv: Vec<Move>,
    /// The nodes searched below the move.
    pub(super) nodes: u64,
    /// The rank by tablebases; a greater one is better. Equal for all moves without tables.
    pub(super) rank: i32,
    /// The outcome by tablebases.
    pub(super) outcome: Option<RootOutcome>,
}

/// The result of the search of a root move.
pub(super) struct RootMoveResult {
    pub(super) value: Value,
    /// The lower end of the window.
    pub(super) alpha: Value,
    /// The move was the first of its iteration.
    pub(super) is_first: bool,
    /// The nodes of the search.
    pub(super) nodes: u64,
}

impl RootMove {
    const fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            value: -INFINITE,
            previous_value: -INFINITE,
            average_value: None,
            raised_alpha: false,
            pv: Vec::new(),
            nodes: 0,
            rank: 0,
            outcome: None,
        }
    }

    /// The line of the move with its value.
    pub(super) fn pv_line(&self) -> PvLine {
        PvLine { value: self.value, moves: self.pv.clone() }
    }

    /// Records a result. `continuation` is the line after the move.
    pub(super) fn update(&mut self, result: RootMoveResult, continuation: &[Move]) {
        let RootMoveResult { value, alpha, is_first, nodes } = result;
        self.nodes += nodes;
        if !is_first && value <= alpha {
            self.value = -INFINITE;
            self.raised_alpha = false;
            return;
        }
        self.value = value;
        self.raised_alpha = value > alpha;
        if !is_decisive(value) {
            self.average_value =
                Some(self.average_value.map_or(value, |average| (average + value) / 2));
        }
        if value > alpha {
            self.pv.clear();
            self.pv.push(self.mv);
            self.pv.extend_from_slice(continuation);
        }
    }
}

/// The root moves that the options select, in the order of the move picker. A selection without a
/// legal move is ignored.
pub(in crate::engine) fn ordered_root_moves(
    root: &Position,
    tt: &TtView<'_>,
    history: &HistoryTables,
    options: &SearchOptions,
) -> Vec<RootMove> {
    let threats = Threats::new(root);
    let history_key = HistoryKey::new(root, threats.all, [NO_CONTINUATION; 4], 0);
    let check_info = CheckInfo::new(root);
    let ordering = OrderingContext {
        position: root,
        history,
        history_key: &history_key,
        threats: &threats,
        check_info: &check_info,
    };
    let mut picker =
        MovePicker::all(root, tt.probe(tt_key(root)).map_or(Move::NULL, |entry| entry.mv));
    let legal: Vec<Move> = std::iter::from_fn(|| picker.next(ordering, false)).collect();
    let allowed: Vec<Move> =
        legal.iter().copied().filter(|mv| options.search_moves.contains(mv)).collect();
    let chosen = if allowed.is_empty() { legal } else { allowed };
    chosen.into_iter().map(RootMove::new).collect()
}
