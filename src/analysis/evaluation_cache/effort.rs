//! The effort behind an analysis, and the limits that it satisfies.

use std::time::Duration;

use crate::analysis::answer::CompletionReason;
use crate::engine::{Limits, Report, StopReason};
use crate::store::StoredEffort;

/// The effort of a search with these limits.
///
/// A search that a limit ended covers the whole limit, because the engine checks clock and node
/// count only at intervals. A search that found nothing deeper covers all its limits and any time.
/// A stopped search covers no time.
pub(super) fn of_search(report: &Report, limits: &Limits) -> StoredEffort {
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
    StoredEffort {
        nodes: nodes.unwrap_or(0).max(report.nodes),
        time,
        depth: limits.depth.filter(|_| by_depth).unwrap_or(0).max(report.depth),
    }
}

/// The first requested limit that the effort satisfies.
pub(super) fn satisfied_limit(effort: &StoredEffort, limits: &Limits) -> Option<CompletionReason> {
    let depth =
        limits.depth.filter(|&depth| effort.depth >= depth).map(|_| CompletionReason::Depth);
    let nodes =
        limits.nodes.filter(|&nodes| effort.nodes >= nodes).map(|_| CompletionReason::Nodes);
    let time = limits.movetime.filter(|&time| effort.time >= time).map(|_| CompletionReason::Time);
    depth.or(nodes).or(time)
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
        let effort = of_search(&report(9, 5_000), &DEPTH_9);
        assert_eq!(satisfied_limit(&effort, &DEPTH_9), Some(CompletionReason::Depth));
        assert_eq!(satisfied_limit(&effort, &Limits { depth: Some(10), ..DEPTH_9 }), None);
        let nodes = Limits { depth: Some(10), nodes: Some(5_000), ..Limits::default() };
        assert_eq!(satisfied_limit(&effort, &nodes), Some(CompletionReason::Nodes));
        assert_eq!(satisfied_limit(&effort, &Limits { nodes: Some(5_001), ..nodes }), None);
    }

    #[test]
    fn a_search_that_used_its_time_covers_its_full_movetime() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Time;
        report.elapsed = Duration::from_micros(999_400);
        assert_eq!(
            satisfied_limit(&of_search(&report, &SECOND), &SECOND),
            Some(CompletionReason::Time)
        );
        let longer = Limits { movetime: Some(Duration::from_millis(1001)), ..SECOND };
        assert_eq!(satisfied_limit(&of_search(&report, &SECOND), &longer), None);
    }

    #[test]
    fn a_stopped_search_covers_no_movetime() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Stopped;
        report.elapsed = Duration::from_secs(60);
        let effort =
            of_search(&report, &Limits { movetime: Some(Duration::from_secs(90)), ..SECOND });
        assert_eq!(satisfied_limit(&effort, &SECOND), None);
        assert_eq!(
            satisfied_limit(&effort, &Limits { depth: Some(12), ..SECOND }),
            Some(CompletionReason::Depth)
        );
    }

    #[test]
    fn an_exhausted_search_covers_its_own_limits_and_any_movetime() {
        let mut report = report(5, 400);
        report.elapsed = Duration::from_millis(1);
        let nodes = Limits { nodes: Some(1_000_000), ..Limits::default() };
        let effort = of_search(&report, &nodes);
        assert_eq!(satisfied_limit(&effort, &nodes), Some(CompletionReason::Nodes));
        assert_eq!(satisfied_limit(&effort, &SECOND), Some(CompletionReason::Time));
        assert_eq!(satisfied_limit(&effort, &DEPTH_9), None);

        let deep = Limits { depth: Some(40), ..DEPTH_9 };
        let effort = of_search(&report, &deep);
        assert_eq!(satisfied_limit(&effort, &deep), Some(CompletionReason::Depth));
        assert_eq!(satisfied_limit(&effort, &nodes), None);
    }

    #[test]
    fn a_depth_limited_search_covers_its_elapsed_time() {
        let report = report(9, 400_000);
        let effort = of_search(&report, &DEPTH_9);
        assert_eq!(satisfied_limit(&effort, &SECOND), None);
        let shorter = Limits { movetime: Some(report.elapsed), ..SECOND };
        assert_eq!(satisfied_limit(&effort, &shorter), Some(CompletionReason::Time));
    }
}
