//! The request body of a remote search.

use std::time::Duration;

use serde::Serialize;

use crate::chess::{CastlingNotation, Game, to_uci};
use crate::engine::Limits;
use crate::uci::backend::SearchTask;

/// The body of `POST /v1/analysis`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AnalysisRequestBody {
    fen: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime_ms: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    infinite: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multipv: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searchmoves: Vec<String>,
    /// Notation of castling: the king onto its rook, which is unambiguous in every position.
    castling: &'static str,
    /// Session of the server: a newer search replaces an older one.
    session: String,
    /// Search even if the answer is cached.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fresh: bool,
}

impl AnalysisRequestBody {
    /// The body of a search in a session, without its time.
    pub(super) fn new(task: &SearchTask, session_id: &str) -> AnalysisRequestBody {
        let SearchTask { game, limits, options, fresh } = task;
        let (fen, moves) = history(game);
        let to_text = |&mv| to_uci(game.position(), mv, CastlingNotation::Chess960);
        let Limits { depth, nodes, mate, .. } = *limits;
        // A mate search has one line, one thread and no other depth.
        let if_above_one =
            |number: usize| Some(number).filter(|&number| number > 1 && mate.is_none());
        AnalysisRequestBody {
            fen,
            moves,
            depth: depth.filter(|_| mate.is_none()),
            nodes,
            mate,
            movetime_ms: None,
            infinite: false,
            threads: if_above_one(options.threads),
            multipv: if_above_one(options.multipv),
            searchmoves: options.search_moves.iter().map(to_text).collect(),
            castling: "960",
            session: session_id.to_owned(),
            fresh: *fresh,
        }
    }

    /// Sets the time of the server. Without a time it searches until another limit, or until the
    /// stream is dropped.
    pub(super) fn set_time(&mut self, time: Option<Duration>) {
        // The server refuses 0.
        self.movetime_ms =
            time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1));
        self.infinite = time.is_none() && self.depth.is_none() && !self.is_single_shot();
    }

    /// `true` when the server has a time limit.
    pub(super) fn is_timed(&self) -> bool {
        self.movetime_ms.is_some()
    }

    /// `true` when a second stream cannot continue the search: its limits count from the start.
    pub(super) fn is_single_shot(&self) -> bool {
        self.nodes.is_some() || self.mate.is_some()
    }

    /// `true` when a limit other than time ends the search.
    pub(super) fn ends_by_itself(&self) -> bool {
        self.depth.is_some() || self.is_single_shot()
    }

    /// Prepares a repetition after an answer that ended early. It must be a fresh search, because
    /// an equally short answer is in the cache now.
    pub(super) fn prepare_continuation(&mut self) {
        self.fresh |= self.is_timed();
    }
}

/// The start position and the moves since the last capture or pawn move, which are the ones that
/// matter for repetitions. The server refuses moves after the end of a game. If the game went on
/// after its end, only the position is sent.
fn history(game: &Game) -> (String, Vec<String>) {
    let moves = game.moves();
    let start_index = moves.len().saturating_sub(usize::from(game.position().halfmove_clock()));
    let position_only = || (game.position().fen(), Vec::new());
    let Some(start) = game.position_before(start_index) else { return position_only() };
    let mut replayed = Game::new(start.clone());
    let mut texts = Vec::with_capacity(moves.len() - start_index);
    for &mv in &moves[start_index..] {
        if replayed.outcome().is_over() {
            return position_only();
        }
        texts.push(to_uci(replayed.position(), mv, CastlingNotation::Chess960));
        replayed.play(mv);
    }
    (start.fen(), texts)
}

#[cfg(test)]
mod tests;
