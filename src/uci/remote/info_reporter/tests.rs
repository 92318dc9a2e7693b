//! Tests of the reports from a server.

use super::*;
use crate::chess::{CastlingNotation, to_uci};

fn info(depth: u8, mv: &str) -> InfoLine {
    let line = format!(
        r#"{{"score": {{"type": "cp", "value": 1}}, "wdl": [1, 998, 1], "pv": ["{mv}", "e7e5"]}}"#
    );
    let json = format!(
        r#"{{"depth": {depth}, "seldepth": 9, "nodes": 9, "time_ms": 9,
            "nps": 1000, "lines": [{line}]}}"#
    );
    serde_json::from_str(&json).unwrap()
}

fn end(best: &str, clamped: &str) -> EndLine {
    let json = format!(
        r#"{{"reason": "time", "best_move": {best}, "ponder": null, "clamped": [{clamped}]}}"#
    );
    serde_json::from_str(&json).unwrap()
}

/// The reported depths, the notes, and the final line.
fn record(script: impl FnOnce(&mut RemoteInfoReporter<'_>)) -> (Vec<u8>, Vec<String>, Vec<String>) {
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
    assert_eq!(same, ["e2e4", "e7e5"], "the line of the last info is longer");
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
    assert_eq!(notes, ["the server limits multipv to 5, not 9"]);
}
