//! The check of reports from other nodes: nothing about them is taken on trust.

use std::collections::HashSet;

use crate::chess::{Move, Position};
use crate::engine::{Report, Score, StopReason};

/// The most plies of the lines of a report.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaxPlies {
    /// Of the best line.
    pub(super) best: usize,
    /// Of each other line.
    pub(super) others: usize,
}

/// `true` for a report that a search of this position can have: the game is not over, no two lines
/// have the same first move, and each line has at least one move, at most so many, and only legal
/// ones.
pub(super) fn is_possible(report: &Report, position: &Position, max_plies: MaxPlies) -> bool {
    let Report { alternatives, reason, .. } = report;
    let mut scores = alternatives.iter().map(|line| line.score).chain([report.score]);
    let first_moves: HashSet<Option<&Move>> =
        alternatives.iter().map(|line| line.pv.first()).chain([report.pv.first()]).collect();
    let is_line = |line: &[Move], max_plies: usize| {
        (1..=max_plies).contains(&line.len()) && position.is_legal_line(line)
    };
    *reason != StopReason::Terminal
        && scores.all(|score| score != Score::Mate(0))
        && first_moves.len() == alternatives.len() + 1
        && is_line(&report.pv, max_plies.best)
        && alternatives.iter().all(|line| is_line(&line.pv, max_plies.others))
}
