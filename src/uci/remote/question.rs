//! What the server is asked.

use std::time::Duration;

use serde::Serialize;

use crate::chess::{CastlingText, Game, to_uci};
use crate::engine::{Limits, Scope};

/// The body of `POST /v1/best-move`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Question {
    fen: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    /// Search, whatever is remembered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) fresh: bool,
}

impl Question {
    /// About a game, under the limits that are not of time.
    pub(super) fn new(game: &Game, limits: &Limits, scope: &Scope) -> Question {
        let (fen, moves) = history(game);
        Question {
            fen,
            moves,
            depth: limits.depth,
            nodes: limits.nodes,
            mate: limits.mate,
            movetime_ms: None,
            threads: Some(scope.threads).filter(|&threads| threads > 1),
            fresh: false,
        }
    }

    /// Gives the server so long.
    pub(super) fn within(&mut self, time: Option<Duration>) {
        // 0 is refused.
        self.movetime_ms = time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1));
    }

    /// `true` when the answer has to be found in one go: such limits count from the start.
    pub(super) fn is_whole(&self) -> bool {
        self.nodes.is_some() || self.mate.is_some()
    }
}

/// A start position, and the moves from there that can still matter: those since the last capture or pawn move. The server plays no
/// moves after a game's end; where a game went on after it the position stands alone.
fn history(game: &Game) -> (String, Vec<String>) {
    let moves = game.moves();
    let begin = moves.len().saturating_sub(usize::from(game.position().halfmove_clock()));
    let alone = || (game.position().fen(), Vec::new());
    let Some(start) = game.position_before(begin) else { return alone() };
    let mut replayed = Game::new(start.clone());
    let mut texts = Vec::with_capacity(moves.len() - begin);
    for &mv in &moves[begin..] {
        if replayed.outcome().is_over() {
            return alone();
        }
        texts.push(to_uci(replayed.position(), mv, CastlingText::Chess960));
        replayed.play(mv);
    }
    (start.fen(), texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Position, read_move};

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        for text in moves.split(' ') {
            let mv = read_move(game.position(), text).unwrap();
            game.play(mv);
        }
        game
    }

    #[test]
    fn only_moves_that_can_be_taken_back_are_sent() {
        let (fen, moves) = history(&game("e2e4 e7e5 g1f3 b8c6 f3g1"));
        assert_eq!(fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(moves, ["g1f3", "b8c6", "f3g1"]);
    }

    #[test]
    fn a_game_that_went_on_after_its_end_is_its_position() {
        let shuffle = ["g1f3 g8f6 f3g1 f6g8"; 5].join(" ");
        let (fen, moves) = history(&game(&format!("{shuffle} b1c3")));
        assert_eq!((fen, moves.len()), (game(&format!("{shuffle} b1c3")).position().fen(), 0));
    }

    #[test]
    fn limits_that_are_not_asked_are_not_sent() {
        let limits = Limits { depth: Some(3), ..Limits::default() };
        let question = Question::new(&game("e2e4"), &limits, &Scope::default());
        let json = serde_json::to_value(&question).unwrap();
        assert_eq!(json, serde_json::json!({"fen": question.fen, "depth": 3}));
        let question = Question::new(&game("e2e4"), &limits, &Scope { threads: 4, ..Scope::default() });
        assert_eq!(serde_json::to_value(&question).unwrap()["threads"], 4);
    }
}
