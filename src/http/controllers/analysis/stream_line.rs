//! The lines of a stream.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::render_options::{PvLine, RenderOptions};
use crate::analysis::{Answer, CachedAnalysis};
use crate::engine::Report;
use crate::http::dto::{
    BestMove, Clamped, MoveText, memory_verdicts, per_second, sources, stop_reasons, whole_ms,
};
use crate::http::problem::{Problem, ProblemDocument, render_object};

/// A line of a stream.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum StreamLine {
    /// What is known by now.
    Info(Info),
    /// The search waits for a worker.
    Queued(Queued),
    /// The search goes on.
    Heartbeat(Heartbeat),
    /// The last line.
    End(End),
    /// The last line of a stream that broke on the server's side.
    #[schema(value_type = ProblemDocument)]
    Problem(Map<String, Value>),
}

impl StreamLine {
    /// The last line of a stream that broke on our side.
    pub(crate) fn from_problem(
        problem: &Problem,
        path: &str,
        request_id: &str,
    ) -> Option<StreamLine> {
        match render_object(problem, path, request_id) {
            Ok(mut problem) => {
                // The line's type takes the place of the problem's, which its code tells as well.
                problem.remove("type");
                Some(StreamLine::Problem(problem))
            }
            Err(error) => {
                tracing::error!(error = error.to_string(), "a problem could not be written");
                None
            }
        }
    }

    /// The member `type`.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            StreamLine::Info(_) => "info",
            StreamLine::Queued(_) => "queued",
            StreamLine::Heartbeat(_) => "heartbeat",
            StreamLine::End(_) => "end",
            StreamLine::Problem(_) => "problem",
        }
    }
}

/// What is known by now. Depths never fall.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Info {
    /// Rises by one with each `info`, from 1.
    #[schema(minimum = 1)]
    seq: u64,
    /// Where it comes from.
    #[schema(schema_with = sources)]
    source: &'static str,
    /// With memory, how long it is known, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    age_ms: Option<u64>,
    /// Iterations finished, in plies.
    depth: u8,
    /// The greatest number of plies that was reached.
    seldepth: u8,
    /// Moves that the search has made.
    nodes: u64,
    /// How long it has searched, in milliseconds.
    time_ms: u64,
    /// Nodes a second.
    nps: u64,
    /// The best moves, each with its line.
    lines: Vec<PvLine>,
}

/// The search waits for a worker.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Queued {
    /// 1 for the next in the queue.
    #[schema(minimum = 1)]
    position: usize,
}

/// The search goes on.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Heartbeat {
    /// How long it has searched, in milliseconds; 0 while it waits for a worker.
    time_ms: u64,
    /// Moves that the search has made.
    nodes: u64,
}

/// The last line.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct End {
    /// Why the search stopped.
    #[schema(schema_with = stop_reasons)]
    reason: &'static str,
    /// The best move in UCI; null when the game is over, or when nothing was found.
    #[schema(required, value_type = Option<String>)]
    best_move: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    best_move_san: Option<MoveText>,
    /// The answer that is expected to it, in UCI; null when none is known.
    #[schema(required, value_type = Option<String>)]
    ponder: Option<MoveText>,
    /// Why memory did or did not answer.
    #[schema(schema_with = memory_verdicts)]
    memory: &'static str,
    /// What was asked beyond a cap; empty when nothing was.
    clamped: Vec<Clamped>,
}

impl Info {
    /// Its number.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// What a search has found by now.
    pub(super) fn from_search(seq: u64, render_options: &RenderOptions, report: &Report) -> Info {
        Info {
            seq,
            source: "search",
            age_ms: None,
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time_ms: whole_ms(report.elapsed),
            nps: per_second(report.nodes, report.elapsed),
            lines: render_options.render_lines(report),
        }
    }

    /// What memory knows.
    pub(super) fn from_cache(
        seq: u64,
        render_options: &RenderOptions,
        cached: &CachedAnalysis,
    ) -> Info {
        Info {
            source: "memory",
            age_ms: Some(whole_ms(cached.age)),
            ..Info::from_search(seq, render_options, &cached.report)
        }
    }
}

impl Queued {
    pub(super) fn behind(ahead: usize) -> Queued {
        Queued { position: ahead + 1 }
    }
}

impl Heartbeat {
    pub(super) fn new(time: Duration, nodes: u64) -> Heartbeat {
        Heartbeat { time_ms: whole_ms(time), nodes }
    }
}

impl End {
    pub(super) fn new(render_options: &RenderOptions, answer: &Answer) -> End {
        let BestMove { best_move, best_move_san, ponder, .. } =
            BestMove::from_line(render_options.render_moves(&answer.report.pv));
        End {
            reason: answer.reason.name(),
            best_move,
            best_move_san,
            ponder,
            memory: answer.cache_verdict.name(),
            clamped: render_options.clamped.clone(),
        }
    }
}
