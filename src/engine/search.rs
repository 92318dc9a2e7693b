//! The search of a node: principal variation search with null move, reductions and pruning.
//!
//! Chess Programming Wiki, "Principal Variation Search", "Null Move Pruning", "Late Move Reductions", "Reverse Futility Pruning",
//! "Futility Pruning", "Mate Distance Pruning", "Internal Iterative Reductions". What the search may prune, it never lets decide
//! a mate: a mate score means that every defence was looked at.

use super::Scope;
use super::checks::may_check;
use super::clock::Budget;
use super::evaluation::Evaluator;
use super::history::{HISTORY_MAX, History};
use super::path::{Found, NEAR_FIFTY, Path};
use super::picker::Picker;
use super::pv::PvTable;
use super::reductions::reduction;
use super::root::RootMove;
use super::score::{INFINITE, MATE_FLOOR, MAX_PLY, Value, is_mate, mate_at, mated_at, to_table};
use super::see::see_at_least;
use super::tt::{Bound, Entry, Generation};
use crate::chess::{Move, Position, Role};

/// Everything that one running search owns, and what it shares.
pub(super) struct Search<'a, E> {
    pub(super) table: Generation<'a>,
    pub(super) evaluator: E,
    pub(super) budget: Budget<'a>,
    pub(super) path: Path,
    pub(super) history: &'a mut History,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// The static evaluation at each ply of the line; `None` in check.
    pub(super) evaluations: [Option<Value>; MAX_PLY + 2],
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The depth of the running iteration.
    pub(super) root_depth: i32,
    /// Up to this ply the table gives no cut-offs.
    pub(super) guarded_plies: usize,
    /// Below this ply no null move is tried: a null move's result is being verified.
    pub(super) null_from: usize,
}

/// How a node is searched.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) alpha: Value,
    pub(super) beta: Value,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// A cut-off is expected here.
    pub(super) cut: bool,
    /// The last move was a null move.
    pub(super) after_null: bool,
}

impl Node {
    /// A child with a zero window just below `bound`, in this node's view.
    #[inline]
    pub(super) const fn zero_window(self, bound: Value, depth: i32, cut: bool) -> Node {
        Node { alpha: -bound - 1, beta: -bound, depth, ply: self.ply + 1, cut, after_null: false }
    }

    /// A child with this node's whole window above `alpha`.
    #[inline]
    pub(super) const fn full_window(self, alpha: Value, depth: i32) -> Node {
        Node { alpha: -self.beta, beta: -alpha, depth, ply: self.ply + 1, cut: false, after_null: false }
    }
}

impl<'a, E: Evaluator> Search<'a, E> {
    /// A search of a position with legal moves; `earlier` are the keys of the game's earlier positions, oldest first.
    pub(super) fn new(
        table: Generation<'a>,
        mut evaluator: E,
        history: &'a mut History,
        budget: Budget<'a>,
        root: &Position,
        earlier: &[u64],
        scope: &Scope,
    ) -> Search<'a, E> {
        evaluator.reset(root);
        let mut picker = Picker::all(root, table.probe(root.key()).map_or(Move::NULL, |entry| entry.mv), [Move::NULL; 2]);
        let moves = std::iter::from_fn(|| picker.next(root, history, false));
        let moves = moves.filter(|mv| scope.moves.is_empty() || scope.moves.contains(mv));
        let root_moves = moves.map(|mv| RootMove { mv, nodes: 0 }).collect();
        Search {
            table,
            evaluator,
            budget,
            path: Path::new(root, earlier),
            history,
            pv: PvTable::new(),
            root_moves,
            evaluations: [None; MAX_PLY + 2],
            seldepth: 0,
            root_depth: 0,
            guarded_plies: 0,
            null_from: 0,
        }
    }

    /// Makes a move on every stack and counts the node.
    #[inline]
    pub(super) fn make(&mut self, position: &Position, mv: Move) -> Position {
        self.budget.count_node();
        self.evaluator.make(position, mv);
        let child = position.after(mv);
        self.path.push(&child);
        child
    }

    #[inline]
    pub(super) fn unmake(&mut self) {
        self.path.pop();
        self.evaluator.unmake();
    }

    /// The value of a node, at least `alpha` exact and below `beta` (fail-soft). Means nothing once the budget is over.
    pub(super) fn node<const PV: bool>(&mut self, position: &Position, mut node: Node) -> Found {
        let ply = node.ply;
        if node.depth <= 0 {
            return self.quiescence::<PV>(position, node.alpha, node.beta, ply);
        }
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
        // No line from here is better than mating at once, nor worse than being mated now.
        node.alpha = node.alpha.max(mated_at(ply));
        node.beta = node.beta.min(mate_at(ply + 1));
        if node.alpha >= node.beta {
            return Found::own(node.alpha);
        }

        let known = self.table.probe(position.key());
        if !PV && let Some(value) = self.table_cut_off(position, known, node.depth, node.beta, ply) {
            return Found::own(value);
        }
        let table_move = known.map_or(Move::NULL, |entry| entry.mv);
        let evaluation = self.evaluation_of(position, known);
        self.evaluations[ply] = evaluation;
        let improving = self.is_improving(ply);

        if !PV
            && position.halfmove_clock() < NEAR_FIFTY
            && let Some(evaluation) = evaluation
            && let Some(found) = self.prune_node(position, node, evaluation, improving)
        {
            return found;
        }
        if node.depth >= 4 && table_move.is_null() {
            node.depth -= 1;
        }
        self.moves::<PV>(position, node, table_move, evaluation, improving)
    }

    /// A value of the table that decides a zero-window node, where the table may be trusted.
    #[inline]
    pub(super) fn table_cut_off(
        &mut self,
        position: &Position,
        known: Option<Entry>,
        depth: i32,
        beta: Value,
        ply: usize,
    ) -> Option<Value> {
        let entry = known.filter(|entry| i32::from(entry.depth) >= depth && entry.bound != Bound::None)?;
        if ply <= self.guarded_plies {
            return None;
        }
        let clock = position.halfmove_clock();
        // The value knows nothing of this line's clock: the 50-move rule might have changed it within its depth.
        if i32::from(clock) + i32::from(entry.depth) + 10 >= 100 && clock > 20 {
            self.path.note_fifty();
            return None;
        }
        let value = super::score::from_table(entry.value, ply, clock)?;
        entry.bound.decides(value, beta).then_some(value)
    }

    /// The static evaluation, from the table where it is known; `None` in check.
    #[inline]
    pub(super) fn evaluation_of(&mut self, position: &Position, known: Option<Entry>) -> Option<Value> {
        if position.in_check() {
            return None;
        }
        Some(known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluator.evaluate(position)))
    }

    #[inline]
    fn is_improving(&self, ply: usize) -> bool {
        let now = self.evaluations[ply];
        let before = if ply >= 2 { self.evaluations[ply - 2] } else { None };
        match (now, before) {
            (Some(now), Some(before)) => now > before,
            (Some(_), None) => true,
            _ => false,
        }
    }

    /// Ends a zero-window node before its moves are tried: it stands so far above `beta` that a pass would do.
    fn prune_node(&mut self, position: &Position, node: Node, evaluation: Value, improving: bool) -> Option<Found> {
        let Node { beta, depth, ply, .. } = node;
        if is_mate(beta) {
            return None;
        }
        // Reverse futility: no opponent's move is expected to win back that much within so few plies.
        if depth <= 7 && evaluation - 80 * (depth - i32::from(improving)) >= beta && !is_mate(evaluation) {
            return Some(Found::own((evaluation + beta) / 2));
        }
        let has_pieces = position.by_color(position.turn()).without(position.by_role(Role::Pawn)).more_than_one();
        if depth < 3 || node.after_null || ply < self.null_from || evaluation < beta || !has_pieces {
            return None;
        }
        let less = 3 + depth / 4 + ((evaluation - beta) / 200).min(3);
        let mut passed = position.clone();
        passed.play_null();
        self.path.push_null(&passed);
        self.evaluator.make_null();
        let child = Node { after_null: true, ..node.zero_window(beta - 1, depth - less, !node.cut) };
        let found = self.node::<false>(&passed, child).flip();
        self.evaluator.unmake();
        self.path.pop();
        if self.budget.is_over() {
            return Some(Found::own(0));
        }
        if found.value < beta {
            return None;
        }
        // A mate that the opponent's pass allowed is not proved.
        let value = if is_mate(found.value) { beta } else { found.value };
        if depth < 10 {
            return Some(Found { value, ..found });
        }
        // Zugzwang: deep down the pass has to be confirmed by moves.
        let outer = std::mem::replace(&mut self.null_from, ply + (3 * (depth - less) as usize).div_ceil(4) + 1);
        let verified = self.node::<false>(position, Node { depth: depth - less, ..node });
        self.null_from = outer;
        (self.budget.is_over() || verified.value >= beta).then_some(Found { value, reach: found.reach.min(verified.reach) })
    }

    /// Tries the moves of a node, best first.
    fn moves<const PV: bool>(
        &mut self,
        position: &Position,
        node: Node,
        table_move: Move,
        evaluation: Option<Value>,
        improving: bool,
    ) -> Found {
        let Node { mut alpha, beta, depth, ply, .. } = node;
        let in_check = evaluation.is_none();
        self.history.clear_killers(ply + 2);
        let killers = self.history.killers(ply);
        let mut picker = Picker::all(position, table_move, killers);
        let mut best = Found { value: -INFINITE, reach: Found::OWN };
        let mut best_move = Move::NULL;
        let mut reach = Found::OWN;
        let mut tried = 0_usize;
        let mut quiets = QuietList::new();
        let mut skip_quiets = false;
        let late = if improving { 4 + depth * depth } else { (4 + depth * depth) / 2 } as usize;

        // In the first plies of a game with a past no move is skipped: a quiet one may be the repetition that saves the game.
        let may_skip = !PV && !in_check && ply > self.guarded_plies && position.halfmove_clock() < NEAR_FIFTY;

        while let Some(mv) = picker.next(position, self.history, skip_quiets) {
            let quiet = !mv.is_noisy();
            let standing = self.history.quiet(position.turn(), mv);
            if may_skip && best.value > -MATE_FLOOR && !may_check(position, mv) {
                if quiet {
                    if depth <= 8 && tried >= late {
                        skip_quiets = true;
                        continue;
                    }
                    let left = (depth - reduction(depth, tried)).max(1);
                    if left <= 6
                        && evaluation.is_some_and(|value| value + 90 + 100 * left <= alpha)
                        && standing < HISTORY_MAX / 2
                    {
                        continue;
                    }
                }
                let margin = if quiet { -60 * depth } else { -25 * depth * depth };
                if depth <= 7 && tried > 0 && !see_at_least(position, mv, margin) {
                    continue;
                }
            }

            let child = self.make(position, mv);
            let gives_check = child.in_check();
            let extended = gives_check && ply < 2 * self.root_depth as usize && see_at_least(position, mv, 0);
            let full = depth - 1 + i32::from(extended);
            tried += 1;

            let mut found = Found::own(-INFINITE);
            let mut search_full = PV && tried == 1;
            if !search_full {
                let mut less = 0;
                if depth >= 3 && tried > 1 + usize::from(PV) && (quiet || !see_at_least(position, mv, 0)) {
                    less = reduction(depth, tried) + i32::from(node.cut) + i32::from(!improving)
                        - i32::from(PV)
                        - i32::from(gives_check)
                        - i32::from(in_check)
                        - i32::from(killers.contains(&mv));
                    if quiet {
                        less -= 2 * standing / HISTORY_MAX;
                    }
                    less = less.clamp(0, full.max(1) - 1);
                }
                found = self.node::<false>(&child, node.zero_window(alpha, full - less, less > 0 || !node.cut)).flip();
                if found.value > alpha && less > 0 && !self.budget.is_over() {
                    found = self.node::<false>(&child, node.zero_window(alpha, full, !node.cut)).flip();
                }
                search_full = PV && found.value > alpha && !self.budget.is_over();
            }
            if search_full {
                found = self.node::<true>(&child, node.full_window(alpha, full)).flip();
            }
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
            if quiet {
                quiets.push(mv);
            }
        }

        if tried == 0 {
            return Found::own(if in_check { mated_at(ply) } else { 0 });
        }
        let bound = if best.value >= beta {
            // The move that cuts off proves its bound alone.
            reach = best.reach;
            if !best_move.is_noisy() {
                self.history.reward(position, ply, depth, best_move, quiets.as_slice());
            }
            Bound::Lower
        } else if best_move.is_null() {
            Bound::Upper
        } else {
            Bound::Exact
        };
        self.remember(
            position,
            Found { value: best.value, reach },
            Entry { mv: best_move, value: 0, evaluation, depth: depth as u8, bound },
            ply,
        )
    }

    /// Puts a node's result into the table, the value only when it is the position's own; and returns it to the parent.
    #[inline]
    pub(super) fn remember(&mut self, position: &Position, found: Found, entry: Entry, ply: usize) -> Found {
        let leans_on_clock = position.halfmove_clock() >= NEAR_FIFTY;
        let found = if leans_on_clock { Found { reach: -1, ..found } } else { found };
        if found.reach >= ply as i32 {
            self.table.store(position.key(), Entry { value: to_table(found.value, ply), ..entry });
            // A repetition of this very node, or below it, is part of the position's own value.
            Found::own(found.value)
        } else {
            if !entry.mv.is_null() {
                self.table.store_move(position.key(), entry.mv, entry.evaluation);
            }
            found
        }
    }
}

/// The quiet moves that a node has tried, as far as they fit: later ones hardly matter.
struct QuietList {
    moves: [Move; 64],
    len: usize,
}

impl QuietList {
    const fn new() -> QuietList {
        QuietList { moves: [Move::NULL; 64], len: 0 }
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = mv;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}
