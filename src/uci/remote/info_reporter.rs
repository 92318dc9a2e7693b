//! The reporter of a server's search to the GUI.

use super::stream_line::{EndLine, InfoLine};
use crate::chess::Position;
use crate::engine::Report;
use crate::uci::backend::Update;

/// Forwards the reports of a server, and keeps the last one as the result of the search.
pub(super) struct RemoteInfoReporter<'a> {
    root: &'a Position,
    on_update: &'a mut dyn FnMut(Update<'_>),
    last_report: Option<Report>,
}

impl<'a> RemoteInfoReporter<'a> {
    /// A reporter for a search from this root position.
    pub(super) fn new(
        root: &'a Position,
        on_update: &'a mut dyn FnMut(Update<'_>),
    ) -> RemoteInfoReporter<'a> {
        RemoteInfoReporter { root, on_update, last_report: None }
    }

    /// Reports a note for people.
    pub(super) fn report_note(&mut self, text: &str) {
        (self.on_update)(Update::Note(text.to_owned()));
    }

    /// Reports an `info` line. After a restart, reports are skipped until the depth is reached
    /// again.
    pub(super) fn report_info(&mut self, info: &InfoLine) {
        let Some(report) = info.to_report(self.root) else { return };
        if self.last_report.as_ref().is_none_or(|last| report.depth >= last.depth) {
            (self.on_update)(Update::Progress { report: &report, hashfull_permille: None });
            self.last_report = Some(report);
        }
    }

    /// Takes the `end` line. Its best move may be newer than the last `info` line, when the search
    /// ended within an iteration.
    pub(super) fn report_end(&mut self, end: &EndLine) {
        for clamped in &end.clamped {
            self.report_note(&format!(
                "the server limits {} to {}, not {}",
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

    /// Takes the last report.
    pub(super) fn take_last_report(&mut self) -> Option<Report> {
        self.last_report.take()
    }
}

#[cfg(test)]
mod tests;
