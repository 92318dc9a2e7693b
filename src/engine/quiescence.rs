//! The search beyond the depth: captures and promotions, and answers to a check.
//!
//! Chess Programming Wiki, "Quiescence Search", "Delta Pruning", "Static Exchange Evaluation". That
//! no more than a few moves are looked at, that an exchange has to win what is missing, and that a
//! value beyond beta counts half of what it is beyond: Stockfish, Reckless.

use super::checks::Checks;
use super::correction::{Places, corrected};
use super::entry::{Bound, Entry};
use super::evaluation::Evaluator;
use super::history::Setting;
use super::keys::table_key;
use super::node::Kind;
use super::params;
use super::path::{Found, NEAR_FIFTY};
use super::picker::{Guide, Picker};
use super::score::{INFINITE, MATE_FLOOR, MAX_PLY, Value, is_mate, mate_at, mated_at};
use super::search::Search;
use super::see::{gain, see_at_least};
use super::threats::Threats;
use crate::chess::{Move, Position};

impl<E: Evaluator> Search<'_, E> {
    /// The value of a node once it has become quiet.
    pub(super) fn quiescence<K: Kind>(
        &mut self,
        line: &mut [Position],
        mut alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Found {
        self.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_over() {
            return Found::own(0);
        }
        if let Some(found) = self.path.verdict(&line[0], ply) {
            return found;
        }
        if ply >= MAX_PLY {
            return Found::own(self.evaluator.evaluate(&line[0]));
        }
        let mut floor = Found::own(-INFINITE);
        if alpha < 0
            && params::upcoming_on() != 0
            && let Some(leans_on) = self.path.upcoming_repetition(&line[0])
        {
            floor = Found { value: 0, reach: leans_on };
            alpha = 0;
            if alpha >= beta {
                return floor;
            }
        }
        if params::mate_distance_on() != 0 && alpha >= mate_at(ply + 1) {
            return Found::own(alpha);
        }
        let known = self.ask_table(&line[0], ply);
        let on_pv = K::PV || known.on_pv;
        if !K::PV && known.bound.decides(known.value, beta) {
            return known.found().or_at_least(floor, beta);
        }

        let in_check = line[0].in_check();
        if !in_check && is_stalemate(&line[0]) {
            return Found::own(0);
        }
        let mut raw = None;
        let (mut best, mut reach) = (floor, floor.reach);
        let old_alpha = alpha;
        let mut futile = -INFINITE;
        self.frames.at_mut(ply).evaluation = self.frames.before(ply, 2).evaluation;
        self.frames.at_mut(ply).in_check = in_check;
        if !in_check {
            let value = known.evaluation.unwrap_or_else(|| self.evaluator.evaluate(&line[0]));
            raw = Some(value);
            let places = Places::of(&line[0], self.keys_at(ply), &self.frames, ply);
            let clock = line[0].halfmove_clock();
            let standing = corrected(value, self.history.correction.of(&places), clock);
            self.frames.at_mut(ply).evaluation = Some(standing);
            let stand = if known.improves(standing) && !is_mate(known.value) {
                known.value
            } else {
                standing
            };
            if stand > best.value {
                best = Found {
                    value: stand,
                    reach: if stand == known.value { known.reach } else { Found::OWN },
                };
                reach = reach.min(best.reach);
            }
            if best.value >= beta {
                if !known.hit {
                    self.table.store_evaluation(table_key(&line[0]), value, on_pv);
                }
                let value = if is_mate(best.value) { best.value } else { (best.value + beta) / 2 };
                return Found { value, reach: if clock < NEAR_FIFTY { best.reach } else { -1 } };
            }
            alpha = alpha.max(best.value);
            futile = standing + params::delta_margin();
        }

        let threats = if in_check { Threats::of(&line[0]) } else { Threats::default() };
        let setting = Setting::new(&line[0], threats.all, self.frames.rows(ply), ply);
        let last = self.frames.before(ply, 1).mv;
        let taken_on = (!last.is_null()).then_some(last.to());
        let mut picker = Picker::noisy(&line[0], known.mv);
        let checks = Checks::of(&line[0]);
        let mut best_move = Move::NULL;
        let mut tried = 0;
        loop {
            let guide = Guide {
                position: &line[0],
                history: self.history,
                setting: &setting,
                threats: &threats,
                checks: &checks,
            };
            let Some(mv) = picker.next(guide, false) else { break };
            tried += 1;
            if best.value > -MATE_FLOOR {
                let position = &line[0];
                let may_skip =
                    !in_check && taken_on != Some(mv.to()) && !checks.may_give(position, mv);
                if may_skip {
                    if tried > params::quiescence_late() {
                        continue;
                    }
                    let hope = futile + gain(position, mv);
                    if params::delta_on() != 0 && hope <= alpha {
                        best.value = best.value.max(hope);
                        continue;
                    }
                    // The exchange has to win what is missing.
                    if params::quiescence_gain_on() != 0
                        && !see_at_least(position, mv, alpha - futile)
                    {
                        best.value = best.value.max(futile.min(alpha));
                        continue;
                    }
                }
                // An answer to the check is known: quiet ones are not looked at.
                if in_check && !mv.is_noisy() {
                    break;
                }
                if params::quiescence_see_on() != 0
                    && !see_at_least(position, mv, -params::quiescence_see())
                {
                    continue;
                }
            }
            self.make(line, ply, mv);
            let found = self.quiescence::<K>(&mut line[1..], -beta, -alpha, ply + 1).flip();
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
                    if K::PV {
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
            if !is_mate(best.value) {
                best.value = (best.value + beta) / 2;
            }
            Bound::Lower
        } else if best.value > old_alpha && K::PV {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            mv: best_move,
            value: 0,
            evaluation: raw,
            depth: 0,
            bound,
            on_pv,
            leans: false,
        };
        self.remember(&line[0], Found { value: best.value, reach }, entry, ply)
    }
}

/// Only a side without pieces runs out of moves in practice, so only then the moves are counted.
#[inline]
fn is_stalemate(position: &Position) -> bool {
    !position.has_pieces() && !position.has_moves()
}
