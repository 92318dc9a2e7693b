//! How a node asks the shared table, and what it tells it.
//!
//! Chess Programming Wiki, "Transposition Table", "Graph History Interaction".

use super::evaluator::Evaluator;
use super::history::{HistoryKey, history_bonus, history_malus};
use super::keys::tt_key;
use super::node::{Node, TtData};
use super::repetition::{LOW_HALFMOVE_CLOCK, NEAR_FIFTY_MOVES, NodeScore};
use super::score::{value_from_tt, value_to_tt};
use super::search::SearchWorker;
use super::threats::Threats;
use super::tt_entry::TtEntry;
use crate::chess::Position;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// What the table knows of the position, as far as it may be believed here.
    #[inline]
    pub(super) fn probe_tt(&mut self, position: &Position, ply: usize) -> TtData {
        let Some(entry) = self.tt.probe(tt_key(position)) else { return TtData::MISS };
        if self.is_draw_guarded(ply) {
            return TtData::from_entry(entry, None);
        }
        let clock = position.halfmove_clock();
        // The value knows nothing of this line's clock: the 50-move rule might have changed it
        // within its depth.
        if clock > LOW_HALFMOVE_CLOCK && i32::from(clock) + i32::from(entry.depth) + 10 >= 100 {
            self.position_history.note_fifty_moves();
            return TtData::from_entry(entry, None);
        }
        TtData::from_entry(entry, value_from_tt(entry.value, ply, clock))
    }

    /// A value of the table that decides a node with a zero window.
    #[inline]
    pub(super) fn tt_cutoff(
        &mut self,
        position: &Position,
        tt_data: &TtData,
        node: Node,
    ) -> Option<NodeScore> {
        let Node { beta, depth, ply, cut_node: cut, .. } = node;
        let fails_high = tt_data.value >= beta;
        let deep_enough = tt_data.depth >= depth + i32::from(fails_high);
        // Near the leaves a bound that contradicts what is expected of the node is not trusted.
        let expected = cut == fails_high || depth > 5;
        if !tt_data.bound.allows_cutoff(tt_data.value, beta) || !deep_enough || !expected {
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
                let parent = *self.stack.before(ply, 1);
                self.penalize_parent_move(&parent, ply, history_malus(depth + 1));
            }
        }
        Some(tt_data.score())
    }

    /// Puts a node's result into the table, the value only when it leans on neither the game's
    /// history nor the clock; and returns it to the parent.
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
        // A repetition of this very node, or below it, is part of the position's own value.
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
