//! How an analysis is told: from whose view, in which notation, and how much of each line.

use serde::Serialize;
use utoipa::ToSchema;

use crate::chess::{CastlingNotation, Color, Move, Position};
use crate::engine::{Report, Score, Wdl};
use crate::http::dto::{Clamped, MoveText, ScoreDto, WdlDto, line_texts};

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
