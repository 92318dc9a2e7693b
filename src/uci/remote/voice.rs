//! What the GUI is told of a server's search.

use super::line::{End, Info};
use crate::chess::Position;
use crate::engine::Report;
use crate::uci::backend::Told;

/// Passes on what a server says, and keeps the last of it: the answer when there is no more.
pub(super) struct Voice<'a> {
    root: &'a Position,
    tell: &'a mut dyn FnMut(Told<'_>),
    last: Option<Report>,
}

impl<'a> Voice<'a> {
    /// About a search of this position.
    pub(super) fn new(root: &'a Position, tell: &'a mut dyn FnMut(Told<'_>)) -> Voice<'a> {
        Voice { root, tell, last: None }
    }

    /// Something for people to read.
    pub(super) fn note(&mut self, text: &str) {
        (self.tell)(Told::Note(text.to_owned()));
    }

    /// What is known by now. A search that had to begin again is heard when it is as deep as the
    /// one before it.
    pub(super) fn hear(&mut self, info: &Info) {
        let Some(report) = info.report(self.root) else { return };
        if self.last.as_ref().is_none_or(|last| report.depth >= last.depth) {
            (self.tell)(Told::Progress { report: &report, hash_permille: None });
            self.last = Some(report);
        }
    }

    /// The last line: a search that ends within an iteration may have found a better move than it
    /// has told.
    pub(super) fn end(&mut self, end: &End) {
        for lowered in &end.clamped {
            self.note(&format!(
                "the server gives {} {}, not {}",
                lowered.member, lowered.given, lowered.asked
            ));
        }
        let moves = end.moves(self.root);
        let Some(&best) = moves.first() else { return };
        let report = self.last.get_or_insert_with(Report::nothing);
        if report.best_move() != Some(best) {
            report.pv = moves;
        }
    }

    /// The last that was heard.
    pub(super) fn take(&mut self) -> Option<Report> {
        self.last.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{CastlingText, to_uci};

    fn info(depth: u8, mv: &str) -> Info {
        let line = format!(
            r#"{{"score": {{"type": "cp", "value": 1}}, "wdl": [1, 998, 1], "pv": ["{mv}", "e7e5"]}}"#
        );
        let json = format!(
            r#"{{"depth": {depth}, "seldepth": 9, "nodes": 9, "time_ms": 9, "nps": 1000, "lines": [{line}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn end(best: &str, clamped: &str) -> End {
        let json = format!(
            r#"{{"reason": "time", "best_move": {best}, "ponder": null, "clamped": [{clamped}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    /// The depths that were told, the notes, and the line that is left.
    fn told(speak: impl FnOnce(&mut Voice<'_>)) -> (Vec<u8>, Vec<String>, Vec<String>) {
        let root = Position::startpos();
        let (mut depths, mut notes) = (Vec::new(), Vec::new());
        let mut tell = |told: Told<'_>| match told {
            Told::Progress { report, .. } => depths.push(report.depth),
            Told::Note(text) => notes.push(text),
        };
        let mut voice = Voice::new(&root, &mut tell);
        speak(&mut voice);
        let line = voice.take().map_or(Vec::new(), |report| report.pv);
        let mut position = root;
        let texts = line.into_iter().map(|mv| {
            let text = to_uci(&position, mv, CastlingText::Standard);
            position.play(mv);
            text
        });
        let texts = texts.collect();
        (depths, notes, texts)
    }

    #[test]
    fn a_search_that_begins_again_is_told_when_it_is_as_deep() {
        let (depths, _, line) = told(|voice| {
            for depth in [3, 5, 1, 4, 5, 6] {
                voice.hear(&info(depth, "e2e4"));
            }
        });
        assert_eq!((depths, line), (vec![3, 5, 5, 6], vec!["e2e4".to_owned(), "e7e5".to_owned()]));
    }

    #[test]
    fn the_end_has_the_last_word_on_the_move() {
        let (_, _, same) = told(|voice| {
            voice.hear(&info(3, "e2e4"));
            voice.end(&end("\"e2e4\"", ""));
        });
        assert_eq!(same, ["e2e4", "e7e5"], "the line of the last info says more");
        let (_, _, other) = told(|voice| {
            voice.hear(&info(3, "e2e4"));
            voice.end(&end("\"d2d4\"", ""));
        });
        assert_eq!(other, ["d2d4"]);
        let (_, _, nothing) = told(|voice| voice.end(&end("null", "")));
        assert!(nothing.is_empty());
    }

    #[test]
    fn what_the_server_has_lowered_is_told() {
        let lowered = r#"{"member": "multipv", "asked": 9, "given": 5}"#;
        let (_, notes, _) = told(|voice| voice.end(&end("\"d2d4\"", lowered)));
        assert_eq!(notes, ["the server gives multipv 5, not 9"]);
    }
}
