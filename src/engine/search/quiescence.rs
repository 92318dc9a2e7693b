//! The search beyond the depth: captures and promotions, and answers to a check.
//!
//! Chess Programming Wiki, "Quiescence Search", "Delta Pruning", "Static Exchange Evaluation". That
//! no more than a few moves are looked at, that an exchange has to win what is missing, and that a
//! value beyond beta counts half of what it is beyond: Stockfish, Reckless.

use super::check_info::CheckInfo;
use super::correction_history::{CorrectionIndices, corrected_static_eval};
use super::evaluator::Evaluator;
use super::history::HistoryKey;
use super::keys::tt_key;
use super::move_picker::{MovePicker, OrderingContext};
use super::node::NodeType;
use super::params;
use super::repetition::{NEAR_FIFTY_MOVES, NodeScore};
use super::score::{INFINITE, MATE_IN_MAX_PLY, MAX_PLY, Value, is_mate, mate_in, mated_in};
use super::search::SearchWorker;
use super::see::{material_gain, see_at_least};
use super::threats::Threats;
use super::tt_entry::{Bound, TtEntry};
use crate::chess::{Move, Position};

impl<E: Evaluator> SearchWorker<'_, E> {
    /// The value of a node once it has become quiet.
    pub(super) fn quiescence<NT: NodeType>(
        &mut self,
        positions: &mut [Position],
        mut alpha: Value,
        beta: Value,
        ply: usize,
    ) -> NodeScore {
        self.pv_table.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_stopped() {
            return NodeScore::independent(0);
        }
        if let Some(score) = self.position_history.draw_score(&positions[0], ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return NodeScore::independent(self.evaluator.evaluate(&positions[0]));
        }
        let mut floor = NodeScore::independent(-INFINITE);
        if alpha < 0
            && params::upcoming_on() != 0
            && let Some(depends_on_ply) = self.position_history.upcoming_repetition(&positions[0])
        {
            floor = NodeScore { value: 0, depends_on_ply };
            alpha = 0;
            if alpha >= beta {
                return floor;
            }
        }
        if params::mate_distance_on() != 0 && alpha >= mate_in(ply + 1) {
            return NodeScore::independent(alpha);
        }
        let tt_data = self.probe_tt(&positions[0], ply);
        let tt_pv = NT::PV || tt_data.is_pv;
        if !NT::PV && tt_data.bound.allows_cutoff(tt_data.value, beta) {
            return tt_data.score().raised_to(floor, beta);
        }

        let in_check = positions[0].in_check();
        if !in_check && is_stalemate(&positions[0]) {
            return NodeScore::independent(0);
        }
        let mut raw_eval = None;
        let (mut best, mut depends_on_ply) = (floor, floor.depends_on_ply);
        let old_alpha = alpha;
        let mut futility_base = -INFINITE;
        self.stack.at_mut(ply).static_eval = self.stack.before(ply, 2).static_eval;
        self.stack.at_mut(ply).in_check = in_check;
        if !in_check {
            let value = tt_data.raw_eval.unwrap_or_else(|| self.evaluator.evaluate(&positions[0]));
            raw_eval = Some(value);
            let correction_indices = CorrectionIndices::new(
                &positions[0],
                self.correction_keys_at(ply),
                &self.stack,
                ply,
            );
            let clock = positions[0].halfmove_clock();
            let static_eval = corrected_static_eval(
                value,
                self.history.correction.value(&correction_indices),
                clock,
            );
            self.stack.at_mut(ply).static_eval = Some(static_eval);
            let stand_pat =
                if tt_data.is_better_estimate_than(static_eval) && !is_mate(tt_data.value) {
                    tt_data.value
                } else {
                    static_eval
                };
            if stand_pat > best.value {
                best = NodeScore {
                    value: stand_pat,
                    depends_on_ply: if stand_pat == tt_data.value {
                        tt_data.depends_on_ply
                    } else {
                        NodeScore::INDEPENDENT
                    },
                };
                depends_on_ply = depends_on_ply.min(best.depends_on_ply);
            }
            if best.value >= beta {
                if !tt_data.hit {
                    self.tt.store_eval(tt_key(&positions[0]), value, tt_pv);
                }
                let value = if is_mate(best.value) { best.value } else { (best.value + beta) / 2 };
                return NodeScore {
                    value,
                    depends_on_ply: if clock < NEAR_FIFTY_MOVES { best.depends_on_ply } else { -1 },
                };
            }
            alpha = alpha.max(best.value);
            futility_base = static_eval + params::delta_margin();
        }

        let threats = if in_check { Threats::new(&positions[0]) } else { Threats::default() };
        let history_key =
            HistoryKey::new(&positions[0], threats.all, self.stack.continuation_indices(ply), ply);
        let previous_move = self.stack.before(ply, 1).mv;
        let recapture_square = (!previous_move.is_null()).then_some(previous_move.to());
        let mut picker = MovePicker::noisy(&positions[0], tt_data.mv);
        let check_info = CheckInfo::new(&positions[0]);
        let mut best_move = Move::NULL;
        let mut move_count = 0;
        loop {
            let ordering = OrderingContext {
                position: &positions[0],
                history: self.history,
                history_key: &history_key,
                threats: &threats,
                check_info: &check_info,
            };
            let Some(mv) = picker.next(ordering, false) else { break };
            move_count += 1;
            if best.value > -MATE_IN_MAX_PLY {
                let position = &positions[0];
                let may_prune = !in_check
                    && recapture_square != Some(mv.to())
                    && !check_info.may_give_check(position, mv);
                if may_prune {
                    if move_count > params::quiescence_late() {
                        continue;
                    }
                    let futility_value = futility_base + material_gain(position, mv);
                    if params::delta_on() != 0 && futility_value <= alpha {
                        best.value = best.value.max(futility_value);
                        continue;
                    }
                    // The exchange has to win what is missing.
                    if params::quiescence_gain_on() != 0
                        && !see_at_least(position, mv, alpha - futility_base)
                    {
                        best.value = best.value.max(futility_base.min(alpha));
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
            self.make_move(positions, ply, mv);
            let score = self.quiescence::<NT>(&mut positions[1..], -beta, -alpha, ply + 1).flip();
            self.unmake_move();
            if self.budget.is_stopped() {
                return NodeScore::independent(0);
            }
            depends_on_ply = depends_on_ply.min(score.depends_on_ply);
            if score.value > best.value {
                best = score;
                if score.value > alpha {
                    best_move = mv;
                    alpha = score.value;
                    if NT::PV {
                        self.pv_table.extend(ply, mv);
                    }
                    if score.value >= beta {
                        break;
                    }
                }
            }
        }

        if move_count == 0 && in_check {
            return NodeScore::independent(mated_in(ply));
        }
        let bound = if best.value >= beta {
            depends_on_ply = best.depends_on_ply;
            if !is_mate(best.value) {
                best.value = (best.value + beta) / 2;
            }
            Bound::Lower
        } else if best.value > old_alpha && NT::PV {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = TtEntry {
            mv: best_move,
            value: 0,
            raw_eval,
            depth: 0,
            bound,
            is_pv: tt_pv,
            path_dependent: false,
        };
        self.store_tt(&positions[0], NodeScore { value: best.value, depends_on_ply }, entry, ply)
    }
}

/// Only a side without pieces runs out of moves in practice, so only then the moves are counted.
#[inline]
fn is_stalemate(position: &Position) -> bool {
    !position.has_non_pawn_material() && !position.has_moves()
}
