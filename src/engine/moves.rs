//! The moves of a node, best first: skipped, extended, reduced, searched.
//!
//! Chess Programming Wiki, "Late Move Reductions", "Principal Variation Search". What a reduction
//! is adjusted by (the child's cut-offs, the table's line, the correction of the evaluation), the
//! deeper or shallower second look and the lesser depth once alpha was raised are after Stockfish
//! and Reckless.

use super::checks::Checks;
use super::entry::{Bound, Entry};
use super::evaluation::Evaluator;
use super::history::{bonus, cell, malus};
use super::learning::Tried;
use super::node::{Kind, Node, Scout};
use super::params;
use super::path::{Found, NEAR_FIFTY};
use super::picker::Picker;
use super::reductions::{PLY, reduction};
use super::score::{INFINITE, MATE_FLOOR, is_mate, mated_at};
use super::search::{Search, Standing};
use super::singular::Verdict;
use super::skipping::{Candidate, Skip};
use crate::chess::{Move, Position};

impl<E: Evaluator> Search<'_, E> {
    /// Tries the moves of a node. `floor` is what the side to move has for sure, and what that
    /// leans on.
    pub(super) fn moves<K: Kind>(
        &mut self,
        line: &mut [Position],
        mut node: Node,
        standing: &Standing,
        floor: Found,
    ) -> Found {
        let Node { beta, ply, .. } = node;
        let mut alpha = node.alpha;
        let excluded = self.frames.at(ply).excluded;
        let in_check = standing.evaluation.is_none();
        let table_move =
            if K::ROOT { self.root_moves[self.first_root_move].mv } else { standing.known.mv };
        let mut picker = Picker::all(&line[0], table_move);
        let checks = Checks::of(&line[0]);
        let (mut best, mut reach) = (floor, floor.reach);
        let mut best_move = Move::NULL;
        let mut tried = 0;
        let (mut quiets, mut noisies) = (Tried::new(), Tried::new());
        let mut skip_quiets = false;

        let guarded = self.is_guarded(ply);
        let may_skip = !K::ROOT && line[0].halfmove_clock() < NEAR_FIFTY && line[0].has_pieces();

        loop {
            let guide = standing.guide(&line[0], self.history, &checks);
            let Some(mv) = picker.next(guide, skip_quiets) else { break };
            if mv == excluded || K::ROOT && !self.is_root_move(mv) {
                continue;
            }
            tried += 1;
            self.frames.at_mut(ply).tried = tried;
            let candidate = self.candidate(&line[0], standing, &checks, mv);

            let mut less = reduction(node.depth, tried);
            if K::PV {
                less -= params::lmr_window() * (beta - alpha) / self.root_window;
            }
            // In the first plies no move back into the game's past is skipped: it may be the
            // repetition that saves the game.
            let returns = || guarded && self.path.has_met(line[0].after(mv).key());
            if may_skip && best.value > -MATE_FLOOR && !returns() {
                match self.skips(
                    &line[0],
                    node,
                    alpha,
                    standing,
                    candidate,
                    less,
                    tried,
                    !best_move.is_null(),
                ) {
                    Skip::No => {}
                    Skip::This => continue,
                    Skip::Futile(value) => {
                        if !is_mate(best.value) {
                            best.value = best.value.max(value);
                        }
                        continue;
                    }
                    Skip::Quiets => {
                        skip_quiets = !guarded;
                        continue;
                    }
                }
            }

            let mut extension = 0;
            let depth = node.depth;
            if !K::ROOT && mv == standing.known.mv && ply < 2 * self.root_depth as usize && !guarded
            {
                match self.singular::<K>(line, node, standing, mv) {
                    Verdict::Extend(plies) => extension = plies,
                    Verdict::MultiCut(found) => {
                        return Found { reach: floor.reach.min(found.reach), ..found };
                    }
                }
                if self.budget.is_over() {
                    return Found::own(0);
                }
                // That search counted its own moves here.
                self.frames.at_mut(ply).tried = tried;
                if extension > 1 && node.depth < 12 {
                    node.depth += 1;
                }
            }

            let before = self.budget.nodes();
            self.frames.at_mut(ply).reduction = 0;
            self.make(line, ply, mv);
            let full = depth - 1 + extension;
            let mut found = Found::own(-INFINITE);
            let first = tried == 1;
            let mut search_full = K::PV && first;
            if node.depth >= params::lmr_depth() && tried > 1 + i32::from(K::ROOT) {
                less += self.adjustment::<K>(&line[1], node, standing, candidate, less);
                let reduced = (full - less.div_euclid(PLY)).clamp(1.min(full), full).max(0)
                    + i32::from(K::PV);
                self.frames.at_mut(ply).reduction = less;
                found = self.node::<Scout>(&mut line[1..], node.scout(alpha, reduced, true)).flip();
                self.frames.at_mut(ply).reduction = 0;
                if found.value > alpha && reduced < full && !self.budget.is_over() {
                    // The reduced search was promising: how far to go depends on how much.
                    let deeper = i32::from(found.value > best.value + params::deeper_margin());
                    let shallower =
                        i32::from(found.value < best.value + params::shallower_margin());
                    let again = full + deeper - shallower;
                    if again > reduced {
                        found = self
                            .node::<Scout>(&mut line[1..], node.scout(alpha, again, !node.cut))
                            .flip();
                    }
                    if candidate.quiet && !self.budget.is_over() {
                        let bonus = if found.value <= alpha { -malus(full) } else { bonus(full) };
                        let cell = cell(&line[0], mv);
                        self.history.update_continuations(standing.setting.rows, cell, bonus);
                    }
                }
                search_full = K::PV && found.value > alpha;
            } else if !search_full {
                let shallow = full - i32::from(less > 3 * PLY && K::ROOT);
                found = self
                    .node::<Scout>(&mut line[1..], node.scout(alpha, shallow, !node.cut))
                    .flip();
                search_full = K::PV && found.value > alpha;
            }
            if search_full && !self.budget.is_over() {
                self.frames.at_mut(ply).reduction = 0;
                found = self.node::<K::Child>(&mut line[1..], node.full(alpha, full)).flip();
            }
            self.unmake();
            if self.budget.is_over() {
                return Found::own(0);
            }
            if K::ROOT {
                self.note_root_move(mv, found.value, (alpha, beta), first, before);
            }

            reach = reach.min(found.reach);
            if found.value > best.value {
                best = found;
                if found.value > alpha {
                    best_move = mv;
                    if K::PV && !K::ROOT {
                        self.pv.extend(ply, mv);
                    }
                    if found.value >= beta {
                        let frame = self.frames.at_mut(ply);
                        frame.cutoffs += i32::from(extension < 2 || K::PV);
                        break;
                    }
                    alpha = found.value;
                    // What comes now has to beat a move that was good already.
                    if (3..=12).contains(&node.depth) && !is_mate(found.value) {
                        node.depth -= params::raised_less().min(node.depth - 1);
                    }
                }
            }
            if mv != best_move {
                if candidate.quiet { quiets.push(mv) } else { noisies.push(mv) }
            }
        }

        if tried == 0 {
            if !excluded.is_null() {
                return Found { value: alpha, reach };
            }
            return Found::own(if in_check { mated_at(ply) } else { 0 });
        }
        let bound = if best.value >= beta {
            Bound::Lower
        } else if K::PV && !best_move.is_null() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !best_move.is_null() {
            self.learn_moves(&line[0], node, standing, best_move, &quiets, &noisies);
        } else if !K::ROOT {
            self.learn_fail_low(node, standing);
        }
        if bound == Bound::Lower {
            // The move that cuts off proves its bound alone.
            reach = best.reach;
            if !is_mate(best.value) && !is_mate(beta) {
                best.value = (best.value * node.depth + beta) / (node.depth + 1);
            }
        }
        if bound == Bound::Upper {
            let on_pv = self.frames.before(ply, 1).on_pv && node.depth > 3;
            self.frames.at_mut(ply).on_pv |= on_pv && ply > 0;
        }
        let found = Found { value: best.value, reach };
        if !excluded.is_null() {
            return found;
        }
        // What a root is worth without some of its moves is not what the position is worth.
        if K::ROOT && (self.first_root_move > 0 || !self.searches_all_moves) {
            return found;
        }
        self.learn_correction(standing, node.depth, best.value, bound, best_move);
        let depth = if tried == 1 && in_check { node.depth + 1 } else { node.depth };
        let entry = Entry {
            mv: best_move,
            value: 0,
            evaluation: standing.raw,
            depth: depth.clamp(0, 255) as u8,
            bound,
            on_pv: self.frames.at(ply).on_pv,
            leans: false,
        };
        self.remember(&line[0], found, entry, ply)
    }

    /// What is added to a late move's reduction, in 1/1024 ply. `child` is the position after it.
    fn adjustment<K: Kind>(
        &self,
        child: &Position,
        node: Node,
        standing: &Standing,
        candidate: Candidate,
        base: i32,
    ) -> i32 {
        let frame = self.frames.at(node.ply);
        let known = standing.known;
        let mut less = 0;
        if frame.on_pv {
            less -= params::lmr_table_pv()
                + 500 * i32::from(known.is_floor() && known.depth >= node.depth);
        }
        if K::PV {
            less -= params::lmr_pv();
        }
        if node.cut {
            less += params::lmr_cut() + params::lmr_no_move() * i32::from(known.mv.is_null());
        }
        if known.mv.is_noisy() {
            less += params::lmr_table_noisy();
        }
        if self.frames.at(node.ply + 1).cutoffs > 2 {
            less += params::lmr_cutoffs();
        }
        if child.in_check() {
            less -= params::lmr_check();
        }
        if !standing.improving {
            less += (base - params::lmr_base()) * params::lmr_not_improving() / 1024;
        }
        less -= params::lmr_tried() * self.frames.at(node.ply).tried;
        less -= params::lmr_correction() * standing.correction.abs() / 2;
        let weight =
            if candidate.quiet { params::lmr_history() } else { params::lmr_noisy_history() };
        less - (candidate.history * weight + candidate.gain * params::lmr_gain()) / 1024
    }
}
