//! What an analysis is good for: which questions it answers.

use std::time::Duration;

use super::answer::Reason;
use crate::engine::{Limits, Report, StopReason};
use crate::store::Spent;

/// What went into an analysis, in the terms that questions are asked in.
///
/// A search that came to its own end stands for all of the limit that ended it: clock and node
/// count are looked at every so often only. And one that ended because there was nothing deeper to
/// find stands for all the limits it was given, and for any length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    nodes: u64,
    /// What of `movetime` it stands for: zero when it was stopped before its end.
    time: Duration,
    /// What of `depth` it stands for.
    depth: u8,
    reached: u8,
}

impl Effort {
    /// Of a search with these limits.
    pub(super) fn of(report: &Report, limits: &Limits) -> Effort {
        let ended_by = |reason| report.reason == reason;
        let by_depth = ended_by(StopReason::Depth);
        let exhausted = by_depth && limits.depth.is_none_or(|asked| report.depth < asked);
        let nodes = limits.nodes.filter(|_| exhausted || ended_by(StopReason::Nodes));
        let time = match limits.movetime {
            _ if exhausted => Duration::MAX,
            _ if ended_by(StopReason::Stopped) => Duration::ZERO,
            Some(granted) if ended_by(StopReason::Time) => granted.max(report.elapsed),
            _ => report.elapsed,
        };
        Effort {
            nodes: nodes.unwrap_or(0).max(report.nodes),
            time,
            depth: limits.depth.filter(|_| by_depth).unwrap_or(0).max(report.depth),
            reached: report.depth,
        }
    }

    /// As the store keeps it; what was reached stands in the report.
    pub(super) fn spent(&self) -> Spent {
        Spent { nodes: self.nodes, time: self.time, depth: self.depth }
    }

    /// As the store has kept it, of a search that reached this depth.
    pub(super) fn from_spent(spent: Spent, reached: u8) -> Effort {
        let Spent { nodes, time, depth } = spent;
        Effort { nodes, time, depth, reached }
    }

    /// The first asked limit that this is enough for.
    pub(super) fn satisfies(&self, asked: &Limits) -> Option<Reason> {
        let depth = asked.depth.filter(|&depth| self.depth >= depth).map(|_| Reason::Depth);
        let nodes = asked.nodes.filter(|&nodes| self.nodes >= nodes).map(|_| Reason::Nodes);
        let time = asked.movetime.filter(|&time| self.time >= time).map(|_| Reason::Time);
        depth.or(nodes).or(time)
    }

    /// How deep it got: the last finished iteration, in plies.
    pub(super) fn reached(&self) -> u8 {
        self.reached
    }

    /// Notes that another search of the same position took this long and found nothing deeper:
    /// whoever asks for that time is best served with what is known.
    pub(super) fn outlasts(&mut self, shallower: &Effort) {
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
    fn any_one_of_the_asked_limits_is_enough() {
        let effort = Effort::of(&report(9, 5_000), &DEPTH_9);
        assert_eq!(effort.satisfies(&DEPTH_9), Some(Reason::Depth));
        assert_eq!(effort.satisfies(&Limits { depth: Some(10), ..DEPTH_9 }), None);
        let nodes = Limits { depth: Some(10), nodes: Some(5_000), ..Limits::default() };
        assert_eq!(effort.satisfies(&nodes), Some(Reason::Nodes));
        assert_eq!(effort.satisfies(&Limits { nodes: Some(5_001), ..nodes }), None);
    }

    #[test]
    fn a_search_to_the_end_of_its_time_stands_for_all_of_it() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Time;
        report.elapsed = Duration::from_micros(999_400);
        assert_eq!(Effort::of(&report, &SECOND).satisfies(&SECOND), Some(Reason::Time));
        let longer = Limits { movetime: Some(Duration::from_millis(1001)), ..SECOND };
        assert_eq!(Effort::of(&report, &SECOND).satisfies(&longer), None);
    }

    #[test]
    fn a_stopped_search_stands_for_no_time() {
        let mut report = report(12, 90_000);
        report.reason = StopReason::Stopped;
        report.elapsed = Duration::from_secs(60);
        let effort =
            Effort::of(&report, &Limits { movetime: Some(Duration::from_secs(90)), ..SECOND });
        assert_eq!(effort.satisfies(&SECOND), None);
        assert_eq!(effort.satisfies(&Limits { depth: Some(12), ..SECOND }), Some(Reason::Depth));
    }

    #[test]
    fn a_search_with_nothing_deeper_to_find_answers_its_own_question_and_any_time() {
        let mut report = report(5, 400);
        report.elapsed = Duration::from_millis(1);
        let nodes = Limits { nodes: Some(1_000_000), ..Limits::default() };
        let effort = Effort::of(&report, &nodes);
        assert_eq!(effort.satisfies(&nodes), Some(Reason::Nodes));
        assert_eq!(effort.satisfies(&SECOND), Some(Reason::Time));
        assert_eq!(effort.satisfies(&DEPTH_9), None);

        let deep = Limits { depth: Some(40), ..DEPTH_9 };
        let effort = Effort::of(&report, &deep);
        assert_eq!(effort.satisfies(&deep), Some(Reason::Depth));
        assert_eq!(effort.satisfies(&nodes), None);
        assert_eq!(effort.reached(), 5);
    }

    #[test]
    fn a_search_to_its_depth_stands_for_the_time_it_took() {
        let report = report(9, 400_000);
        let effort = Effort::of(&report, &DEPTH_9);
        assert_eq!(effort.satisfies(&SECOND), None);
        let shorter = Limits { movetime: Some(report.elapsed), ..SECOND };
        assert_eq!(effort.satisfies(&shorter), Some(Reason::Time));
    }
}
