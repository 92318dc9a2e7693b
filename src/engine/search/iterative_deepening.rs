//! Iterative deepening: depth after depth from the root, with aspiration windows around the last
//! score.
//!
//! Chess Programming Wiki, "Iterative Deepening", "Aspiration Windows".

use super::evaluator::Evaluator;
use super::mate_search::{MAX_MATE, MateSolver};
use super::node::{Node, Root};
use super::params;
use super::pv_check::PvLine;
use super::root_move::RootMove;
use super::score::{INFINITE, MAX_PLY, Value, is_mate, mate_in};
use super::search::SearchWorker;
use super::time_management::{IterationStats, TimeManager};
use super::wdl::{ReportedScore, WdlModel};
use super::{Limits, Report, StopReason, Variation};
use crate::chess::{Move, Position};

/// The greatest depth of an iteration.
pub(super) const MAX_DEPTH: u8 = (MAX_PLY - 40) as u8;

/// From this depth on an iteration begins with a narrow window.
const ASPIRATION_MIN_DEPTH: i32 = 4;

/// Beyond this width a window is opened at once.
const MAX_ASPIRATION_WIDTH: Value = 1200;

/// Before a mate is proved, the ordinary search looks this deep, and begins no iteration after so
/// many nodes.
const PRELIMINARY_DEPTH: u8 = 8;
const PRELIMINARY_NODES: u64 = 20_000;

/// Where no mate was found, the ordinary search says what the position is worth at this depth.
const NO_MATE_DEPTH: u8 = 10;

/// How far to deepen.
#[derive(Clone, Copy)]
pub(super) struct DeepeningGoal {
    depth: u8,
    /// No iteration begins once so many nodes were searched.
    soft_node_limit: u64,
    /// A mate that has stood the test of enough depth ends the search.
    stops_at_settled_mate: bool,
    /// How many of the best moves get a line.
    multipv: usize,
    /// The time that a player gives the move.
    time_manager: Option<TimeManager>,
    /// A helper's: once it has finished this depth, the whole search is done.
    target_depth: Option<u8>,
}

impl DeepeningGoal {
    /// To a depth, for the best line alone.
    const fn at_depth(depth: u8) -> DeepeningGoal {
        DeepeningGoal {
            depth,
            soft_node_limit: u64::MAX,
            stops_at_settled_mate: false,
            multipv: 1,
            time_manager: None,
            target_depth: None,
        }
    }

    /// The same for a helper: it deepens until it is told to stop. Whichever thread comes to the
    /// depth first answers, but for several lines, which are the first thread's alone.
    pub(super) fn for_helper(self) -> DeepeningGoal {
        let target_depth = (self.multipv == 1).then_some(self.depth);
        DeepeningGoal {
            depth: MAX_DEPTH,
            stops_at_settled_mate: false,
            time_manager: None,
            target_depth,
            ..self
        }
    }

    /// What limits ask for: depth, and so many lines.
    pub(super) fn new(
        limits: &Limits,
        multipv: usize,
        time_manager: Option<TimeManager>,
    ) -> DeepeningGoal {
        let depth = limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        DeepeningGoal {
            stops_at_settled_mate: limits.depth.is_none(),
            multipv,
            time_manager,
            ..DeepeningGoal::at_depth(depth)
        }
    }
}

/// What a thread's deepening has come to.
#[derive(Clone, Default)]
pub(super) struct ThreadResult {
    /// The best lines that can be vouched for, best first. Empty when the budget ended before there
    /// was one.
    pub(super) lines: Vec<PvLine>,
    /// The last finished depth.
    pub(super) depth: u8,
    /// The deepest ply reached.
    pub(super) seldepth: usize,
    /// The game's history or the 50-move rule had a part in it.
    pub(super) depends_on_game_history: bool,
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// The whole search under its limits. With helpers, their findings come from `join` once the
    /// first thread is done.
    pub(super) fn run(
        &mut self,
        root: &Position,
        limits: &Limits,
        goal: DeepeningGoal,
        join: &mut dyn FnMut() -> Vec<ThreadResult>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        if let Some(moves) = limits.mate {
            return self.run_mate_search(root, moves, limits, on_update);
        }
        let mut result = self.iterative_deepening(root, goal, on_update);
        let helper_results = join();
        for helper in &helper_results {
            self.seldepth = self.seldepth.max(helper.seldepth);
            self.position_history.note_game_history_dependence(helper.depends_on_game_history);
        }
        let voters: &[ThreadResult] = if goal.multipv == 1 { &helper_results } else { &[] };
        let depth_reached = voters.iter().chain([&result]).any(|thread| thread.depth >= goal.depth);
        let (reason, min_depth) = match self.budget.stop_reason() {
            // Who asked for a depth gets it, whoever answers.
            _ if depth_reached => (StopReason::Depth, goal.depth),
            // A helper came to the depth and was lost with what it had found.
            Some(StopReason::Depth) => (StopReason::Stopped, 0),
            Some(reason) => (reason, 0),
            None => (StopReason::Depth, result.depth),
        };
        if goal.multipv == 1 {
            result = super::best_thread::select_best_thread(result, helper_results, min_depth);
        }
        let lines =
            if result.lines.is_empty() { vec![self.fallback_line(root)] } else { result.lines };
        self.build_report(root, &lines, result.depth, reason)
    }

    /// Proves the shortest mate in at most so many moves. Where there is none the ordinary search
    /// says what the position is worth.
    fn run_mate_search(
        &mut self,
        root: &Position,
        moves: u8,
        limits: &Limits,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let max_moves = moves.min(MAX_MATE).min(depth.div_ceil(2));
        // Something to say when the budget ends in the middle of the proof; it must not eat up the
        // proof's own share.
        let preliminary_goal = DeepeningGoal {
            soft_node_limit: limits
                .nodes
                .map_or(PRELIMINARY_NODES, |nodes| (nodes / 8).min(PRELIMINARY_NODES)),
            ..DeepeningGoal::at_depth(depth.min(PRELIMINARY_DEPTH))
        };
        let mut preliminary = self.iterative_deepening(root, preliminary_goal, on_update);
        if preliminary.lines.is_empty() {
            preliminary.lines.push(self.fallback_line(root));
        }
        let allowed: Vec<Move> = self.root_moves.iter().map(|root_move| root_move.mv).collect();
        let searches_all_moves = self.searches_all_root_moves;
        let mut solver = MateSolver::new(&mut self.budget, &mut self.position_history);
        let mut prove = |moves| {
            if searches_all_moves {
                solver.prove(root, moves)
            } else {
                solver.prove_with_root_moves(root, moves, &allowed)
            }
        };
        let proof = (1..=max_moves).find_map(|moves| prove(moves).map(|proof| (moves, proof)));
        if let Some((moves, proof)) = proof {
            let plies = proof.len();
            self.seldepth = self.seldepth.max(plies);
            let line = PvLine { value: mate_in(plies), moves: proof };
            return self.build_report(root, &[line], 2 * moves - 1, StopReason::Mate);
        }
        if let Some(reason) = self.budget.stop_reason() {
            return self.build_report(root, &preliminary.lines, preliminary.depth, reason);
        }
        // The question is answered; the ordinary score may take what is left of the budget.
        let mut on_deeper_update = |report: &Report| {
            if report.depth > preliminary.depth {
                on_update(report);
            }
        };
        let deeper = self.iterative_deepening(
            root,
            DeepeningGoal::at_depth(depth.min(NO_MATE_DEPTH)),
            &mut on_deeper_update,
        );
        let best = if deeper.lines.is_empty() || deeper.depth < preliminary.depth {
            preliminary
        } else {
            deeper
        };
        self.build_report(root, &best.lines, best.depth, StopReason::Depth)
    }

    /// What there is to say when not even one move was searched to its end: the first move in
    /// order, and the static evaluation.
    fn fallback_line(&mut self, root: &Position) -> PvLine {
        let value = if root.in_check() { 0 } else { self.evaluator.evaluate(root) };
        PvLine { value, moves: self.root_moves.first().map(|first| first.mv).into_iter().collect() }
    }

    /// Deepens towards a goal, and tells of every finished iteration.
    pub(super) fn iterative_deepening(
        &mut self,
        root: &Position,
        goal: DeepeningGoal,
        on_update: &mut dyn FnMut(&Report),
    ) -> ThreadResult {
        let mut positions = vec![root.clone(); MAX_PLY + 3];
        let mut result = ThreadResult::default();
        let mut stable_iterations = 0;
        let mut average: Option<Value> = None;
        for depth in 1..=goal.depth.min(MAX_DEPTH) {
            if self.budget.is_stopped() {
                break;
            }
            self.root_depth = i32::from(depth);
            for root_move in &mut self.root_moves {
                root_move.previous_value = root_move.value;
            }
            let complete = self.search_iteration(&mut positions, goal.multipv);
            let last_best = result.lines.first().map(|line| line.moves[0]);
            self.collect_lines(root, goal.multipv, &mut result);
            if !complete {
                break;
            }
            self.budget.activate_time_limit();
            result.depth = depth;
            let Some(best) = result.lines.first().cloned() else { continue };
            if goal.target_depth.is_some_and(|target| depth >= target) {
                self.budget.signal_depth_reached();
            }
            on_update(&self.build_report(root, &result.lines, depth, StopReason::Depth));
            stable_iterations =
                if last_best == Some(best.moves[0]) { stable_iterations + 1 } else { 0 };
            let stats = IterationStats {
                stable_iterations,
                value: best.value,
                average: average.unwrap_or(best.value),
                node_share: self.root_moves[0].nodes as f64 / self.budget.nodes().max(1) as f64,
                forced: self.root_moves.len() == 1,
            };
            average = Some(average.map_or(best.value, |before| (2 * before + best.value) / 3));
            if self.budget.total_nodes() >= goal.soft_node_limit
                || (goal.stops_at_settled_mate && best.is_settled_mate(depth))
            {
                break;
            }
            if let Some(time_manager) = goal.time_manager
                && !self.budget.is_pondering()
                && time_manager.should_stop(self.budget.elapsed(), &stats)
            {
                self.budget.stop_for_time();
            }
        }
        result.seldepth = self.seldepth;
        result.depends_on_game_history = !self.position_history.is_history_independent();
        result
    }

    /// One depth, for each of the best lines in turn. `false` when the budget ended it.
    fn search_iteration(&mut self, positions: &mut [Position], multipv: usize) -> bool {
        let multipv = multipv.min(self.root_moves.len());
        for root_move in &mut self.root_moves {
            root_move.raised_alpha = false;
            root_move.value = -INFINITE;
        }
        for index in 0..multipv {
            self.pv_index = index;
            self.aspiration_search(positions);
            self.root_moves[..=index].sort_by_key(|root_move| {
                std::cmp::Reverse((root_move.value, root_move.previous_value))
            });
            if self.budget.is_stopped() {
                return false;
            }
        }
        self.pv_index = 0;
        true
    }

    /// Widens the window around the expected value until the value lies inside, or the budget is
    /// over.
    fn aspiration_search(&mut self, positions: &mut [Position]) {
        let pv_index = self.pv_index;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = params::aspiration_width();
        if let Some(average) = self.root_moves[pv_index].average_value
            && params::aspiration_on() != 0
            && self.root_depth >= ASPIRATION_MIN_DEPTH
            && !is_mate(average)
        {
            width += (i64::from(average) * i64::from(average)
                / i64::from(params::aspiration_square())) as Value;
            alpha = (average - width).max(-INFINITE);
            beta = (average + width).min(INFINITE);
        }
        let mut fail_high_count = 0;
        loop {
            let depth = (self.root_depth - fail_high_count).max(1);
            let node = Node { alpha, beta, depth, ply: 0, cut_node: false };
            self.root_delta = beta - alpha;
            let value = self.search_node::<Root>(positions, node).value;
            // Stable: moves without a value of their own keep their order.
            self.root_moves[pv_index..].sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
            if self.budget.is_stopped() {
                return;
            }
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = if width > MAX_ASPIRATION_WIDTH {
                    -INFINITE
                } else {
                    (value - width).max(-INFINITE)
                };
                fail_high_count = 0;
            } else if value >= beta {
                beta = if width > MAX_ASPIRATION_WIDTH {
                    INFINITE
                } else {
                    (value + width).min(INFINITE)
                };
                fail_high_count += i32::from(!is_mate(value));
            } else {
                return;
            }
            width += width / 2;
        }
    }

    /// Takes over what the iteration has found, as far as it can be vouched for.
    fn collect_lines(&mut self, root: &Position, multipv: usize, result: &mut ThreadResult) {
        // Cut off in the middle, an iteration has something to say only once its first move has a
        // value that counts. One that has failed high is better than what was best before, however
        // much.
        let searched = self
            .root_moves
            .iter()
            .take(multipv)
            .take_while(|root_move| root_move.value > -INFINITE);
        let new_lines: Vec<PvLine> = searched
            .take_while(|root_move| root_move.raised_alpha || !self.budget.is_stopped())
            .map(RootMove::pv_line)
            .collect();
        let mut collected: Vec<PvLine> = Vec::with_capacity(multipv);
        for line in new_lines {
            let last =
                result.lines.iter().find(|last| last.moves.first() == line.moves.first()).cloned();
            collected.extend(self.verify_pv(root, line).or(last));
        }
        for last in &result.lines {
            if collected.len() < result.lines.len()
                && collected.iter().all(|line| line.moves.first() != last.moves.first())
            {
                collected.push(last.clone());
            }
        }
        if !collected.is_empty() {
            result.lines = collected;
        }
    }

    /// What is known after an iteration. There is at least one line.
    pub(super) fn build_report(
        &self,
        root: &Position,
        lines: &[PvLine],
        depth: u8,
        reason: StopReason,
    ) -> Report {
        let model = WdlModel::for_position(root);
        let best = lines.first();
        let ReportedScore { score, wdl, raw_score } =
            model.reported_score(best.map_or(0, |line| line.value));
        let variation = |line: &PvLine| {
            let ReportedScore { score, wdl, .. } = model.reported_score(line.value);
            Variation { score, wdl, pv: line.moves.clone() }
        };
        Report {
            score,
            wdl,
            raw_score: Some(raw_score),
            pv: best.map(|line| line.moves.clone()).unwrap_or_default(),
            depth,
            seldepth: self.seldepth as u8,
            nodes: self.budget.total_nodes(),
            elapsed: self.budget.elapsed(),
            reason,
            history_independent: self.position_history.is_history_independent(),
            alternatives: lines.iter().skip(1).map(variation).collect(),
        }
    }
}
