//! What an analysis is good for: which questions it answers.

use std::time::Duration;

use super::answer::CompletionReason;
use crate::engine::{Limits, Report, StopReason};
use crate::store::StoredEffort;

/// What went into an analysis, in the terms that questions are asked in.
///
/// A search that came to its own end stands for all of the limit that ended it: clock and node
/// count are looked at every so often only. And one that ended because there was nothing deeper to
/// find stands for all the limits it was given, and for any length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchEffort {
    nodes: u64,
    /// What of `movetime` it stands for: zero when it was stopped before its end.
    time: Duration,
    /// What of `depth` it stands for.
    depth: u8,
    reached_depth: u8,
}

impl SearchEffort {
    /// Of a search with these limits.
    pub(super) fn of(report: &Report, limits: &Limits) -> SearchEffort {
        let ended_by = |reason| report.reason == reason;
        let by_depth = ended_by(StopReason::Depth);
        let exhausted = by_depth && limits.depth.is_none_or(|requested| report.depth < requested);
        let nodes = limits.nodes.filter(|_| exhausted || ended_by(StopReason::Nodes));
        let time = match limits.movetime {
            _ if exhausted => Duration::MAX,
            _ if ended_by(StopReason::Stopped) => Duration::ZERO,
            Some(granted) if ended_by(StopReason::Time) => granted.max(report.elapsed),
            _ => report.elapsed,
        };
        SearchEffort {
            nodes: nodes.unwrap_or(0).max(report.nodes),
            time,
            depth: limits.depth.filter(|_| by_depth).unwrap_or(0).max(report.depth),
            reached_depth: report.depth,
        }
    }

    /// As the store keeps it; what was reached stands in the report.
    pub(super) fn stored_form(&self) -> StoredEffort {
        StoredEffort { nodes: self.nodes, time: self.time, depth: self.depth }
    }

    /// As the store has kept it, of a search that reached this depth.
    pub(super) fn from_stored(stored: StoredEffort, reached_depth: u8) -> SearchEffort {
        let StoredEffort { nodes, time, depth } = stored;
        SearchEffort { nodes, time, depth, reached_depth }
    }

    /// The first asked limit that this is enough for.
    pub(super) fn satisfied_limit(&self, limits: &Limits) -> Option<CompletionReason> {
        let depth =
            limits.depth.filter(|&depth| self.depth >= depth).map(|_| CompletionReason::Depth);
        let nodes =
            limits.nodes.filter(|&nodes| self.nodes >= nodes).map(|_| CompletionReason::Nodes);
        let time =
            limits.movetime.filter(|&time| self.time >= time).map(|_| CompletionReason::Time);
        depth.or(nodes).or(time)
    }

    /// How deep it got: the last finished iteration, in plies.
    pub(super) fn reached_depth(&self) -> u8 {
        self.reached_depth
    }

    /// Notes that another search of the same position took this long and found nothing deeper:
    /// whoever asks for that time is best served with what is known.
    pub(super) fn extend_time_to(&mut self, shallower: &SearchEffort) {
        self.time = self.time.max(shallower.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::report;

    const DEPTH_9: Limits =
        Limits { depth: Some(9), nodes: None, movetime: None, mate: None, clock: None };
    const SECOND: Limits = Limits {
        depth: None,
        nodes: None,
        movetime: Some(Duration::from_secs(1)),
        mate: None,
        clock: None,
    };

    #[test]
    fn any_one_of_the_requested_limits_suffices() {
        let effort = SearchEffort::of(&report(9, 5_000), &DEPTH_9);
        assert_eq!(effort.satisfied_limit(&DEPTH_9), Some(CompletionReason::Depth));
        assert_eq!(effort.satisfied_limit(&Limits { depth: Some(10), ..DEPTH_9 }), None);
        let nodes = Limits { depth: Some(10), nodes: Some(5_000), ..Limits::default() };
        assert_eq!(effort.satisfied_limit(&nodes), Some(CompletionReason::Nodes));
        assert_eq!(effort.satisfied_limit(&Limits { nodes: Some(5_001), ..nodes }), None);
    }

    #[test]
    fn a_search_that_used_its_time_covers_its_full_movetime() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Time;
        report.elapsed = Duration::from_micros(999_400);
        assert_eq!(
            SearchEffort::of(&report, &SECOND).satisfied_limit(&SECOND),
            Some(CompletionReason::Time)
        );
        let longer = Limits { movetime: Some(Duration::from_millis(1001)), ..SECOND };
        assert_eq!(SearchEffort::of(&report, &SECOND).satisfied_limit(&longer), None);
    }

    #[test]
    fn a_stopped_search_covers_no_movetime() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Stopped;
        report.elapsed = Duration::from_secs(60);
        let effort = SearchEffort::of(
            &report,
            &Limits { movetime: Some(Duration::from_secs(90)), ..SECOND },
        );
        assert_eq!(effort.satisfied_limit(&SECOND), None);
        assert_eq!(
            effort.satisfied_limit(&Limits { depth: Some(12), ..SECOND }),
            Some(CompletionReason::Depth)
        );
    }

    #[test]
    fn an_exhausted_search_covers_its_own_limits_and_any_movetime() {
        let mut report = report(5, 400);
        report.elapsed = Duration::from_millis(1);
        let nodes = Limits { nodes: Some(1_000_000), ..Limits::default() };
        let effort = SearchEffort::of(&report, &nodes);
        assert_eq!(effort.satisfied_limit(&nodes), Some(CompletionReason::Nodes));
        assert_eq!(effort.satisfied_limit(&SECOND), Some(CompletionReason::Time));
        assert_eq!(effort.satisfied_limit(&DEPTH_9), None);

        let deep = Limits { depth: Some(40), ..DEPTH_9 };
        let effort = SearchEffort::of(&report, &deep);
        assert_eq!(effort.satisfied_limit(&deep), Some(CompletionReason::Depth));
        assert_eq!(effort.satisfied_limit(&nodes), None);
        assert_eq!(effort.reached_depth(), 5);
    }

    #[test]
    fn a_depth_limited_search_covers_its_elapsed_time() {
        let report = report(9, 400_000);
        let effort = SearchEffort::of(&report, &DEPTH_9);
        assert_eq!(effort.satisfied_limit(&SECOND), None);
        let shorter = Limits { movetime: Some(report.elapsed), ..SECOND };
        assert_eq!(effort.satisfied_limit(&shorter), Some(CompletionReason::Time));
    }
}
