//! What the GUI is told of a server's search.

use super::stream_line::{EndLine, InfoLine};
use crate::chess::Position;
use crate::engine::Report;
use crate::uci::backend::Update;

/// Passes on what a server says, and keeps the last of it: the answer when there is no more.
pub(super) struct RemoteInfoReporter<'a> {
    root: &'a Position,
    on_update: &'a mut dyn FnMut(Update<'_>),
    last_report: Option<Report>,
}

impl<'a> RemoteInfoReporter<'a> {
    /// About a search of this position.
    pub(super) fn new(
        root: &'a Position,
        on_update: &'a mut dyn FnMut(Update<'_>),
    ) -> RemoteInfoReporter<'a> {
        RemoteInfoReporter { root, on_update, last_report: None }
    }

    /// Something for people to read.
    pub(super) fn report_note(&mut self, text: &str) {
        (self.on_update)(Update::Note(text.to_owned()));
    }

    /// What is known by now. A search that had to begin again is heard when it is as deep as the
    /// one before it.
    pub(super) fn report_info(&mut self, info: &InfoLine) {
        let Some(report) = info.to_report(self.root) else { return };
        if self.last_report.as_ref().is_none_or(|last| report.depth >= last.depth) {
            (self.on_update)(Update::Progress { report: &report, hash_permille: None });
            self.last_report = Some(report);
        }
    }

    /// The last line: a search that ends within an iteration may have found a better move than it
    /// has told.
    pub(super) fn report_end(&mut self, end: &EndLine) {
        for clamped in &end.clamped {
            self.report_note(&format!(
                "the server gives {} {}, not {}",
                clamped.member, clamped.given, clamped.asked
            ));
        }
        let moves = end.moves(self.root);
        let Some(&best) = moves.first() else { return };
        let report = self.last_report.get_or_insert_with(Report::empty);
        if report.best_move() != Some(best) {
            report.pv = moves;
        }
    }

    /// The last that was heard.
    pub(super) fn take_last_report(&mut self) -> Option<Report> {
        self.last_report.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{CastlingNotation, to_uci};

    fn info(depth: u8, mv: &str) -> InfoLine {
        let line = format!(
            r#"{{"score": {{"type": "cp", "value": 1}}, "wdl": [1, 998, 1], "pv": ["{mv}", "e7e5"]}}"#
        );
        let json = format!(
            r#"{{"depth": {depth}, "seldepth": 9, "nodes": 9, "time_ms": 9, "nps": 1000, "lines": [{line}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn end(best: &str, clamped: &str) -> EndLine {
        let json = format!(
            r#"{{"reason": "time", "best_move": {best}, "ponder": null, "clamped": [{clamped}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    /// The depths that were told, the notes, and the line that is left.
    fn record(
        script: impl FnOnce(&mut RemoteInfoReporter<'_>),
    ) -> (Vec<u8>, Vec<String>, Vec<String>) {
        let root = Position::startpos();
        let (mut depths, mut notes) = (Vec::new(), Vec::new());
        let mut on_update = |update: Update<'_>| match update {
            Update::Progress { report, .. } => depths.push(report.depth),
            Update::Note(text) => notes.push(text),
        };
        let mut reporter = RemoteInfoReporter::new(&root, &mut on_update);
        script(&mut reporter);
        let line = reporter.take_last_report().map_or(Vec::new(), |report| report.pv);
        let mut position = root;
        let texts = line.into_iter().map(|mv| {
            let text = to_uci(&position, mv, CastlingNotation::Standard);
            position.play(mv);
            text
        });
        let texts = texts.collect();
        (depths, notes, texts)
    }

    #[test]
    fn a_restarted_search_is_reported_once_it_is_as_deep() {
        let (depths, _, line) = record(|reporter| {
            for depth in [3, 5, 1, 4, 5, 6] {
                reporter.report_info(&info(depth, "e2e4"));
            }
        });
        assert_eq!((depths, line), (vec![3, 5, 5, 6], vec!["e2e4".to_owned(), "e7e5".to_owned()]));
    }

    #[test]
    fn the_end_line_decides_the_best_move() {
        let (_, _, same) = record(|reporter| {
            reporter.report_info(&info(3, "e2e4"));
            reporter.report_end(&end("\"e2e4\"", ""));
        });
        assert_eq!(same, ["e2e4", "e7e5"], "the line of the last info says more");
        let (_, _, other) = record(|reporter| {
            reporter.report_info(&info(3, "e2e4"));
            reporter.report_end(&end("\"d2d4\"", ""));
        });
        assert_eq!(other, ["d2d4"]);
        let (_, _, nothing) = record(|reporter| reporter.report_end(&end("null", "")));
        assert!(nothing.is_empty());
    }

    #[test]
    fn clamped_limits_are_reported() {
        let clamped = r#"{"member": "multipv", "asked": 9, "given": 5}"#;
        let (_, notes, _) = record(|reporter| reporter.report_end(&end("\"d2d4\"", clamped)));
        assert_eq!(notes, ["the server gives multipv 5, not 9"]);
    }
}
