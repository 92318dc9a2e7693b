//! How a node asks the shared table, and what it tells it.
//!
//! Chess Programming Wiki, "Transposition Table", "Graph History Interaction".

use super::entry::Entry;
use super::evaluation::Evaluator;
use super::history::{Setting, bonus, malus};
use super::keys::table_key;
use super::node::{Known, Node};
use super::path::{Found, LOW_CLOCK, NEAR_FIFTY};
use super::score::{from_table, to_table};
use super::search::Search;
use super::threats::Threats;
use crate::chess::Position;

impl<E: Evaluator> Search<'_, E> {
    /// What the table knows of the position, as far as it may be believed here.
    #[inline]
    pub(super) fn ask_table(&mut self, position: &Position, ply: usize) -> Known {
        let Some(entry) = self.table.probe(table_key(position)) else { return Known::NOTHING };
        if self.is_guarded(ply) {
            return Known::of(entry, None);
        }
        let clock = position.halfmove_clock();
        // The value knows nothing of this line's clock: the 50-move rule might have changed it
        // within its depth.
        if clock > LOW_CLOCK && i32::from(clock) + i32::from(entry.depth) + 10 >= 100 {
            self.path.note_fifty();
            return Known::of(entry, None);
        }
        Known::of(entry, from_table(entry.value, ply, clock))
    }

    /// A value of the table that decides a node with a zero window.
    #[inline]
    pub(super) fn table_cut_off(
        &mut self,
        position: &Position,
        known: &Known,
        node: Node,
    ) -> Option<Found> {
        let Node { beta, depth, ply, cut, .. } = node;
        let fails_high = known.value >= beta;
        let deep_enough = known.depth >= depth + i32::from(fails_high);
        // Near the leaves a bound that contradicts what is expected of the node is not trusted.
        let expected = cut == fails_high || depth > 5;
        if !known.bound.decides(known.value, beta) || !deep_enough || !expected {
            return None;
        }
        if fails_high && !known.mv.is_null() && !known.mv.is_noisy() && position.is_legal(known.mv)
        {
            let setting =
                Setting::new(position, Threats::of(position).all, self.frames.rows(ply), ply);
            self.history.update_quiet(position, &setting, known.mv, bonus(depth));
            if ply > 0 && self.frames.before(ply, 1).tried <= 2 {
                let before = *self.frames.before(ply, 1);
                self.punish_parent(&before, ply, malus(depth + 1));
            }
        }
        Some(known.found())
    }

    /// Puts a node's result into the table, the value only when it leans on neither the game's
    /// history nor the clock; and returns it to the parent.
    #[inline]
    pub(super) fn remember(
        &mut self,
        position: &Position,
        found: Found,
        entry: Entry,
        ply: usize,
    ) -> Found {
        let leans_on_clock = position.halfmove_clock() >= NEAR_FIFTY;
        let found = if leans_on_clock { Found { reach: -1, ..found } } else { found };
        // A repetition of this very node, or below it, is part of the position's own value.
        let leans = found.reach < ply as i32;
        if found.reach >= 0 {
            self.table.store(
                table_key(position),
                Entry { value: to_table(found.value, ply), leans, ..entry },
            );
        } else if !entry.mv.is_null() {
            self.table.store_move(table_key(position), entry.mv, entry.evaluation);
        }
        if leans { found } else { Found::own(found.value) }
    }
}
