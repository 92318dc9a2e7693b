//! The whole search of a root under its limits, and its reports.

use super::iterative_deepening::{DeepeningGoal, MAX_DEPTH};
use super::mate_search::{MAX_MATE, MateSolver};
use super::tablebase_root::score_of_outcome;
use super::worker::SearchWorker;
use crate::chess::{Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::limits::Limits;
use crate::engine::pv::PvLine;
use crate::engine::report::{Report, StopReason, Variation};
use crate::engine::score::mate_in;
use crate::engine::smp::{ThreadResult, select_best_thread};
use crate::engine::wdl::{ReportedScore, WdlModel};

/// The depth of the normal search before a mate search.
const PRELIMINARY_DEPTH: u8 = 8;

/// The number of nodes after which that search begins no further iteration.
const PRELIMINARY_NODES: u64 = 20_000;

/// The depth of the normal search when there is no mate.
const NO_MATE_DEPTH: u8 = 10;

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Runs the search of the main thread. After it, `join` stops the helpers and returns their
    /// results.
    pub(in crate::engine) fn run(
        &mut self,
        root: &Position,
        limits: &Limits,
        goal: DeepeningGoal,
        join: &mut dyn FnMut() -> Vec<ThreadResult>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        if let Some(line) = self.line_without_search(goal.multipv) {
            return self.build_report(root, &[line], 1, StopReason::Tablebase);
        }
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
        let is_depth_reached =
            voters.iter().chain([&result]).any(|thread| thread.depth >= goal.depth);
        let (reason, min_depth) = match self.budget.stop_reason() {
            // The requested depth is reported, whichever thread reached it.
            _ if is_depth_reached => (StopReason::Depth, goal.depth),
            // The result of the helper that reached the depth was lost.
            Some(StopReason::Depth) => (StopReason::Stopped, 0),
            Some(reason) => (reason, 0),
            None => (StopReason::Depth, result.depth),
        };
        if goal.multipv == 1 {
            result = select_best_thread(result, helper_results, min_depth);
        }
        let mut lines =
            if result.lines.is_empty() { vec![self.fallback_line(root)] } else { result.lines };
        if reason != StopReason::Stopped {
            // Of the best line alone: the cache does not keep long alternatives.
            self.complete_tablebase_line(root, &mut lines[0]);
        }
        self.build_report(root, &lines, result.depth, reason)
    }

    /// Proves the shortest mate within `moves` moves. Without a mate the normal search provides the
    /// score.
    fn run_mate_search(
        &mut self,
        root: &Position,
        moves: u8,
        limits: &Limits,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        let depth = limits.depth.unwrap_or(MAX_DEPTH);
        let max_moves = moves.min(MAX_MATE).min(depth.div_ceil(2));
        // The preliminary search provides a line when the budget ends during the proof. It must not
        // use up the budget of the proof.
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
        if let Some((moves, proof)) = self.prove_shortest_mate(root, max_moves) {
            let plies = proof.len();
            self.seldepth = self.seldepth.max(plies);
            let line = PvLine { value: mate_in(plies), moves: proof };
            return self.build_report(root, &[line], 2 * moves - 1, StopReason::Mate);
        }
        if let Some(reason) = self.budget.stop_reason() {
            return self.build_report(root, &preliminary.lines, preliminary.depth, reason);
        }
        // There is no mate. The normal search may use the rest of the budget.
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

    /// The length in moves and the line of the shortest mate within `max_moves` moves.
    fn prove_shortest_mate(&mut self, root: &Position, max_moves: u8) -> Option<(u8, Vec<Move>)> {
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
        (1..=max_moves).find_map(|moves| prove(moves).map(|proof| (moves, proof)))
    }

    /// The line of a search that completed no move: the first move in order, with the static
    /// evaluation.
    fn fallback_line(&mut self, root: &Position) -> PvLine {
        let value = if root.in_check() { 0 } else { self.evaluator.evaluate(root) };
        PvLine { value, moves: self.root_moves.first().map(|first| first.mv).into_iter().collect() }
    }

    /// Builds the report of at least one line.
    pub(super) fn build_report(
        &self,
        root: &Position,
        lines: &[PvLine],
        depth: u8,
        reason: StopReason,
    ) -> Report {
        let model = WdlModel::for_position(root);
        let best = lines.first();
        let reported_score = |line: &PvLine| {
            let found = model.reported_score(line.value);
            self.outcome_of(line).map_or(found, |outcome| score_of_outcome(outcome, found))
        };
        let ReportedScore { score, wdl, raw_score } =
            best.map_or_else(|| model.reported_score(0), reported_score);
        let variation = |line: &PvLine| {
            let ReportedScore { score, wdl, .. } = reported_score(line);
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
            tb_hits: self.tablebase.map_or(0, |tables| tables.hits()),
            is_ranked_by_tablebase: self.tablebase.is_some_and(|tables| tables.ranked_root),
            alternatives: lines.iter().skip(1).map(variation).collect(),
        }
    }
}
