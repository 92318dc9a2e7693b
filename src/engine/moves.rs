//! The moves of a node, best first: skipped, extended, reduced, searched; and what is learned from them.
//!
//! Chess Programming Wiki, "Late Move Reductions", "Futility Pruning", "Singular Extensions", "Multi-Cut".

use super::checks::Checks;
use super::evaluation::Evaluator;
use super::history::{bonus, cell, malus};
use super::node::{Kind, Node, Scout};
use super::params;
use super::path::{Found, NEAR_FIFTY};
use super::picker::Picker;
use super::reductions::{PLY, reduction};
use super::score::{INFINITE, MATE_FLOOR, Value, is_mate, mated_at};
use super::search::{Search, Standing};
use super::see::{gain, see_at_least};
use super::tt::{Bound, Entry};
use crate::chess::{Move, Position};

/// A move on its way through the loop.
#[derive(Clone, Copy)]
struct Candidate {
    mv: Move,
    quiet: bool,
    /// What the histories say of it.
    history: i32,
    /// What it takes and promotes to, in the units of the search.
    gain: Value,
    /// It may give check.
    checks: bool,
}

/// What singular search said of the table's move.
enum Verdict {
    /// It is to be searched so many plies deeper; less deep when negative.
    Extend(i32),
    /// Other moves fail high as well: so does the node.
    MultiCut(Found),
}

/// The moves that a node has tried, as far as they fit: later ones hardly matter.
struct Tried {
    moves: [Move; 32],
    len: usize,
}

impl<E: Evaluator> Search<'_, E> {
    /// Tries the moves of a node. `floor` is what the side to move has for sure, and what that leans on.
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
        let table_move = if K::ROOT { self.root_moves[self.first_root_move].mv } else { standing.known.mv };
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
            // In the first plies no move back into the game's past is skipped: it may be the repetition that saves the game.
            let returns = guarded && self.path.has_met(line[0].after(mv).key());
            if may_skip && !returns && best.value > -MATE_FLOOR {
                match self.skips(&line[0], node, alpha, standing, candidate, less, tried, !best_move.is_null()) {
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
            if !K::ROOT && mv == standing.known.mv && ply < 2 * self.root_depth as usize && !guarded {
                match self.singular::<K>(line, node, standing, mv) {
                    Verdict::Extend(plies) => extension = plies,
                    Verdict::MultiCut(found) => return Found { reach: floor.reach.min(found.reach), ..found },
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
                let reduced = (full - less.div_euclid(PLY)).clamp(1.min(full), full).max(0) + i32::from(K::PV);
                self.frames.at_mut(ply).reduction = less;
                found = self.node::<Scout>(&mut line[1..], node.scout(alpha, reduced, true)).flip();
                self.frames.at_mut(ply).reduction = 0;
                if found.value > alpha && reduced < full && !self.budget.is_over() {
                    // The reduced search was promising: how far to go depends on how much.
                    let deeper = i32::from(found.value > best.value + params::deeper_margin());
                    let shallower = i32::from(found.value < best.value + params::shallower_margin());
                    let again = full + deeper - shallower;
                    if again > reduced {
                        found = self.node::<Scout>(&mut line[1..], node.scout(alpha, again, !node.cut)).flip();
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
                found = self.node::<Scout>(&mut line[1..], node.scout(alpha, shallow, !node.cut)).flip();
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
        self.learn_correction(standing, node.depth, best.value, bound, best_move);
        if K::ROOT && self.first_root_move > 0 {
            return found;
        }
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

    fn candidate(&self, position: &Position, standing: &Standing, checks: &Checks, mv: Move) -> Candidate {
        let quiet = !mv.is_noisy();
        let history = if quiet {
            let cell = cell(position, mv);
            let rows = standing.setting.rows;
            self.history.quiet(&standing.setting, mv)
                + self.history.continuation(rows[0], cell)
                + self.history.continuation(rows[1], cell)
                + self.history.pawn(&standing.setting, cell) / 2
        } else {
            self.history.noisy(position, standing.setting.threats, mv)
        };
        let gain = if quiet { 0 } else { gain(position, mv) };
        Candidate { mv, quiet, history, gain, checks: checks.may_give(position, mv) }
    }

    /// Whether a move need not be searched. Chess Programming Wiki, "Futility Pruning", "Late Move Pruning", "History Leaf Pruning",
    /// "Static Exchange Evaluation".
    #[expect(clippy::too_many_arguments, reason = "it is one step of the loop, with a name")]
    fn skips(
        &self,
        position: &Position,
        node: Node,
        alpha: Value,
        standing: &Standing,
        candidate: Candidate,
        less: i32,
        tried: i32,
        found_one: bool,
    ) -> Skip {
        let Candidate { mv, quiet, history, gain, checks } = candidate;
        let depth = node.depth;
        let left = (depth - 1 - less / PLY).max(0);
        // A quiet check is forcing: it is judged like a capture. (After Stockfish.)
        if quiet && !checks {
            let late = (params::late_base() + depth * depth) / (2 - i32::from(standing.improving));
            if params::late_on() != 0 && tried >= late && standing.evaluation.is_some() {
                return Skip::Quiets;
            }
            if history < -params::quiet_history_skip() * depth {
                return Skip::This;
            }
            let left = (left + history / params::quiet_history_ply()).max(0);
            if let Some(evaluation) = standing.evaluation
                && left < params::quiet_futility_depth()
            {
                let hope = evaluation
                    + params::quiet_futility_base()
                    + params::quiet_futility_slope() * left
                    + params::quiet_futility_first() * i32::from(!found_one)
                    + 90 * i32::from(evaluation > alpha);
                if hope <= alpha {
                    return Skip::Futile(hope);
                }
            }
            if params::see_on() != 0 && !see_at_least(position, mv, -params::see_quiet() * left * left) {
                return Skip::This;
            }
            return Skip::No;
        }
        if let Some(evaluation) = standing.evaluation
            && !checks
            && left < params::noisy_futility_depth()
        {
            let hope = evaluation
                + params::noisy_futility_base()
                + params::noisy_futility_slope() * left
                + gain
                + history * params::noisy_futility_history() / 1024;
            if hope <= alpha {
                return Skip::Futile(hope);
            }
        }
        let history = if quiet { 0 } else { history };
        let margin = (params::see_noisy() * depth + history / params::see_history()).max(0);
        if params::see_on() != 0 && !see_at_least(position, mv, -margin) {
            return Skip::This;
        }
        Skip::No
    }

    /// Asks whether the table's move is the only good one: a search without it, at half the depth, with a window well below its
    /// value. Chess Programming Wiki, "Singular Extensions" (Anantharaman, Campbell, Hsu 1988), with Stockfish's multi-cut and
    /// negative extensions.
    fn singular<K: Kind>(&mut self, line: &mut [Position], node: Node, standing: &Standing, mv: Move) -> Verdict {
        let Node { beta, depth, ply, cut, .. } = node;
        let known = standing.known;
        let asks = self.frames.at(ply).excluded.is_null()
            && depth >= params::singular_depth() + i32::from(self.frames.at(ply).on_pv)
            && known.is_floor()
            && known.depth >= depth - 3
            && !is_mate(known.value);
        if !asks {
            return Verdict::Extend(0);
        }
        let was_pv = self.frames.at(ply).on_pv && !K::PV;
        let margin = (params::singular_margin() + params::singular_pv() * i32::from(was_pv)) * depth / 64;
        let target = known.value - margin;
        self.frames.at_mut(ply).excluded = mv;
        let found = self.node::<Scout>(line, Node { cut, ..node.below(target, (depth - 1) / 2) });
        self.frames.at_mut(ply).excluded = Move::NULL;
        if self.budget.is_over() {
            return Verdict::Extend(0);
        }
        if found.value < target {
            let pv = 240 * i32::from(K::PV);
            let double = params::double_margin() + pv;
            let triple = params::triple_margin() + pv;
            let plies = 1 + i32::from(found.value < target - double) + i32::from(found.value < target - triple);
            return Verdict::Extend(plies);
        }
        if found.value >= beta && !is_mate(found.value) {
            return if K::PV { Verdict::Extend(-1) } else { Verdict::MultiCut(found) };
        }
        if params::negative_on() == 0 {
            Verdict::Extend(0)
        } else if known.value >= beta {
            Verdict::Extend(-3)
        } else if cut {
            Verdict::Extend(-2)
        } else {
            Verdict::Extend(0)
        }
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
            less -= params::lmr_table_pv() + 500 * i32::from(known.is_floor() && known.depth >= node.depth);
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
        let weight = if candidate.quiet { params::lmr_history() } else { params::lmr_noisy_history() };
        less - (candidate.history * weight + candidate.gain * params::lmr_gain()) / 1024
    }

    /// The best move of a node gains in every history, those tried before it lose.
    fn learn_moves(
        &mut self,
        position: &Position,
        node: Node,
        standing: &Standing,
        best: Move,
        quiets: &Tried,
        noisies: &Tried,
    ) {
        let ply = node.ply;
        let (gain, loss) = (bonus(node.depth), malus(node.depth));
        let threats = standing.setting.threats;
        if best.is_noisy() {
            self.history.update_noisy(position, threats, best, gain);
        } else {
            self.history.update_quiet(position, &standing.setting, best, gain);
            for (index, mv) in quiets.iter().enumerate() {
                // Late moves were hardly expected to work.
                let loss = loss * 8 / (8 + index as i32);
                self.history.update_quiet(position, &standing.setting, mv, -loss);
            }
        }
        for mv in noisies.iter() {
            self.history.update_noisy(position, threats, mv, -loss);
        }
        if ply > 0 && self.frames.before(ply, 1).tried == 1 {
            let before = *self.frames.before(ply, 1);
            self.punish_parent(&before, ply, loss);
        }
    }

    /// No move helped: the quiet move that led here was a good one.
    fn learn_fail_low(&mut self, node: Node, standing: &Standing) {
        let before = *self.frames.before(node.ply, 1);
        let late = i32::from(before.tried > 6) + i32::from(node.depth > 5);
        let surprise = i32::from(standing.evaluation.is_some_and(|value| value > node.alpha + 60));
        let gain = bonus(node.depth) * params::parent_bonus() / 100 * (2 + late + surprise) / 3;
        let rows = self.frames.parent_rows(node.ply);
        self.history.reward_parent(&before, rows, gain);
    }
}

/// What comes of asking whether to skip a move.
enum Skip {
    /// It is searched.
    No,
    /// It is not.
    This,
    /// It is not: even so much would not reach alpha.
    Futile(Value),
    /// Neither it nor any other quiet move.
    Quiets,
}

impl Tried {
    const fn new() -> Tried {
        Tried { moves: [Move::NULL; 32], len: 0 }
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.len].iter().copied()
    }
}
