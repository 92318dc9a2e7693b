//! What the server is asked.

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
    /// King takes rook, which says the same in every position.
    castling: &'static str,
    /// A newer search takes the place of an older one.
    session: String,
    /// Search, whatever is remembered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fresh: bool,
}

impl AnalysisRequestBody {
    /// The search of a session, without its time.
    pub(super) fn new(task: &SearchTask, session_id: &str) -> AnalysisRequestBody {
        let SearchTask { game, limits, scope, fresh } = task;
        let (fen, moves) = history(game);
        let to_text = |&mv| to_uci(game.position(), mv, CastlingNotation::Chess960);
        let Limits { depth, nodes, mate, .. } = *limits;
        // The proof of a mate has one line and the work of one thread, and no depth but its own.
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
            threads: if_above_one(scope.threads),
            multipv: if_above_one(scope.multipv),
            searchmoves: scope.search_moves.iter().map(to_text).collect(),
            castling: "960",
            session: session_id.to_owned(),
            fresh: *fresh,
        }
    }

    /// Gives the server so long; without a time until another limit, or until nobody listens any
    /// more.
    pub(super) fn set_time(&mut self, time: Option<Duration>) {
        // 0 is refused.
        self.movetime_ms =
            time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1));
        self.infinite = time.is_none() && self.depth.is_none() && !self.is_single_shot();
    }

    /// `true` when the server knows how long it may take.
    pub(super) fn is_timed(&self) -> bool {
        self.movetime_ms.is_some()
    }

    /// `true` when the answer has to be found in one go: such limits count from the start.
    pub(super) fn is_single_shot(&self) -> bool {
        self.nodes.is_some() || self.mate.is_some()
    }

    /// `true` when what the search finds ends it, time or not.
    pub(super) fn ends_by_itself(&self) -> bool {
        self.depth.is_some() || self.is_single_shot()
    }

    /// The same once more, after an answer that was cut short: an answer as long is remembered, but
    /// a longer one is wanted.
    pub(super) fn prepare_continuation(&mut self) {
        self.fresh |= self.is_timed();
    }
}

/// A start position, and the moves from there that can still matter: those since the last capture
/// or pawn move. The server plays no moves after a game's end; where a game went on after it the
/// position stands alone.
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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chess::{Position, parse_move};
    use crate::engine::SearchScope;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split(' ') {
            let mv = parse_move(game.position(), text).unwrap();
            game.play(mv);
        }
        game
    }

    #[test]
    fn only_reversible_moves_are_sent() {
        let (fen, moves) = history(&game("e2e4 e7e5 g1f3 b8c6 f3g1"));
        assert_eq!(fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(moves, ["g1f3", "b8c6", "f3g1"]);
    }

    #[test]
    fn a_game_played_on_after_its_end_is_sent_as_its_position() {
        let shuffle = ["g1f3 g8f6 f3g1 f6g8"; 5].join(" ");
        let (fen, moves) = history(&game(&format!("{shuffle} b1c3")));
        assert_eq!((fen, moves.len()), (game(&format!("{shuffle} b1c3")).position().fen(), 0));
    }

    fn request_body(limits: Limits, scope: SearchScope) -> AnalysisRequestBody {
        AnalysisRequestBody::new(
            &SearchTask { game: game("e2e4"), limits, scope, fresh: false },
            "board",
        )
    }

    #[test]
    fn unset_options_are_not_sent() {
        let depth_three = Limits { depth: Some(3), ..Limits::default() };
        let body = request_body(depth_three, SearchScope::default());
        let json = serde_json::to_value(&body).unwrap();
        assert_eq!(
            json,
            json!({"fen": body.fen, "depth": 3, "castling": "960", "session": "board"})
        );
        let e5 = parse_move(game("e2e4").position(), "e7e5").unwrap();
        let json = serde_json::to_value(request_body(
            depth_three,
            SearchScope { threads: 4, multipv: 2, search_moves: vec![e5] },
        ))
        .unwrap();
        assert_eq!(
            (&json["threads"], &json["multipv"], &json["searchmoves"]),
            (&json!(4), &json!(2), &json!(["e7e5"]))
        );
    }

    #[test]
    fn a_search_without_limits_is_infinite() {
        let mut body = request_body(Limits::default(), SearchScope::default());
        body.set_time(None);
        assert!(body.infinite && body.movetime_ms.is_none());
        body.set_time(Some(Duration::from_micros(3)));
        assert!(!body.infinite && body.movetime_ms == Some(1));
        let mut body =
            request_body(Limits { nodes: Some(7), ..Limits::default() }, SearchScope::default());
        body.set_time(None);
        assert!(!body.infinite);
    }

    #[test]
    fn a_mate_search_is_sent_without_other_limits() {
        let limits = Limits { mate: Some(2), depth: Some(9), ..Limits::default() };
        let body =
            request_body(limits, SearchScope { threads: 2, multipv: 3, ..SearchScope::default() });
        assert_eq!(
            (body.mate, body.depth, body.threads, body.multipv),
            (Some(2), None, None, None)
        );
    }
}
