//! The search of a node: principal variation search.
//!
//! Chess Programming Wiki, "Principal Variation Search", "Transposition Table", "Mate Distance
//! Pruning", "Internal Iterative Reductions". What ends a node before its moves stands in
//! `pruning`, the moves in `moves`, which of them are not searched in `skipping`, their extensions
//! in `singular`, their reductions in `reductions`; what the table says and is told in `recall`,
//! what the histories learn in `learning`. What the search may prune, it never lets decide a mate:
//! a mate score means that every defence was looked at.

use super::checks::Checks;
use super::clock::Budget;
use super::correction::{Places, corrected};
use super::evaluation::Evaluator;
use super::frame::Frames;
use super::history::{History, NO_ROW, Setting, cell, row};
use super::keys::{PartKeys, table_key};
use super::node::{Kind, Known, Node};
use super::params;
use super::path::{Found, NEAR_FIFTY, Path};
use super::picker::Guide;
use super::pv::PvTable;
use super::reductions::PLY;
use super::root_move::RootMove;
use super::score::{INFINITE, MAX_PLY, Value, is_mate, mate_at, mated_at};
use super::threats::Threats;
use super::tt::Generation;
use crate::chess::{Move, Position};

/// Everything that one thread of a running search owns, and what it shares.
pub(super) struct Search<'a, E> {
    pub(super) table: &'a Generation<'a>,
    pub(super) evaluator: &'a mut E,
    pub(super) budget: Budget<'a>,
    pub(super) path: Path,
    pub(super) history: &'a mut History,
    pub(super) frames: Frames,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// With several lines asked: the moves before this one have their line already.
    pub(super) first_root_move: usize,
    /// Every legal move of the root is searched: none is left out by the scope.
    pub(super) searches_all_moves: bool,
    /// The keys of parts of the position at each ply of the line.
    keys: Box<[PartKeys; MAX_PLY + 2]>,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The depth of the running iteration.
    pub(super) root_depth: i32,
    /// The width of the root's window.
    pub(super) root_window: Value,
    /// Up to this ply the table gives no cut-offs, and no move back into the game's past is
    /// skipped.
    pub(super) guarded_plies: usize,
    /// Before this ply no null move is tried: a null move's result is being verified.
    pub(super) null_from: usize,
}

/// What a node knows of its position before it tries moves.
pub(super) struct Standing {
    pub(super) known: Known,
    /// The corrected static evaluation; `None` in check.
    pub(super) evaluation: Option<Value>,
    /// The same, or what the table says where that is the better guess.
    pub(super) estimate: Value,
    /// The static evaluation as the table keeps it.
    pub(super) raw: Option<Value>,
    /// How much the evaluation was corrected.
    pub(super) correction: Value,
    /// The side to move stands better than two plies ago. (Stockfish's `improving`.)
    pub(super) improving: bool,
    /// The opponent stands worse than a ply ago. (Stockfish's `opponentWorsening`.)
    pub(super) worsening: bool,
    pub(super) threats: Threats,
    pub(super) setting: Setting,
    pub(super) places: Places,
}

impl Standing {
    /// What the node lends its pickers.
    #[inline]
    pub(super) fn guide<'a>(
        &'a self,
        position: &'a Position,
        history: &'a History,
        checks: &'a Checks,
    ) -> Guide<'a> {
        Guide { position, history, setting: &self.setting, threats: &self.threats, checks }
    }
}

impl<'a, E: Evaluator> Search<'a, E> {
    /// A search of a position, which has these root moves; `earlier` are the keys of the game's
    /// earlier positions, oldest first.
    pub(super) fn new(
        table: &'a Generation<'a>,
        evaluator: &'a mut E,
        history: &'a mut History,
        budget: Budget<'a>,
        root: &Position,
        earlier: &[u64],
        root_moves: Vec<RootMove>,
    ) -> Search<'a, E> {
        evaluator.reset(root);
        let mut keys = Box::new([PartKeys::default(); MAX_PLY + 2]);
        keys[0] = PartKeys::of(root);
        Search {
            table,
            evaluator,
            budget,
            path: Path::new(root, earlier),
            history,
            frames: Frames::new(),
            pv: PvTable::new(),
            searches_all_moves: root_moves.len() == root.legal_moves().len(),
            root_moves,
            first_root_move: 0,
            keys,
            seldepth: 0,
            root_depth: 0,
            root_window: 1,
            guarded_plies: 0,
            null_from: 0,
        }
    }

    /// The keys of parts of the position at a ply of the line.
    #[inline]
    pub(super) fn keys_at(&self, ply: usize) -> &PartKeys {
        &self.keys[ply]
    }

    /// `true` in the first plies of a game with a past: there what other searches know counts for
    /// less.
    #[inline]
    pub(super) const fn is_guarded(&self, ply: usize) -> bool {
        self.guarded_plies > 0 && ply <= self.guarded_plies
    }

    /// Makes a move of the line's first position on every stack, and counts the node.
    #[inline]
    pub(super) fn make(&mut self, line: &mut [Position], ply: usize, mv: Move) {
        let [position, child, ..] = line else { return };
        // First of all the child's key: the table is slow to answer.
        position.after_into(mv, child);
        self.table.prefetch(table_key(child));
        self.path.push(child);
        self.budget.count_node();
        self.evaluator.make(position, mv);
        self.keys[ply + 1] = self.keys[ply].after(position, mv);
        let frame = self.frames.at_mut(ply);
        frame.mv = mv;
        frame.cell = cell(position, mv) as u16;
        frame.row = row(position, mv);
        self.history.correction.prefetch(&Places::of(
            child,
            &self.keys[ply + 1],
            &self.frames,
            ply + 1,
        ));
    }

    #[inline]
    pub(super) fn unmake(&mut self) {
        self.path.pop();
        self.evaluator.unmake();
    }

    /// Passes.
    pub(super) fn make_null(&mut self, line: &mut [Position], ply: usize) {
        let [position, child, ..] = line else { return };
        self.evaluator.make_null();
        self.keys[ply + 1] = self.keys[ply];
        let frame = self.frames.at_mut(ply);
        frame.mv = Move::NULL;
        frame.row = NO_ROW;
        frame.reduction = 0;
        child.clone_from(position);
        child.play_null();
        self.path.push_null(child);
    }

    /// The value of the node of the line's first position, at least `alpha` exact and below `beta`
    /// (fail-soft). The places after it are for its descendants. Means nothing once the budget is
    /// over.
    pub(super) fn node<K: Kind>(&mut self, line: &mut [Position], mut node: Node) -> Found {
        let ply = node.ply;
        if node.depth <= 0 {
            return self.quiescence::<K>(line, node.alpha, node.beta, ply);
        }
        self.pv.clear(ply);
        self.seldepth = self.seldepth.max(ply);
        if self.budget.is_over() {
            return Found::own(0);
        }
        let excluded = self.frames.at(ply).excluded;
        // What the side to move has for sure.
        let mut floor = Found::own(-INFINITE);
        if !K::ROOT {
            if let Some(found) = self.path.verdict(&line[0], ply) {
                return found;
            }
            if ply >= MAX_PLY {
                return Found::own(self.evaluator.evaluate(&line[0]));
            }
            // A move back into a draw is at hand: this cannot be worse.
            if node.alpha < 0
                && excluded.is_null()
                && params::upcoming_on() != 0
                && let Some(leans_on) = self.path.upcoming_repetition(&line[0])
            {
                floor = Found { value: 0, reach: leans_on };
                node.alpha = 0;
                if node.alpha >= node.beta {
                    return floor;
                }
            }
            // No line from here is better than mating at once, nor worse than being mated now.
            if params::mate_distance_on() != 0 {
                node.alpha = node.alpha.max(mated_at(ply));
                node.beta = node.beta.min(mate_at(ply + 1));
                if node.alpha >= node.beta {
                    return Found::own(node.alpha);
                }
            }
        }
        self.frames.at_mut(ply + 2).cutoffs = 0;

        let known = self.ask_table(&line[0], ply);
        // Without its best move the position has neither that move nor its value.
        let known = if excluded.is_null() { known } else { known.without_move() };
        if excluded.is_null() {
            self.frames.at_mut(ply).on_pv = K::PV || known.on_pv;
            if !K::PV
                && let Some(found) = self.table_cut_off(&line[0], &known, node)
            {
                return found.or_at_least(floor, node.beta);
            }
        }

        let standing = self.stand::<K>(&line[0], known, node);
        self.adjust_by_hindsight::<K>(&mut node, &standing);
        if !K::PV
            && let Some(evaluation) = standing.evaluation
            && line[0].halfmove_clock() < NEAR_FIFTY
            && let Some(found) = self.prune_node(line, node, evaluation, &standing)
        {
            return found.or_at_least(floor, node.beta);
        }
        // The root has a first move whether the table knows it or not.
        let knows_no_move = known.mv.is_null() && excluded.is_null() && !K::ROOT;
        if node.depth >= params::iir_depth() && knows_no_move && (K::PV || node.cut) {
            node.depth -= 1;
        }
        if !K::PV
            && excluded.is_null()
            && standing.evaluation.is_some()
            && line[0].halfmove_clock() < NEAR_FIFTY
            && let Some(found) = self.probcut(line, node, &standing)
        {
            return found.or_at_least(floor, node.beta);
        }
        self.moves::<K>(line, node, &standing, floor)
    }

    /// Evaluates the position, and compares it with those before.
    fn stand<K: Kind>(&mut self, position: &Position, known: Known, node: Node) -> Standing {
        let ply = node.ply;
        let threats = Threats::of(position);
        let setting = Setting::new(position, threats.all, self.frames.rows(ply), ply);
        let places = Places::of(position, &self.keys[ply], &self.frames, ply);
        let excluded = !self.frames.at(ply).excluded.is_null();
        let before = [self.frames.before(ply, 2).evaluation, self.frames.before(ply, 4).evaluation];
        let last = if ply > 0 { self.frames.before(ply, 1).evaluation } else { None };
        let (mut evaluation, mut raw, mut correction) = (None, None, 0);
        let mut estimate = 0;
        if !position.in_check() {
            let value = known.evaluation.unwrap_or_else(|| self.evaluator.evaluate(position));
            raw = Some(value);
            correction = self.history.correction.of(&places);
            let now = corrected(value, correction, position.halfmove_clock());
            evaluation = Some(now);
            estimate = if known.improves(now) && !is_mate(known.value) { known.value } else { now };
            if !known.hit && !excluded {
                self.table.store_evaluation(table_key(position), value, self.frames.at(ply).on_pv);
            }
        }
        let frame = self.frames.at_mut(ply);
        frame.turn = setting.turn;
        frame.threats = threats.all;
        frame.pawn_row = setting.pawn_row;
        // In check the last evaluation of this side stands for the missing one.
        frame.evaluation = evaluation.or(before[0]);
        frame.in_check = evaluation.is_none();
        frame.tried = 0;
        if !excluded && !K::ROOT {
            self.learn_from_swing(ply, evaluation, last);
        }
        let improving = match (evaluation, before[0].or(before[1])) {
            (Some(now), Some(before)) => now > before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let worsening = matches!((evaluation, last), (Some(now), Some(last)) if now > -last);
        Standing {
            known,
            evaluation,
            estimate,
            raw,
            correction,
            improving,
            worsening,
            threats,
            setting,
            places,
        }
    }

    /// The node was reduced before anybody knew its evaluation: deeper when that shows no gain for
    /// the one who moved there, less deep when both sides' evaluations agree that it stands well.
    /// (After Stockfish, "hindsight".)
    fn adjust_by_hindsight<K: Kind>(&self, node: &mut Node, standing: &Standing) {
        if K::ROOT || params::hindsight_on() == 0 || !self.frames.at(node.ply).excluded.is_null() {
            return;
        }
        let before = self.frames.before(node.ply, 1);
        let (Some(now), Some(last)) = (standing.evaluation, before.evaluation) else { return };
        if before.reduction >= 3 * PLY && !standing.worsening {
            node.depth += 1;
        } else if before.reduction >= 2 * PLY
            && node.depth >= 2
            && now + last > params::hindsight_sum()
        {
            node.depth -= 1;
        }
    }
}
