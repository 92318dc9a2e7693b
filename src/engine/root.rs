//! Iterative deepening: depth after depth from the root, with aspiration windows around the last
//! score.
//!
//! Chess Programming Wiki, "Iterative Deepening", "Aspiration Windows".

use super::evaluation::Evaluator;
use super::line::Line;
use super::mate::{MAX_MATE, Prover};
use super::node::{Node, Root};
use super::pace::{Pace, Progress};
use super::params;
use super::root_move::RootMove;
use super::score::{INFINITE, MAX_PLY, Value, is_mate, mate_at};
use super::search::Search;
use super::wdl::{Verdict, WinModel};
use super::{Limits, Report, StopReason, Variation};
use crate::chess::{Move, Position};

/// The greatest depth of an iteration.
pub(super) const MAX_DEPTH: u8 = (MAX_PLY - 40) as u8;

/// From this depth on an iteration begins with a narrow window.
const ASPIRATION_FROM: i32 = 4;

/// Beyond this width a window is opened at once.
const OPEN: Value = 1200;

/// Before a mate is proved, the ordinary search looks this deep, and begins no iteration after so
/// many nodes.
const GLANCE_DEPTH: u8 = 8;
const GLANCE_NODES: u64 = 20_000;

/// Where no mate was found, the ordinary search says what the position is worth at this depth.
const VERDICT_DEPTH: u8 = 10;

/// How far to deepen.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    depth: u8,
    /// No iteration begins once so many nodes were searched.
    node_share: u64,
    /// A mate that has stood the test of enough depth ends the search.
    ends_naturally: bool,
    /// How many of the best moves get a line.
    lines: usize,
    /// The time that a player gives the move.
    pace: Option<Pace>,
    /// A helper's: once it has finished this depth, the whole search is done.
    arrival: Option<u8>,
}

impl Goal {
    /// To a depth, for the best line alone.
    const fn depth(depth: u8) -> Goal {
        Goal {
            depth,
            node_share: u64::MAX,
            ends_naturally: false,
            lines: 1,
            pace: None,
            arrival: None,
        }
    }

    /// The same for a helper: it deepens until it is told to stop. Whichever thread comes to the
    /// depth first answers, but for several lines, which are the first thread's alone.
    pub(super) fn of_helper(self) -> Goal {
        let arrival = (self.lines == 1).then_some(self.depth);
        Goal { depth: MAX_DEPTH, ends_naturally: false, pace: None, arrival, ..self }
    }

    /// What limits ask for: depth, and so many lines.
    pub(super) fn of(limits: &Limits, lines: usize, pace: Option<Pace>) -> Goal {
        let depth = limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        Goal { ends_naturally: limits.depth.is_none(), lines, pace, ..Goal::depth(depth) }
    }
}

/// What a thread's deepening has come to.
#[derive(Clone, Default)]
pub(super) struct Deepened {
    /// The best lines that can be vouched for, best first. Empty when the budget ended before there
    /// was one.
    pub(super) lines: Vec<Line>,
    /// The last finished depth.
    pub(super) depth: u8,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The game's history or the 50-move rule had a part in it.
    pub(super) leans_on_history: bool,
}

impl<E: Evaluator> Search<'_, E> {
    /// The whole search under its limits. With helpers, their findings come from `join` once the
    /// first thread is done.
    pub(super) fn run(
        &mut self,
        root: &Position,
        limits: &Limits,
        goal: Goal,
        join: &mut dyn FnMut() -> Vec<Deepened>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        if let Some(moves) = limits.mate {
            return self.run_for_mate(root, moves, limits, on_update);
        }
        let mut found = self.deepen(root, goal, on_update);
        let helpers = join();
        for helper in &helpers {
            self.seldepth = self.seldepth.max(helper.seldepth);
            self.path.note(helper.leans_on_history);
        }
        let voters: &[Deepened] = if goal.lines == 1 { &helpers } else { &[] };
        let arrived = voters.iter().chain([&found]).any(|thread| thread.depth >= goal.depth);
        let (reason, least) = match self.budget.reason() {
            // Who asked for a depth gets it, whoever answers.
            _ if arrived => (StopReason::Depth, goal.depth),
            // A helper came to the depth and was lost with what it had found.
            Some(StopReason::Depth) => (StopReason::Stopped, 0),
            Some(reason) => (reason, 0),
            None => (StopReason::Depth, found.depth),
        };
        if goal.lines == 1 {
            found = super::vote::elect(found, helpers, least);
        }
        let lines =
            if found.lines.is_empty() { vec![self.first_impression(root)] } else { found.lines };
        self.report(root, &lines, found.depth, reason)
    }

    /// Proves the shortest mate in at most so many moves. Where there is none the ordinary search
    /// says what the position is worth.
    fn run_for_mate(
        &mut self,
        root: &Position,
        moves: u8,
        limits: &Limits,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let farthest = moves.min(MAX_MATE).min(depth.div_ceil(2));
        // Something to say when the budget ends in the middle of the proof; it must not eat up the
        // proof's own share.
        let glance = Goal {
            node_share: limits.nodes.map_or(GLANCE_NODES, |nodes| (nodes / 8).min(GLANCE_NODES)),
            ..Goal::depth(depth.min(GLANCE_DEPTH))
        };
        let mut first = self.deepen(root, glance, on_update);
        if first.lines.is_empty() {
            first.lines.push(self.first_impression(root));
        }
        let allowed: Vec<Move> = self.root_moves.iter().map(|root_move| root_move.mv).collect();
        let searches_all_moves = self.searches_all_moves;
        let mut prover = Prover::new(&mut self.budget, &mut self.path);
        let mut prove = |moves| {
            if searches_all_moves {
                prover.prove(root, moves)
            } else {
                prover.prove_among(root, moves, &allowed)
            }
        };
        let proof = (1..=farthest).find_map(|moves| prove(moves).map(|proof| (moves, proof)));
        if let Some((moves, proof)) = proof {
            let plies = proof.len();
            self.seldepth = self.seldepth.max(plies);
            let line = Line { value: mate_at(plies), moves: proof };
            return self.report(root, &[line], 2 * moves - 1, StopReason::Mate);
        }
        if let Some(reason) = self.budget.reason() {
            return self.report(root, &first.lines, first.depth, reason);
        }
        // The question is answered; the ordinary score may take what is left of the budget.
        let mut tell_deeper = |report: &Report| {
            if report.depth > first.depth {
                on_update(report);
            }
        };
        let deeper = self.deepen(root, Goal::depth(depth.min(VERDICT_DEPTH)), &mut tell_deeper);
        let best =
            if deeper.lines.is_empty() || deeper.depth < first.depth { first } else { deeper };
        self.report(root, &best.lines, best.depth, StopReason::Depth)
    }

    /// What there is to say when not even one move was searched to its end: the first move in
    /// order, and the static evaluation.
    fn first_impression(&mut self, root: &Position) -> Line {
        let value = if root.in_check() { 0 } else { self.evaluator.evaluate(root) };
        Line { value, moves: self.root_moves.first().map(|first| first.mv).into_iter().collect() }
    }

    /// Deepens towards a goal, and tells of every finished iteration.
    pub(super) fn deepen(
        &mut self,
        root: &Position,
        goal: Goal,
        on_update: &mut dyn FnMut(&Report),
    ) -> Deepened {
        let mut stack = vec![root.clone(); MAX_PLY + 3];
        let mut found = Deepened::default();
        let mut stable_for = 0;
        let mut average: Option<Value> = None;
        for depth in 1..=goal.depth.min(MAX_DEPTH) {
            if self.budget.is_over() {
                break;
            }
            self.root_depth = i32::from(depth);
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.value;
            }
            let complete = self.iteration(&mut stack, goal.lines);
            let last_best = found.lines.first().map(|line| line.moves[0]);
            self.take_lines(root, goal.lines, &mut found);
            if !complete {
                break;
            }
            self.budget.count_time();
            found.depth = depth;
            let Some(best) = found.lines.first().cloned() else { continue };
            if goal.arrival.is_some_and(|asked| depth >= asked) {
                self.budget.arrive();
            }
            on_update(&self.report(root, &found.lines, depth, StopReason::Depth));
            stable_for = if last_best == Some(best.moves[0]) { stable_for + 1 } else { 0 };
            let progress = Progress {
                stable_for,
                value: best.value,
                average: average.unwrap_or(best.value),
                node_share: self.root_moves[0].nodes as f64 / self.budget.nodes().max(1) as f64,
                forced: self.root_moves.len() == 1,
            };
            average = Some(average.map_or(best.value, |before| (2 * before + best.value) / 3));
            if self.budget.total_nodes() >= goal.node_share
                || (goal.ends_naturally && best.is_settled(depth))
            {
                break;
            }
            if let Some(pace) = goal.pace
                && !self.budget.is_pondering()
                && pace.is_enough(self.budget.elapsed(), &progress)
            {
                self.budget.end_in_time();
            }
        }
        found.seldepth = self.seldepth;
        found.leans_on_history = !self.path.is_context_free();
        found
    }

    /// One depth, for each of the best lines in turn. `false` when the budget ended it.
    fn iteration(&mut self, stack: &mut [Position], lines: usize) -> bool {
        let lines = lines.min(self.root_moves.len());
        for root_move in &mut self.root_moves {
            root_move.holds = false;
            root_move.value = -INFINITE;
        }
        for index in 0..lines {
            self.first_root_move = index;
            self.aspire(stack);
            self.root_moves[..=index]
                .sort_by_key(|root_move| std::cmp::Reverse((root_move.value, root_move.previous)));
            if self.budget.is_over() {
                return false;
            }
        }
        self.first_root_move = 0;
        true
    }

    /// Widens the window around the expected value until the value lies inside, or the budget is
    /// over.
    fn aspire(&mut self, stack: &mut [Position]) {
        let first = self.first_root_move;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = params::aspiration_width();
        if let Some(average) = self.root_moves[first].average
            && params::aspiration_on() != 0
            && self.root_depth >= ASPIRATION_FROM
            && !is_mate(average)
        {
            width += (i64::from(average) * i64::from(average)
                / i64::from(params::aspiration_square())) as Value;
            alpha = (average - width).max(-INFINITE);
            beta = (average + width).min(INFINITE);
        }
        let mut failed_high = 0;
        loop {
            let depth = (self.root_depth - failed_high).max(1);
            let node = Node { alpha, beta, depth, ply: 0, cut: false };
            self.root_window = beta - alpha;
            let value = self.node::<Root>(stack, node).value;
            // Stable: moves without a value of their own keep their order.
            self.root_moves[first..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
            if self.budget.is_over() {
                return;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = if width > OPEN { -INFINITE } else { (value - width).max(-INFINITE) };
                failed_high = 0;
            } else if value >= beta {
                beta = if width > OPEN { INFINITE } else { (value + width).min(INFINITE) };
                failed_high += i32::from(!is_mate(value));
            } else {
                return;
            }
            width += width / 2;
        }
    }

    /// Takes over what the iteration has found, as far as it can be vouched for.
    fn take_lines(&mut self, root: &Position, lines: usize, found: &mut Deepened) {
        // Cut off in the middle, an iteration has something to say only once its first move has a
        // value that counts. One that has failed high is better than what was best before, however
        // much.
        let known =
            self.root_moves.iter().take(lines).take_while(|root_move| root_move.value > -INFINITE);
        let fresh: Vec<Line> = known
            .take_while(|root_move| root_move.holds || !self.budget.is_over())
            .map(RootMove::line)
            .collect();
        let mut taken: Vec<Line> = Vec::with_capacity(lines);
        for line in fresh {
            let last =
                found.lines.iter().find(|last| last.moves.first() == line.moves.first()).cloned();
            taken.extend(self.vouch(root, line).or(last));
        }
        for last in &found.lines {
            if taken.len() < found.lines.len()
                && taken.iter().all(|line| line.moves.first() != last.moves.first())
            {
                taken.push(last.clone());
            }
        }
        if !taken.is_empty() {
            found.lines = taken;
        }
    }

    /// What is known after an iteration. There is at least one line.
    pub(super) fn report(
        &self,
        root: &Position,
        lines: &[Line],
        depth: u8,
        reason: StopReason,
    ) -> Report {
        let model = WinModel::of(root);
        let best = lines.first();
        let Verdict { score, wdl, linear } = model.verdict(best.map_or(0, |line| line.value));
        let variation = |line: &Line| {
            let Verdict { score, wdl, .. } = model.verdict(line.value);
            Variation { score, wdl, pv: line.moves.clone() }
        };
        Report {
            score,
            wdl,
            linear: Some(linear),
            pv: best.map(|line| line.moves.clone()).unwrap_or_default(),
            depth,
            seldepth: self.seldepth as u8,
            nodes: self.budget.total_nodes(),
            elapsed: self.budget.elapsed(),
            reason,
            context_free: self.path.is_context_free(),
            alternatives: lines.iter().skip(1).map(variation).collect(),
        }
    }
}
