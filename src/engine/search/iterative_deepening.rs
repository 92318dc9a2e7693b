//! Iterative deepening: depth after depth from the root, with aspiration windows around the last
//! score.
//!
//! Chess Programming Wiki, "Iterative Deepening", "Aspiration Windows".

use super::node::{Node, Root};
use super::root_move::RootMove;
use super::worker::SearchWorker;
use crate::chess::Position;
use crate::engine::evaluator::Evaluator;
use crate::engine::limits::Limits;
use crate::engine::params;
use crate::engine::pv::PvLine;
use crate::engine::report::{Report, StopReason};
use crate::engine::score::{INFINITE, MAX_PLY, Value, is_decisive};
use crate::engine::smp::ThreadResult;
use crate::engine::time::{IterationStats, TimeManager};

/// The largest depth of an iteration.
pub(in crate::engine) const MAX_DEPTH: u8 = (MAX_PLY - 40) as u8;

/// The depth from which an iteration begins with a narrow window.
const ASPIRATION_MIN_DEPTH: i32 = 4;

/// When a search fails with a half-width above this, the side of the window that failed opens
/// completely.
const MAX_ASPIRATION_WIDTH: Value = 1200;

/// The goal of a thread's iterative deepening.
#[derive(Clone, Copy)]
pub(in crate::engine) struct DeepeningGoal {
    pub(super) depth: u8,
    /// The number of nodes after which no iteration begins.
    pub(super) soft_node_limit: u64,
    /// A settled mate ends the search.
    pub(super) stops_at_settled_mate: bool,
    /// The number of best moves that get a line.
    pub(super) multipv: usize,
    /// The limits of a move in a game with a clock.
    pub(super) time_manager: Option<TimeManager>,
    /// The depth at which a helper ends the whole search.
    pub(super) target_depth: Option<u8>,
}

impl DeepeningGoal {
    /// A goal of one line at a depth.
    pub(super) const fn at_depth(depth: u8) -> DeepeningGoal {
        DeepeningGoal {
            depth,
            soft_node_limit: u64::MAX,
            stops_at_settled_mate: false,
            multipv: 1,
            time_manager: None,
            target_depth: None,
        }
    }

    /// The goal of a helper, which deepens until it is stopped. Whichever thread first completes
    /// the depth ends the search, except with several lines, which only the main thread searches.
    pub(in crate::engine) fn for_helper(self) -> DeepeningGoal {
        let target_depth = (self.multipv == 1).then_some(self.depth);
        DeepeningGoal {
            depth: MAX_DEPTH,
            stops_at_settled_mate: false,
            time_manager: None,
            target_depth,
            ..self
        }
    }

    /// The goal of the main thread.
    pub(in crate::engine) fn new(
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

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Deepens towards a goal, and reports every completed iteration.
    pub(in crate::engine) fn iterative_deepening(
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
            let is_complete = self.search_iteration(&mut positions, goal.multipv);
            let last_best = result.lines.first().map(|line| line.moves[0]);
            self.collect_lines(root, goal.multipv, &mut result);
            if !is_complete {
                break;
            }
            self.budget.allow_stop();
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
                forced: self.first_rank_end() == 1,
            };
            average = Some(average.map_or(best.value, |average| (2 * average + best.value) / 3));
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

    /// Searches one depth, for each of the best lines in turn. Returns `false` when the budget
    /// ended it.
    fn search_iteration(&mut self, positions: &mut [Position], multipv: usize) -> bool {
        let multipv = multipv.min(self.root_moves.len());
        for root_move in &mut self.root_moves {
            root_move.raised_alpha = false;
            root_move.value = -INFINITE;
        }
        for index in 0..multipv {
            self.pv_index = index;
            let rank = self.root_moves[index].rank;
            self.rank_end = self.root_moves.partition_point(|root_move| root_move.rank >= rank);
            self.aspiration_search(positions);
            self.root_moves[..=index].sort_by_key(|root_move| {
                std::cmp::Reverse((root_move.rank, root_move.value, root_move.previous_value))
            });
            if self.budget.is_stopped() {
                return false;
            }
        }
        self.pv_index = 0;
        true
    }

    /// The number of root moves with the best rank.
    fn first_rank_end(&self) -> usize {
        self.root_moves.partition_point(|root_move| root_move.rank >= self.root_moves[0].rank)
    }

    /// Searches with a window around the expected value, and widens it until the value is inside or
    /// the budget is spent.
    fn aspiration_search(&mut self, positions: &mut [Position]) {
        let pv_index = self.pv_index;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = params::aspiration_width();
        if let Some(average) = self.root_moves[pv_index].average_value
            && params::aspiration_on() != 0
            && self.root_depth >= ASPIRATION_MIN_DEPTH
            && !is_decisive(average)
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
            // The stable sort keeps the order of moves without a value.
            self.root_moves[pv_index..self.rank_end]
                .sort_by_key(|root_move| std::cmp::Reverse(root_move.value));
            if self.budget.is_stopped() {
                return;
            }
            if value <= alpha {
                // The value is at most the old alpha, which the new window includes.
                beta = alpha + 1;
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
                fail_high_count += i32::from(!is_decisive(value));
            } else {
                return;
            }
            width += width / 2;
        }
    }

    /// Adds the verified lines of the iteration to the result.
    fn collect_lines(&mut self, root: &Position, multipv: usize, result: &mut ThreadResult) {
        // An interrupted iteration counts only if its first move has a value that raised alpha. A
        // move that failed high is better than the best move before, by an unknown amount.
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
}
