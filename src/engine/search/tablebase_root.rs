//! Tablebases at the root: the search chooses among the moves with the best outcome, and a won or
//! lost line goes on to its end.

use std::time::Duration;

use super::repetition::FIFTY_MOVES;
use super::root_move::RootMove;
use super::worker::SearchWorker;
use crate::chess::{Game, Move, Position};
use crate::engine::evaluator::Evaluator;
use crate::engine::pv::PvLine;
use crate::engine::score::{RawScore, Score, TB_WIN_CENTIPAWNS, is_mate, is_tablebase_win};
use crate::engine::tablebase_options::{SearchTablebase, TablebaseOptions};
use crate::engine::wdl::{ReportedScore, Wdl};
use crate::tablebase::{RootOutcome, RootRanking};

/// The most plies of a line that is continued by tables.
const MAX_LINE: usize = 200;

/// The time for the continuation of a line after a search without a time limit. Only slow disks
/// need it.
const MAX_TIME: Duration = Duration::from_secs(1);

/// The same after a search with a time limit.
const MAX_TIME_AFTER_DEADLINE: Duration = Duration::from_millis(20);

/// Ranks the root moves by the tables. `None` where the tables do not know the root.
pub(in crate::engine) fn rank_root_moves(
    root_moves: &mut [RootMove],
    game: &Game,
    tables: SearchTablebase<'_>,
) -> Option<RootRanking> {
    if !tables.options.may_know(game.position()) {
        return None;
    }
    let moves: Vec<Move> = root_moves.iter().map(|root_move| root_move.mv).collect();
    let TablebaseOptions { tables: probed, fifty_move_rule, .. } = tables.options;
    let ranking = probed.rank_root(game, &moves, *fifty_move_rule)?;
    tables.count_hits(moves.len());
    for root_move in root_moves.iter_mut() {
        let ranked = ranking.moves.iter().find(|ranked| ranked.mv == root_move.mv);
        root_move.rank = ranked.map_or(0, |ranked| ranked.rank);
        root_move.outcome = ranked.map(|ranked| ranked.outcome);
    }
    root_moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.rank));
    Some(ranking)
}

/// The reported scores of a ranked root move. A mate that the search found is more precise than a
/// table.
pub(super) fn score_of_outcome(outcome: RootOutcome, found: ReportedScore) -> ReportedScore {
    let (centipawns, wdl) = match (outcome, found.score) {
        (RootOutcome::Win, Score::Mate(1..)) | (RootOutcome::Loss, Score::Mate(..=0)) => {
            return found;
        }
        (RootOutcome::Win, _) => (TB_WIN_CENTIPAWNS, Wdl::WON),
        (RootOutcome::CursedWin, _) => (1, Wdl::DRAWN),
        (RootOutcome::Draw, _) => (0, Wdl::DRAWN),
        (RootOutcome::BlessedLoss, _) => (-1, Wdl::DRAWN),
        (RootOutcome::Loss, _) => (-TB_WIN_CENTIPAWNS, Wdl::LOST),
    };
    ReportedScore { score: Score::Cp(centipawns), wdl, raw_score: RawScore::Cp(centipawns) }
}

impl<E: Evaluator> SearchWorker<'_, E> {
    /// Continues a line that is won or lost by tablebase to its end, with the moves of the tables.
    /// The line keeps its moves up to the first position that the tables know.
    pub(super) fn complete_tablebase_line(&self, root: &Position, line: &mut PvLine) {
        let Some(tables) = self.tablebase.map(|tables| tables.options) else { return };
        let is_won_or_lost = match self.outcome_of(line) {
            Some(outcome) => {
                matches!(outcome, RootOutcome::Win | RootOutcome::Loss) && !is_mate(line.value)
            }
            None => is_tablebase_win(line.value),
        };
        if !is_won_or_lost {
            return;
        }
        let Some((length, mut position)) = first_known(root, &line.moves, tables) else { return };
        let mut completed = line.moves[..length].to_vec();
        let start = self.budget.elapsed();
        let has_deadline = self.budget.has_deadline();
        let max_time = if has_deadline { MAX_TIME_AFTER_DEADLINE } else { MAX_TIME };
        while completed.len() < MAX_LINE
            && position.halfmove_clock() < FIFTY_MOVES
            && self.budget.elapsed().saturating_sub(start) < max_time
            && !self.budget.stop_flag().is_stopped()
        {
            let Ok(Some(best)) = tables.tables.best_move(&position) else { break };
            position.play(best.mv);
            completed.push(best.mv);
        }
        // Without distances the line of the search is longer.
        if completed.len() > length {
            line.moves = completed;
        }
    }

    /// The line of a root whose outcome and best move the tables know for certain: a single move
    /// keeps a draw. `None` where the search has something to choose or a mate to find.
    pub(super) fn line_without_search(&self, multipv: usize) -> Option<PvLine> {
        let first = self.root_moves.first()?;
        let is_single = self.root_moves.get(1).is_none_or(|second| second.rank < first.rank);
        let is_draw = matches!(
            first.outcome?,
            RootOutcome::BlessedLoss | RootOutcome::Draw | RootOutcome::CursedWin
        );
        (is_single && is_draw && multipv.min(self.root_moves.len()) == 1)
            .then(|| PvLine { value: 0, moves: vec![first.mv] })
    }

    /// The outcome of a line's first move by the tables.
    pub(super) fn outcome_of(&self, line: &PvLine) -> Option<RootOutcome> {
        let first = line.moves.first()?;
        self.root_moves.iter().find(|root_move| root_move.mv == *first)?.outcome
    }
}

/// The first position after at least one move of a line that the tables know, and its ply.
fn first_known(
    root: &Position,
    moves: &[Move],
    tables: &TablebaseOptions,
) -> Option<(usize, Position)> {
    let mut position = root.clone();
    for (index, &mv) in moves.iter().enumerate() {
        position.play(mv);
        if tables.may_know(&position) {
            return Some((index + 1, position));
        }
    }
    None
}
