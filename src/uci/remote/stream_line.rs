//! What the server says, line by line.

use std::fmt;
use std::time::Duration;

use reqwest::Response;
use serde::Deserialize;

use crate::chess::{Move, Position, parse_move};
use crate::engine::{Report, Score, StopReason, Variation, Wdl};

/// Of a line of `POST /v1/analysis` what UCI has a word for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamLine {
    /// What is known by now.
    Info(InfoLine),
    /// The search waits for a worker.
    Queued(QueuedLine),
    /// The search is over.
    End(EndLine),
    /// The stream has broken on the server's side.
    Problem(ProblemText),
    /// A sign of life, or something that newer servers say.
    #[serde(other)]
    Heartbeat,
}

/// What is known by now.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct InfoLine {
    depth: u8,
    seldepth: u8,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    lines: Vec<PvLine>,
}

#[derive(Clone, Debug, Deserialize)]
struct PvLine {
    score: ScoreText,
    wdl: [u16; 3],
    pv: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum ScoreText {
    Cp(i32),
    Mate(i32),
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct QueuedLine {
    /// 1 for the next in the queue.
    pub(super) position: usize,
}

/// The last line.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct EndLine {
    /// Why the server's search stopped.
    pub(super) reason: String,
    best_move: Option<String>,
    ponder: Option<String>,
    /// What was asked beyond a cap of the server.
    pub(super) clamped: Vec<Clamped>,
}

/// A number that the server has lowered.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Clamped {
    /// Which one.
    pub(super) member: String,
    /// What was asked.
    pub(super) asked: u64,
    /// What was given.
    pub(super) given: u64,
}

/// Of a problem what a person wants to read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ProblemText {
    pub(super) status: u16,
    pub(super) code: String,
    pub(super) detail: String,
}

impl ProblemText {
    /// What an answer that is none says. What can't be read as a problem still has its status.
    pub(super) async fn from_response(response: Response) -> ProblemText {
        let status = response.status().as_u16();
        let problem: ProblemText = response.json().await.unwrap_or_default();
        ProblemText { status, ..problem }
    }
}

impl fmt::Display for ProblemText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProblemText { status, code, detail } = self;
        write!(f, "the server says {status}")?;
        if code.is_empty() { Ok(()) } else { write!(f, " {code}: {detail}") }
    }
}

impl InfoLine {
    /// As the engine would report it. `None` when there is no line with a legal move.
    pub(super) fn to_report(&self, root: &Position) -> Option<Report> {
        let variations = self
            .lines
            .iter()
            .map(|line| line.to_variation(root))
            .filter(|variation| !variation.pv.is_empty());
        let mut variations = variations.collect::<Vec<_>>().into_iter();
        let Variation { score, wdl, pv } = variations.next()?;
        Some(Report {
            score,
            wdl,
            raw_score: None,
            pv,
            depth: self.depth,
            seldepth: self.seldepth,
            nodes: self.nodes,
            elapsed: self.elapsed(),
            reason: StopReason::Depth,
            history_independent: false,
            alternatives: variations.collect(),
        })
    }

    /// How long the server has searched, as exactly as its nodes and their speed tell.
    fn elapsed(&self) -> Duration {
        let nanoseconds = u128::from(self.nodes) * 1_000_000_000 / u128::from(self.nps).max(1);
        let exact = u64::try_from(nanoseconds).map(Duration::from_nanos).unwrap_or_default();
        let reported = Duration::from_millis(self.time_ms);
        // A second of speed has whole nodes: of few nodes it tells little.
        if exact.as_millis().abs_diff(reported.as_millis()) <= 1 { exact } else { reported }
    }
}

impl PvLine {
    fn to_variation(&self, root: &Position) -> Variation {
        let [win, draw, loss] = self.wdl;
        let score = match self.score {
            ScoreText::Cp(value) => Score::Cp(value),
            ScoreText::Mate(moves) => Score::Mate(moves),
        };
        Variation { score, wdl: Wdl { win, draw, loss }, pv: legal_prefix(root, self.pv.iter()) }
    }
}

impl EndLine {
    /// The best move and the answer that is expected to it; empty when the server has found
    /// nothing.
    pub(super) fn moves(&self, root: &Position) -> Vec<Move> {
        legal_prefix(root, self.best_move.iter().chain(&self.ponder))
    }

    /// `true` when the server has lowered this member.
    pub(super) fn has_clamped(&self, member: &str) -> bool {
        self.clamped.iter().any(|clamped| clamped.member == member)
    }
}

/// The moves of these texts, as far as they are legal.
fn legal_prefix<'a>(root: &Position, texts: impl Iterator<Item = &'a String>) -> Vec<Move> {
    let mut position = root.clone();
    let moves = texts.map_while(|text| {
        let mv = parse_move(&position, text).ok()?;
        position.play(mv);
        Some(mv)
    });
    moves.collect()
}

#[cfg(test)]
mod tests {
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
            r#"{"type": "info", "seq": 3, "source": "search", "depth": 9, "seldepth": 14, "nodes": 9411, "time_ms": 20,
                "nps": 464740, "lines": [
                {"rank": 1, "score": {"type": "cp", "value": 46}, "wdl": [381, 405, 214], "pv": ["e2e4", "e7e5"]},
                {"rank": 2, "score": {"type": "mate", "value": -3}, "wdl": [0, 0, 1000], "pv": ["d2d4", "d2d4"]},
                {"rank": 3, "score": {"type": "cp", "value": 0}, "wdl": [0, 1000, 0], "pv": ["e7e5"]}]}"#,
        );
        let report = info.to_report(&Position::startpos()).unwrap();
        assert_eq!((report.depth, report.seldepth, report.nodes), (9, 14, 9411));
        assert_eq!((report.score, report.pv.len()), (Score::Cp(46), 2));
        assert_eq!(report.elapsed.as_micros(), 20_250);
        let [second] = report.alternatives.as_slice() else {
            panic!("a line without a legal move is none")
        };
        assert_eq!((second.score, second.wdl.loss, second.pv.len()), (Score::Mate(-3), 1000, 1));
    }

    #[test]
    fn few_nodes_give_no_exact_time() {
        let info = info(
            r#"{"type": "info", "depth": 1, "seldepth": 1, "nodes": 3, "time_ms": 7, "nps": 0, "lines": []}"#,
        );
        assert_eq!(info.elapsed(), Duration::from_millis(7));
        assert!(info.to_report(&Position::startpos()).is_none());
    }

    #[test]
    fn castling_comes_as_king_takes_rook() {
        let root = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let end = r#"{"type": "end", "reason": "depth", "best_move": "e1h1", "best_move_san": "O-O", "ponder": null, "clamped": []}"#;
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
}
