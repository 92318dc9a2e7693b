mod errors;
mod leniency;
mod random;
mod round_trip;
mod writing;

use super::*;
use crate::chess::{CastlingNotation, Position, to_uci};

/// The games of a text, which must all be valid.
fn games(text: &str) -> Vec<PgnGame> {
    PgnReader::new(text)
        .map(|game| game.unwrap_or_else(|bad| panic!("{}\nin:\n{text}", bad.error)))
        .collect()
}

/// The only game of a text.
fn game(text: &str) -> PgnGame {
    let mut games = games(text);
    assert_eq!(games.len(), 1, "games in {text}");
    games.remove(0)
}

/// The moves of a line in UCI, castling as king takes rook.
fn uci(start: &Position, line: &Line) -> String {
    let mut position = start.clone();
    let mut texts = Vec::new();
    for mv in &line.moves {
        texts.push(to_uci(&position, mv.mv(), CastlingNotation::Chess960));
        position.play(mv.mv());
    }
    texts.join(" ")
}

/// The moves of the only game of a text.
fn moves(text: &str) -> String {
    let game = game(text);
    uci(&game.start, &game.line)
}
