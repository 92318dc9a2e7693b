//! Responses of an analysis: the document, the lines of a stream, and the options of both.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::analysis::{Answer, CachedAnalysis};
use crate::chess::{CastlingNotation, Color, Move, Position};
use crate::engine::{Report, Score, Wdl};
use crate::http::dto::{
    BestMove, Clamped, MoveText, PositionState, ScoreDto, SearchStats, WdlDto, line_texts,
    memory_verdicts, per_second, score_or_null, sources, stop_reasons, wdl_or_null, whole_ms,
};
use crate::http::problem::{Problem, ProblemDocument, render_line_object};

/// An analysis at its end.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisAnswer {
    #[serde(flatten)]
    state: PositionState,
    #[serde(flatten)]
    best_move: BestMove,
    /// As `pov` says. Null when the search was replaced before it had found anything.
    #[schema(required, schema_with = score_or_null)]
    score: Option<ScoreDto>,
    /// What the score means in games; null with the score.
    #[schema(required, schema_with = wdl_or_null)]
    wdl: Option<WdlDto>,
    /// The best moves, each with its line; none where the game is over.
    lines: Vec<PvLine>,
    #[serde(flatten)]
    stats: SearchStats,
}

impl AnalysisAnswer {
    pub(crate) fn new(
        state: PositionState,
        render_options: &RenderOptions,
        answer: &Answer,
    ) -> AnalysisAnswer {
        let report = &answer.report;
        let (score, wdl) = render_options.to_pov(report.score, report.wdl);
        AnalysisAnswer {
            state,
            best_move: BestMove::from_line(render_options.render_moves(&report.pv)),
            score: answer.has_result().then_some(score),
            wdl: answer.has_result().then_some(wdl),
            lines: render_options.render_lines(report),
            stats: SearchStats::new(answer, render_options.clamped.clone()),
        }
    }
}

/// From whose view scores are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pov {
    /// The side to move's.
    #[default]
    Side,
    /// White's.
    White,
}

impl Pov {
    pub(super) const ALL: [Pov; 2] = [Pov::Side, Pov::White];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Pov::Side => "side",
            Pov::White => "white",
        }
    }
}

/// How an analysis of a position is told.
#[derive(Clone, Debug)]
pub(crate) struct RenderOptions {
    pub(crate) position: Position,
    pub(crate) pov: Pov,
    pub(crate) castling: CastlingNotation,
    /// Most moves of a line.
    pub(crate) pv_length: usize,
    /// What was asked beyond a cap.
    pub(crate) clamped: Vec<Clamped>,
}

/// One of the best moves with the line that it leads to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PvLine {
    /// 1 for the best move.
    #[schema(minimum = 1)]
    rank: usize,
    /// As `pov` says.
    score: ScoreDto,
    /// As `pov` says.
    wdl: WdlDto,
    /// Iterations finished, in plies.
    depth: u8,
    /// The expected line in UCI, of legal moves. A mate's ends in mate, unless it is truncated.
    #[schema(value_type = Vec<String>)]
    pv: Vec<MoveText>,
    /// The same in SAN.
    #[schema(value_type = Vec<String>)]
    pv_san: Vec<MoveText>,
    /// There is more of it than `pv_length` lets through.
    pv_truncated: bool,
}

impl RenderOptions {
    /// The lines of a report, best first; none where the game is over.
    pub(super) fn render_lines(&self, report: &Report) -> Vec<PvLine> {
        let best = (!report.pv.is_empty()).then_some((report.score, report.wdl, &report.pv));
        let others = report.alternatives.iter().map(|line| (line.score, line.wdl, &line.pv));
        let lines = best.into_iter().chain(others).enumerate();
        lines
            .map(|(index, (score, wdl, pv))| {
                self.render_line(index + 1, score, wdl, report.depth, pv)
            })
            .collect()
    }

    fn render_line(
        &self,
        rank: usize,
        score: Score,
        wdl: Wdl,
        depth: u8,
        moves: &[Move],
    ) -> PvLine {
        let shown = &moves[..moves.len().min(self.pv_length)];
        let (pv, pv_san) = self.render_moves(shown).unzip();
        let (score, wdl) = self.to_pov(score, wdl);
        PvLine { rank, score, wdl, depth, pv, pv_san, pv_truncated: shown.len() < moves.len() }
    }

    /// A score and its chances, from the view that is asked for.
    pub(super) fn to_pov(&self, score: Score, wdl: Wdl) -> (ScoreDto, WdlDto) {
        if self.pov == Pov::White && self.position.turn() == Color::Black {
            (score.flip().into(), wdl.flip().into())
        } else {
            (score.into(), wdl.into())
        }
    }

    /// A line of legal moves, each in UCI and in SAN.
    pub(super) fn render_moves(
        &self,
        moves: &[Move],
    ) -> impl Iterator<Item = (MoveText, MoveText)> {
        line_texts(&self.position, moves, self.castling)
    }
}

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
        render_line_object(problem, path, request_id).map(StreamLine::Problem)
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
