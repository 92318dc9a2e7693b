//! Tests of parsing stream lines.

use super::*;

fn info(json: &str) -> InfoLine {
    match serde_json::from_str(json).unwrap() {
        StreamLine::Info(info) => info,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_info_is_what_the_engine_would_report() {
    let info = info(
        r#"{"type": "info", "seq": 3, "source": "search", "depth": 9, "seldepth": 14,
                "nodes": 9411, "time_ms": 20,
                "nps": 464740, "lines": [
                {"rank": 1, "score": {"type": "cp", "value": 46},
                 "wdl": [381, 405, 214], "pv": ["e2e4", "e7e5"]},
                {"rank": 2, "score": {"type": "mate", "value": -3},
                 "wdl": [0, 0, 1000], "pv": ["d2d4", "d2d4"]},
                {"rank": 3, "score": {"type": "cp", "value": 0},
                 "wdl": [0, 1000, 0], "pv": ["e7e5"]}]}"#,
    );
    let report = info.to_report(&Position::startpos()).unwrap();
    assert_eq!((report.depth, report.seldepth, report.nodes), (9, 14, 9411));
    assert_eq!((report.score, report.pv.len()), (Score::Cp(46), 2));
    assert_eq!(report.elapsed.as_micros(), 20_250);
    let [second] = report.alternatives.as_slice() else {
        panic!("a line without a legal move is left out")
    };
    assert_eq!((second.score, second.wdl.loss, second.pv.len()), (Score::Mate(-3), 1000, 1));
}

#[test]
fn few_nodes_give_no_exact_time() {
    let info = info(
        r#"{"type": "info", "depth": 1, "seldepth": 1, "nodes": 3,
            "time_ms": 7, "nps": 0, "lines": []}"#,
    );
    assert_eq!(info.elapsed(), Duration::from_millis(7));
    assert!(info.to_report(&Position::startpos()).is_none());
}

#[test]
fn castling_comes_as_king_takes_rook() {
    let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let end = r#"{"type": "end", "reason": "depth", "best_move": "e1h1",
        "best_move_san": "O-O", "ponder": null, "clamped": []}"#;
    let StreamLine::End(end) = serde_json::from_str(end).unwrap() else { panic!() };
    assert_eq!(end.moves(&root), [parse_move(&root, "O-O").unwrap()]);
}

#[test]
fn an_unknown_line_type_counts_as_a_heartbeat() {
    for json in [
        r#"{"type": "heartbeat", "time_ms": 5000, "nodes": 7}"#,
        r#"{"type": "weather", "lines": "sun"}"#,
    ] {
        assert!(matches!(serde_json::from_str(json).unwrap(), StreamLine::Heartbeat), "{json}");
    }
}
