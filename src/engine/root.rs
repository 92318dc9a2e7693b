//! Iterative deepening: depth after depth from the root, with aspiration windows around the last score.
//!
//! Chess Programming Wiki, "Iterative Deepening", "Aspiration Windows".

use super::evaluation::Evaluator;
use super::path::Found;
use super::pv::{ends_in_mate, play_out};
use super::score::{INFINITE, MAX_PLY, Score, Value, is_mate, plies_to_mate};
use super::search::{Node, Search};
use super::tt::{Bound, Entry};
use super::{Limits, Report, StopReason};
use crate::chess::{Move, Position};

/// The greatest depth of an iteration.
pub(super) const MAX_DEPTH: u8 = (MAX_PLY - 40) as u8;

/// From this depth on an iteration begins with a narrow window.
const ASPIRATION_FROM: i32 = 5;

/// Half the width of the first window, in centipawns.
const ASPIRATION: Value = 16;

/// A legal move at the root, with what the search thought of it last.
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Nodes spent below it in the running iteration.
    pub(super) nodes: u64,
}

/// A line with its exact value.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) value: Value,
    pub(super) moves: Vec<Move>,
}

/// What came out of one window.
enum Window {
    /// Every move is at most this.
    Low(Value),
    /// Some move is at least this.
    High(Value),
    /// The value lies inside.
    Exact(Line),
    /// The budget ended first; the best line with an exact value till then.
    Cut(Option<Line>),
}

impl<E: Evaluator> Search<'_, E> {
    /// The whole search under its limits.
    pub(super) fn run(&mut self, root: &Position, limits: &Limits, on_update: &mut dyn FnMut(&Report)) -> Report {
        let ends_naturally = limits.depth.is_none();
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let (line, finished) = self.deepen(root, depth, ends_naturally, &mut |search, line, depth| {
            on_update(&search.report(line, depth, StopReason::Depth));
        });
        let line = line.unwrap_or_else(|| self.first_impression(root));
        self.report(&line, finished, self.budget.reason().unwrap_or(StopReason::Depth))
    }

    /// What there is to say when not even one move was searched to its end: the first move in order, and the static evaluation.
    fn first_impression(&mut self, root: &Position) -> Line {
        Line {
            value: self.evaluator.evaluate(root),
            moves: self.root_moves.first().map(|first| first.mv).into_iter().collect(),
        }
    }

    /// Deepens up to `depth` plies, telling of every finished iteration. Returns the best line, `None` when the budget ended
    /// before there was one, and the last finished depth.
    pub(super) fn deepen(
        &mut self,
        root: &Position,
        depth: u8,
        ends_naturally: bool,
        on_line: &mut dyn FnMut(&Self, &Line, u8),
    ) -> (Option<Line>, u8) {
        let mut best: Option<Line> = None;
        let mut finished = 0;
        for depth in 1..=depth.min(MAX_DEPTH) {
            self.root_depth = i32::from(depth);
            self.root_moves.iter_mut().for_each(|root_move| root_move.nodes = 0);
            let (line, complete) = self.iteration(root, best.as_ref());
            if let Some(line) = line.filter(|line| is_sound(root, line)) {
                best = Some(line);
            }
            if !complete {
                break;
            }
            finished = depth;
            if let Some(line) = &best {
                on_line(self, line, depth);
            }
            let settled = best.as_ref().is_some_and(|line| is_settled(line, depth));
            if self.budget.is_over() || (ends_naturally && settled) {
                break;
            }
        }
        (best, finished)
    }

    /// One depth: widens the window until the value lies inside. `false` when the budget ended it.
    fn iteration(&mut self, root: &Position, last: Option<&Line>) -> (Option<Line>, bool) {
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = ASPIRATION;
        if let Some(last) = last.filter(|line| self.root_depth >= ASPIRATION_FROM && !is_mate(line.value)) {
            width += last.value * last.value / 20_000;
            alpha = last.value - width;
            beta = last.value + width;
        }
        loop {
            match self.window(root, alpha, beta) {
                Window::Exact(line) => return (Some(line), true),
                Window::Cut(line) => return (line, false),
                Window::Low(value) => {
                    beta = (alpha + beta) / 2;
                    alpha = if width > 500 { -INFINITE } else { value.max(-INFINITE + width) - width };
                }
                Window::High(value) => {
                    beta = if width > 500 { INFINITE } else { value.min(INFINITE - width) + width };
                }
            }
            width += width / 2 + 4;
        }
    }

    /// Searches every root move within a window.
    fn window(&mut self, root: &Position, mut alpha: Value, beta: Value) -> Window {
        let depth = self.root_depth;
        let evaluation = if root.in_check() { None } else { Some(self.evaluator.evaluate(root)) };
        self.evaluations[0] = evaluation;
        let node = Node { alpha, beta, depth, ply: 0, cut: false, after_null: false };
        let mut best = Found { value: -INFINITE, reach: Found::OWN };
        let mut reach = Found::OWN;
        let mut line: Option<Line> = None;

        for index in 0..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let before = self.budget.nodes();
            let child = self.make(root, mv);
            let full = depth - 1 + i32::from(child.in_check());
            let mut found = Found::own(INFINITE);
            if index > 0 {
                let late = index >= 3 && depth >= 3 && !mv.is_noisy() && !child.in_check();
                let less = if late {
                    super::reductions::reduction(depth, index).saturating_sub(1).clamp(0, full.max(1) - 1)
                } else {
                    0
                };
                found = self.node::<false>(&child, node.zero_window(alpha, full - less, true)).flip();
                if found.value > alpha && less > 0 && !self.budget.is_over() {
                    found = self.node::<false>(&child, node.zero_window(alpha, full, true)).flip();
                }
            }
            if found.value > alpha && !self.budget.is_over() {
                found = self
                    .node::<true>(&child, Node { alpha: -beta, beta: -alpha, depth: full, ..node.full_window(alpha, full) })
                    .flip();
            }
            self.unmake();
            if self.budget.is_over() {
                return Window::Cut(line);
            }
            self.root_moves[index].nodes += self.budget.nodes() - before;
            reach = reach.min(found.reach);
            if found.value > best.value {
                best = found;
            }
            if found.value > alpha {
                alpha = found.value;
                self.root_moves[..=index].rotate_right(1);
                if found.value >= beta {
                    return Window::High(found.value);
                }
                let moves = std::iter::once(mv).chain(self.pv.line(1).iter().copied()).collect();
                line = Some(Line { value: found.value, moves });
            }
        }

        let Some(line) = line else { return Window::Low(best.value) };
        // The first move is the best so far; the others by how much work it took to refute them.
        self.root_moves[1..].sort_by_key(|root_move| std::cmp::Reverse(root_move.nodes));
        let entry = Entry { mv: line.moves[0], value: 0, evaluation, depth: depth as u8, bound: Bound::Exact };
        self.remember(root, Found { value: line.value, reach }, entry, 0);
        Window::Exact(line)
    }

    /// What is known after an iteration.
    pub(super) fn report(&self, line: &Line, depth: u8, reason: StopReason) -> Report {
        Report {
            score: Score::from_value(line.value),
            pv: line.moves.clone(),
            depth,
            seldepth: self.seldepth as u8,
            nodes: self.budget.nodes(),
            elapsed: self.budget.elapsed(),
            reason,
            context_free: self.path.is_context_free(),
        }
    }
}

/// `true` when a mate has stood the test of so much depth that going on is idle.
fn is_settled(line: &Line, depth: u8) -> bool {
    plies_to_mate(line.value).is_some_and(|plies| 2 * plies + 8 <= i32::from(depth))
}

/// `true` when the line is legal, and a mate's ends in that very mate.
pub(super) fn is_sound(root: &Position, line: &Line) -> bool {
    match plies_to_mate(line.value) {
        Some(plies) => ends_in_mate(root, &line.moves, plies as usize),
        None => !line.moves.is_empty() && play_out(root, &line.moves).0 == line.moves.len(),
    }
}
