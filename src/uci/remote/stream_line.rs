//! The lines of a server's analysis stream.

use std::time::Duration;

use serde::Deserialize;

use crate::chess::{Move, Position, parse_move};
use crate::client::ProblemText;
use crate::engine::{Report, Score, StopReason, Variation, Wdl};

/// A line of `POST /v1/analysis`, with the members that UCI needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum StreamLine {
    /// The current result.
    Info(InfoLine),
    /// The search waits for a worker.
    Queued(QueuedLine),
    /// The search is over.
    End(EndLine),
    /// The stream failed on the server's side.
    Problem(ProblemText),
    /// A heartbeat, or a line type of a newer server.
    #[serde(other)]
    Heartbeat,
}

/// The current result.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct InfoLine {
    depth: u8,
    seldepth: u8,
    nodes: u64,
    time_ms: u64,
    nps: u64,
    /// Servers before tablebases do not send it.
    #[serde(default)]
    tb_hits: u64,
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
    /// Place in the queue, from 1.
    pub(super) position: usize,
}

/// The last line.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct EndLine {
    /// Why the server's search stopped.
    pub(super) reason: String,
    best_move: Option<String>,
    ponder: Option<String>,
    /// The limits that the server has lowered.
    pub(super) clamped: Vec<Clamped>,
}

/// A limit that the server has lowered.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Clamped {
    /// Its name.
    pub(super) member: String,
    /// The requested value.
    pub(super) asked: u64,
    /// The value used.
    pub(super) given: u64,
}

impl InfoLine {
    /// The report as the engine would give it. `None` when no line has a legal move.
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
            tb_hits: self.tb_hits,
            is_ranked_by_tablebase: false,
            alternatives: variations.collect(),
        })
    }

    /// The search time of the server, derived from nodes and speed where that is more exact.
    fn elapsed(&self) -> Duration {
        let nanoseconds = u128::from(self.nodes) * 1_000_000_000 / u128::from(self.nps).max(1);
        let exact = u64::try_from(nanoseconds).map(Duration::from_nanos).unwrap_or_default();
        let reported = Duration::from_millis(self.time_ms);
        // The speed is rounded to whole nodes per second, so with few nodes it is inexact.
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
    /// The best move and the ponder move. Empty when the server found none.
    pub(super) fn moves(&self, root: &Position) -> Vec<Move> {
        legal_prefix(root, self.best_move.iter().chain(&self.ponder))
    }

    /// `true` when the server has lowered this limit.
    pub(super) fn has_clamped(&self, member: &str) -> bool {
        self.clamped.iter().any(|clamped| clamped.member == member)
    }
}

/// The moves of these texts, up to the first illegal one.
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
mod tests;
