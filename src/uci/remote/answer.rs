//! What the server says.

use std::time::Duration;

use serde::Deserialize;

use crate::chess::{Position, read_move};
use crate::engine::{Report, Score, StopReason, Wdl};

/// Of an answer of `POST /v1/best-move` what UCI has a word for.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Answer {
    score: ScoreText,
    wdl: [u16; 3],
    pv: Vec<String>,
    depth: u8,
    seldepth: u8,
    nodes: u64,
    reason: String,
    clamped: Vec<Clamped>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
enum ScoreText {
    Cp(i32),
    Mate(i32),
}

#[derive(Clone, Debug, Deserialize)]
struct Clamped {
    member: String,
}

/// Of a problem what a person wants to read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ProblemText {
    pub(super) code: String,
    pub(super) detail: String,
}

impl Answer {
    /// As the engine would report it, that long after the search's start. A line is taken as far as it is legal.
    pub(super) fn report(&self, root: &Position, elapsed: Duration) -> Report {
        let mut position = root.clone();
        let legal = self.pv.iter().map_while(|text| {
            let mv = read_move(&position, text).ok()?;
            position.play(mv);
            Some(mv)
        });
        let [win, draw, loss] = self.wdl;
        Report {
            pv: legal.collect(),
            score: match self.score {
                ScoreText::Cp(value) => Score::Cp(value),
                ScoreText::Mate(moves) => Score::Mate(moves),
            },
            wdl: Wdl { win, draw, loss },
            linear: None,
            depth: self.depth,
            seldepth: self.seldepth,
            nodes: self.nodes,
            elapsed,
            reason: self.stop_reason(),
            context_free: false,
            alternatives: Vec::new(),
        }
    }

    /// What ended the server's search; its own reasons (`replaced`, `shutdown`) are that it was stopped.
    pub(super) fn stop_reason(&self) -> StopReason {
        match self.reason.as_str() {
            "depth" => StopReason::Depth,
            "nodes" => StopReason::Nodes,
            "time" => StopReason::Time,
            "mate" => StopReason::Mate,
            "terminal" => StopReason::Terminal,
            _ => StopReason::Stopped,
        }
    }

    /// The iteration that was finished last.
    pub(super) fn depth(&self) -> u8 {
        self.depth
    }

    /// `true` when the server goes no deeper than this.
    pub(super) fn is_capped(&self) -> bool {
        self.clamped.iter().any(|clamped| clamped.member == "depth")
    }
}
