//! The responses of an analysis: the document, the lines of a stream, and the output options.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::analysis::review::WinChance;
use crate::analysis::{Answer, CachedAnalysis, Source};
use crate::chess::{CastlingNotation, Move, Position};
use crate::engine::{Report, Score, Wdl};
use crate::http::dto::{
    BestMove, Clamped, MoveText, PositionState, Pov, ScoreDto, SearchStats, TablebaseEntry, WdlDto,
    line_texts, memory_verdicts, per_second, score_or_null, sources, stop_reasons,
    tablebase_entry_or_null, wdl_or_null, whole_ms,
};
use crate::http::problem::{Problem, ProblemDocument, render_line_object};

/// The result of an analysis.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct AnalysisAnswer {
    #[serde(flatten)]
    state: PositionState,
    #[serde(flatten)]
    best_move: BestMove,
    /// The score from the point of view of `pov`. Null if the search was replaced before it found
    /// anything.
    #[schema(required, schema_with = score_or_null)]
    score: Option<ScoreDto>,
    /// The win, draw and loss chances of the score, from the same point of view. Null if `score` is
    /// null.
    #[schema(required, schema_with = wdl_or_null)]
    wdl: Option<WdlDto>,
    /// The best moves, each with its line. Empty if the game is over.
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
            stats: SearchStats::new(
                answer,
                render_options.tablebase,
                render_options.clamped.clone(),
            ),
        }
    }
}

/// The options of an analysis's output.
#[derive(Clone, Debug)]
pub(crate) struct RenderOptions {
    pub(crate) position: Position,
    pub(crate) pov: Pov,
    pub(crate) castling: CastlingNotation,
    /// The maximum number of moves in a line.
    pub(crate) pv_length: usize,
    /// The members of the request that exceeded a cap.
    pub(crate) clamped: Vec<Clamped>,
    /// The outcome of the position by tablebase.
    pub(crate) tablebase: Option<TablebaseEntry>,
}

/// One of the best moves with its principal variation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PvLine {
    /// The rank of the move; 1 is the best.
    #[schema(minimum = 1)]
    rank: usize,
    /// The score from the point of view of `pov`.
    score: ScoreDto,
    /// The win, draw and loss chances from the point of view of `pov`.
    wdl: WdlDto,
    /// The win chance in percent, as in a review, from the point of view of `pov`: 100 / (1 +
    /// e^(−0.00368208 · centipawns)), with centipawns limited to ±1000. A mate counts as ±1000, and
    /// a draw as half a win. It is Lichess's formula; `wdl` comes from games of the engine.
    #[schema(minimum = 0, maximum = 100)]
    win_chance: f64,
    /// The depth of the last finished iteration, in plies.
    depth: u8,
    /// The principal variation in UCI, all moves legal. The line of a mate ends with the mate,
    /// unless it is truncated.
    #[schema(value_type = Vec<String>)]
    pv: Vec<MoveText>,
    /// The principal variation in SAN.
    #[schema(value_type = Vec<String>)]
    pv_san: Vec<MoveText>,
    /// `true` if the line is cut at `pv_length` moves.
    pv_truncated: bool,
}

impl RenderOptions {
    /// The lines of a report, best first. Empty if the game is over.
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
        let win_chance = self.pov.win_chance(WinChance::of(score), self.position.turn());
        let (score, wdl) = self.to_pov(score, wdl);
        let pv_truncated = shown.len() < moves.len();
        PvLine { rank, score, wdl, win_chance, depth, pv, pv_san, pv_truncated }
    }

    /// Converts a score and its win chances to the requested point of view.
    pub(super) fn to_pov(&self, score: Score, wdl: Wdl) -> (ScoreDto, WdlDto) {
        let turn = self.position.turn();
        (self.pov.score(score, turn), self.pov.wdl(wdl, turn))
    }

    /// Each move of a legal line in UCI and in SAN.
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
    /// The result so far.
    Info(Info),
    /// The search is in the queue.
    Queued(Queued),
    /// Sent if the server has sent no other line for some seconds.
    Heartbeat(Heartbeat),
    /// The last line of a complete stream.
    End(End),
    /// The last line of a stream that failed on the server.
    #[schema(value_type = ProblemDocument)]
    Problem(Map<String, Value>),
}

impl StreamLine {
    /// The last line of a stream that failed on the server. `None` if it can't be serialized.
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

/// The result so far. `depth` never decreases within a stream.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Info {
    /// The number of this `info` in the stream, from 1.
    #[schema(minimum = 1)]
    seq: u64,
    /// The source of the result: `search`, `tablebase`, or the evaluation cache (`memory`).
    #[schema(schema_with = sources)]
    source: &'static str,
    /// The age of a cached result, in milliseconds. Only with the source `memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    age_ms: Option<u64>,
    /// The depth of the last finished iteration, in plies.
    depth: u8,
    /// The greatest depth that the search reached, in plies.
    seldepth: u8,
    /// The number of searched nodes.
    nodes: u64,
    /// The time of the search so far, in milliseconds.
    time_ms: u64,
    /// Nodes per second.
    nps: u64,
    /// The probes of tablebases with a result, by this search. 0 for a result from the evaluation
    /// cache.
    tb_hits: u64,
    /// The best moves, each with its line.
    lines: Vec<PvLine>,
}

/// The search is in the queue.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Queued {
    /// The place in the queue; 1 is the next.
    #[schema(minimum = 1)]
    position: usize,
}

/// Sent if the server has sent no other line for some seconds.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Heartbeat {
    /// The time of the search so far, in milliseconds. 0 while it waits for a worker.
    time_ms: u64,
    /// The number of searched nodes.
    nodes: u64,
}

/// The last line of a complete stream.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct End {
    /// The reason for the end of the search.
    #[schema(schema_with = stop_reasons)]
    reason: &'static str,
    /// The best move in UCI. Null if the game is over or the search found nothing.
    #[schema(required, value_type = Option<String>)]
    best_move: Option<MoveText>,
    /// The best move in SAN.
    #[schema(required, value_type = Option<String>)]
    best_move_san: Option<MoveText>,
    /// The expected reply in UCI. Null if none is known.
    #[schema(required, value_type = Option<String>)]
    ponder: Option<MoveText>,
    /// The verdict of the evaluation cache: `hit`, or the reason for a search.
    #[schema(schema_with = memory_verdicts)]
    memory: &'static str,
    /// The members that exceeded a cap and were clamped; empty if there were none.
    clamped: Vec<Clamped>,
    /// The outcome of the position by tablebase.
    #[schema(required, schema_with = tablebase_entry_or_null)]
    tablebase: Option<TablebaseEntry>,
}

impl Info {
    /// The number of the line, from 1.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// The result of a search so far.
    pub(super) fn from_search(seq: u64, render_options: &RenderOptions, report: &Report) -> Info {
        Info {
            seq,
            source: Source::of_search(report).name(),
            age_ms: None,
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time_ms: whole_ms(report.elapsed),
            nps: per_second(report.nodes, report.elapsed),
            tb_hits: report.tb_hits,
            lines: render_options.render_lines(report),
        }
    }

    /// A result from the evaluation cache.
    pub(super) fn from_cache(
        seq: u64,
        render_options: &RenderOptions,
        cached: &CachedAnalysis,
    ) -> Info {
        Info {
            source: "memory",
            age_ms: Some(whole_ms(cached.age)),
            tb_hits: 0,
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
            tablebase: render_options.tablebase,
        }
    }
}
