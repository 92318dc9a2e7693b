//! Iterative deepening: depth after depth from the root, with aspiration windows around the last score.
//!
//! Chess Programming Wiki, "Iterative Deepening", "Aspiration Windows".

use super::evaluation::Evaluator;
use super::line::Line;
use super::mate::{MAX_MATE, Prover};
use super::path::Found;
use super::score::{INFINITE, MAX_PLY, Score, Value, is_mate, mate_at};
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

/// Before a mate is proved, the ordinary search looks this deep, and begins no iteration after so many nodes.
const GLANCE_DEPTH: u8 = 8;
const GLANCE_NODES: u64 = 20_000;

/// Where no mate was found, the ordinary search says what the position is worth at this depth.
const VERDICT_DEPTH: u8 = 10;

/// How far to deepen.
#[derive(Clone, Copy)]
struct Goal {
    depth: u8,
    /// No iteration begins once so many nodes were searched.
    node_share: u64,
    /// A mate that has stood the test of enough depth ends the search.
    ends_naturally: bool,
}

impl Goal {
    const fn depth(depth: u8) -> Goal {
        Goal { depth, node_share: u64::MAX, ends_naturally: false }
    }
}

/// A legal move at the root, with what the search thought of it last.
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Nodes spent below it in the running iteration.
    pub(super) nodes: u64,
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
        if let Some(moves) = limits.mate {
            return self.run_for_mate(root, moves, limits, on_update);
        }
        let goal = Goal { ends_naturally: limits.depth.is_none(), ..Goal::depth(limits.depth.unwrap_or(MAX_DEPTH)) };
        let (line, finished) = self.deepen(root, goal, on_update);
        let line = line.unwrap_or_else(|| self.first_impression(root));
        self.report(&line, finished, self.budget.reason().unwrap_or(StopReason::Depth))
    }

    /// Proves the shortest mate in at most so many moves. Where there is none the ordinary search says what the position is
    /// worth.
    fn run_for_mate(&mut self, root: &Position, moves: u8, limits: &Limits, on_update: &mut dyn FnMut(&Report)) -> Report {
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let farthest = moves.min(MAX_MATE).min(depth.div_ceil(2));
        // Something to say when the budget ends in the middle of the proof; it must not eat up the proof's own share.
        let glance = Goal {
            node_share: limits.nodes.map_or(GLANCE_NODES, |nodes| (nodes / 8).min(GLANCE_NODES)),
            ..Goal::depth(depth.min(GLANCE_DEPTH))
        };
        let (line, finished) = self.deepen(root, glance, on_update);
        let mut line = line.unwrap_or_else(|| self.first_impression(root));
        let mut prover = Prover::new(&mut self.budget, &mut self.path);
        let proof = (1..=farthest).find_map(|moves| prover.prove(root, moves).map(|proof| (moves, proof)));
        if let Some((moves, proof)) = proof {
            let plies = proof.len();
            self.seldepth = self.seldepth.max(plies);
            line = Line { value: mate_at(plies), moves: proof };
            return self.report(&line, 2 * moves - 1, StopReason::Mate);
        }
        if let Some(reason) = self.budget.reason() {
            return self.report(&line, finished, reason);
        }
        // The question is answered; the ordinary score may take what is left of the budget.
        let mut tell_deeper = |report: &Report| {
            if report.depth > finished {
                on_update(report);
            }
        };
        let (deeper, deepest) = self.deepen(root, Goal::depth(depth.min(VERDICT_DEPTH)), &mut tell_deeper);
        let line = deeper.filter(|_| deepest >= finished).unwrap_or(line);
        self.report(&line, deepest.max(finished), StopReason::Depth)
    }

    /// What there is to say when not even one move was searched to its end: the first move in order, and the static evaluation.
    fn first_impression(&mut self, root: &Position) -> Line {
        Line {
            value: self.evaluator.evaluate(root),
            moves: self.root_moves.first().map(|first| first.mv).into_iter().collect(),
        }
    }

    /// Deepens towards a goal, and tells of every finished iteration. Returns the best line, `None` when the budget ended before
    /// there was one, and the last finished depth.
    fn deepen(&mut self, root: &Position, goal: Goal, on_update: &mut dyn FnMut(&Report)) -> (Option<Line>, u8) {
        let mut best: Option<Line> = None;
        let mut finished = 0;
        for depth in 1..=goal.depth.min(MAX_DEPTH) {
            if self.budget.is_over() {
                break;
            }
            self.root_depth = i32::from(depth);
            self.root_moves.iter_mut().for_each(|root_move| root_move.nodes = 0);
            let (line, complete) = self.iteration(root, best.as_ref());
            if let Some(line) = line.and_then(|line| self.vouch(root, line)) {
                best = Some(line);
            }
            if !complete {
                break;
            }
            finished = depth;
            if let Some(line) = &best {
                on_update(&self.report(line, depth, StopReason::Depth));
            }
            let settled = best.as_ref().is_some_and(|line| line.is_settled(depth));
            if self.budget.nodes() >= goal.node_share || (goal.ends_naturally && settled) {
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
            alternatives: Vec::new(),
        }
    }
}
