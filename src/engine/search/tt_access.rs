//! The transposition table in a node: probing, cut-offs and storing.
//!
//! Chess Programming Wiki, "Transposition Table", "Graph History Interaction".

use super::node::Node;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::threats::Threats;
use super::tt_data::TtData;
use super::worker::SearchWorker;
use crate::chess::Position;
use crate::engine::evaluator::Evaluator;
use crate::engine::history::{HistoryKey, history_bonus, history_malus};
use crate::engine::score::{is_tablebase_win, value_from_tt, value_to_tt};
use crate::engine::tt::{LOW_HALFMOVE_CLOCK, TtEntry, tt_key};

impl<E: Evaluator> SearchWorker<'_, E> {
    /// The table's data about a position, without a value that does not hold at this node.
    #[inline]
    pub(super) fn probe_tt(&mut self, position: &Position, ply: usize) -> TtData {
        let Some(entry) = self.tt.probe(tt_key(position)) else { return TtData::MISS };
        if self.is_ghi_guarded(ply) {
            return TtData::from_entry(entry, None);
        }
        let clock = position.halfmove_clock();
        // The value was found with another half-move clock: the 50-move rule might change it within
        // its depth.
        if clock > LOW_HALFMOVE_CLOCK && i32::from(clock) + i32::from(entry.depth) + 10 >= 100 {
            self.position_history.note_fifty_moves();
            return TtData::from_entry(entry, None);
        }
        let value = value_from_tt(entry.value, ply, clock);
        // A win by tablebase, found by another search, means nothing to a search without tables.
        let value = value.filter(|&value| self.tablebase.is_some() || !is_tablebase_win(value));
        TtData::from_entry(entry, value)
    }

    /// The table's score where it decides a zero-window node.
    #[inline]
    pub(super) fn tt_cutoff(
        &mut self,
        position: &Position,
        tt_data: &TtData,
        node: Node,
    ) -> Option<NodeScore> {
        let Node { beta, depth, ply, cut_node, .. } = node;
        let fails_high = tt_data.value >= beta;
        let is_deep_enough = tt_data.depth >= depth + i32::from(fails_high);
        // Near the leaves a bound that contradicts the node's expectation is not trusted.
        let is_expected = cut_node == fails_high || depth > 5;
        if !tt_data.bound.allows_cutoff(tt_data.value, beta) || !is_deep_enough || !is_expected {
            return None;
        }
        if fails_high
            && !tt_data.mv.is_null()
            && !tt_data.mv.is_noisy()
            && position.is_legal(tt_data.mv)
        {
            let history_key = HistoryKey::new(
                position,
                Threats::new(position).all,
                self.stack.continuation_indices(ply),
                ply,
            );
            self.history.update_quiet_histories(
                position,
                &history_key,
                tt_data.mv,
                history_bonus(depth),
            );
            if ply > 0 && self.stack.before(ply, 1).move_count <= 2 {
                self.penalize_parent_move(ply, history_malus(depth + 1));
            }
        }
        Some(tt_data.score())
    }

    /// Stores a node's result and returns its score for the parent. The value is stored only when
    /// it depends on neither the game history nor the half-move clock.
    #[inline]
    pub(super) fn store_tt(
        &mut self,
        position: &Position,
        score: NodeScore,
        entry: TtEntry,
        ply: usize,
    ) -> NodeScore {
        let depends_on_clock = position.halfmove_clock() >= NEAR_FIFTY_MOVES;
        let score =
            if depends_on_clock { NodeScore { depends_on_ply: -1, ..score } } else { score };
        // A repetition of this node itself, or of one below it, is part of the position's value.
        let path_dependent = score.depends_on_ply < ply as i32;
        if score.depends_on_ply >= 0 {
            self.tt.store(
                tt_key(position),
                TtEntry { value: value_to_tt(score.value, ply), path_dependent, ..entry },
            );
        } else if !entry.mv.is_null() {
            self.tt.store_move(tt_key(position), entry.mv, entry.raw_eval);
        }
        if path_dependent { score } else { NodeScore::independent(score.value) }
    }
}
