//! The search beyond the depth: captures and promotions that lose nothing, and every answer to a check.
//!
//! Chess Programming Wiki, "Quiescence Search", "Delta Pruning".

use super::evaluation::Evaluator;
use super::path::{Found, NEAR_FIFTY, faded};
use super::picker::Picker;
use super::score::{INFINITE, MATE_FLOOR, MAX_PLY, Value, mate_at, mated_at};
use super::search::Search;
use super::see::gain;
use super::tt::{Bound, Entry};
use crate::chess::{Move, Position, Role};

/// A capture is not tried when even this much more than its gain does not reach alpha.
const DELTA: Value = 180;

impl<E: Evaluator> Search<'_, E> {
    /// The value of a node once it has become quiet.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Found {
        self.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_over() {
            return Found::own(0);
        }
        if let Some(found) = self.path.verdict(position, ply) {
            return found;
        }
        if ply >= MAX_PLY {
            return Found::own(self.evaluator.evaluate(position));
        }
        if alpha >= mate_at(ply + 1) {
            return Found::own(alpha);
        }
        let known = self.table.probe(position.key());
        if !PV && let Some(value) = self.table_cut_off(position, known, 0, beta, ply) {
            return Found::own(value);
        }

        let in_check = position.in_check();
        if !in_check && is_stalemate(position) {
            return Found::own(0);
        }
        let evaluation = self.evaluation_of(position, known);
        let mut best = Found { value: -INFINITE, reach: Found::OWN };
        let old_alpha = alpha;
        let clock = position.halfmove_clock();
        let standing = evaluation.map(|value| faded(value, clock));
        if let Some(standing) = standing {
            if standing >= beta {
                return Found { value: standing, reach: if clock < NEAR_FIFTY { Found::OWN } else { -1 } };
            }
            best.value = standing;
            alpha = alpha.max(standing);
        }

        let mut picker = Picker::noisy(position, known.map_or(Move::NULL, |entry| entry.mv));
        let mut best_move = Move::NULL;
        let mut reach = Found::OWN;
        let mut tried = 0_usize;
        let mut quiet_evasions = 0;
        while let Some(mv) = picker.next(position, self.history, false) {
            tried += 1;
            if let Some(standing) = standing {
                let hope = standing + gain(position, mv) + DELTA;
                if hope <= alpha {
                    best.value = best.value.max(hope);
                    continue;
                }
            } else if !mv.is_noisy() && best.value > -MATE_FLOOR {
                quiet_evasions += 1;
                if quiet_evasions > 2 {
                    continue;
                }
            }
            let child = self.make(position, mv);
            let found = self.quiescence::<PV>(&child, -beta, -alpha, ply + 1).flip();
            self.unmake();
            if self.budget.is_over() {
                return Found::own(0);
            }
            reach = reach.min(found.reach);
            if found.value > best.value {
                best = found;
                if found.value > alpha {
                    best_move = mv;
                    alpha = found.value;
                    if PV {
                        self.pv.extend(ply, mv);
                    }
                    if found.value >= beta {
                        break;
                    }
                }
            }
        }

        if tried == 0 && in_check {
            return Found::own(mated_at(ply));
        }
        let bound = if best.value >= beta {
            reach = best.reach;
            Bound::Lower
        } else if best.value > old_alpha && PV {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.remember(
            position,
            Found { value: best.value, reach },
            Entry { mv: best_move, value: 0, evaluation, depth: 0, bound },
            ply,
        )
    }
}

/// Only a side without pieces runs out of moves in practice, so only then the moves are counted.
#[inline]
fn is_stalemate(position: &Position) -> bool {
    let pieces = position.by_color(position.turn()).without(position.by_role(Role::Pawn));
    !pieces.more_than_one() && !position.has_moves()
}
