//! `positions.jsonl`: a FEN, moves, and every encoding of the position that they lead to.
//! `views.jsonl`: a FEN and two more encodings.

use kibitzer::chess::encodings::{Mailbox69, UndoableMove};
use kibitzer::chess::{Game, Move, Position, parse_move};
use serde_json::{Value, json};

use crate::json;
use crate::vectors::{each_json, text_of};

/// The game of a line.
pub(crate) fn parse_game(line: &Value) -> Result<Game, String> {
    let start = Position::from_fen(text_of(line, "fen")?).map_err(|error| error.to_string())?;
    let mut game = Game::new(start);
    for text in line["moves"].as_array().ok_or("no moves")? {
        let text = text.as_str().ok_or("a move is not a string")?;
        let mv = parse_move(game.position(), text).map_err(|error| format!("{text}: {error}"))?;
        game.play(mv);
    }
    Ok(game)
}

/// Each move of a game with the position before it.
fn plies(game: &Game) -> impl Iterator<Item = (&Position, Move)> {
    game.moves().iter().enumerate().filter_map(|(n, &mv)| Some((game.position_before(n)?, mv)))
}

pub(crate) fn every_encoding(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let game = parse_game(line)?;
        let position = game.position();
        let ours = json!({
            "fen": line["fen"],
            "moves": line["moves"],
            "normalised": position.fen(),
            "shredder_fen": position.shredder_fen(),
            "key": json::key(position),
            "played": plies(&game).map(|(before, mv)| json::played(before, mv)).collect::<Vec<_>>(),
            "views": json::views(&game),
            "edges": json::edges(position),
        });
        json::expect_equal(&ours, line)
    })
}

pub(crate) fn magics_and_zobrist_numbers(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let position =
            Position::from_fen(text_of(line, "fen")?).map_err(|error| error.to_string())?;
        let ours = json!({
            "fen": line["fen"],
            "key": json::key(&position),
            "magics": json::magics(&position),
            "zobrist": json::zobrist(&position),
        });
        json::expect_equal(&ours, line)
    })
}

pub(crate) fn undoable_moves(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let game = parse_game(line)?;
        let last = game.position();
        let edges = last.legal_moves().to_vec();
        for (before, mv) in plies(&game).chain(edges.iter().map(|&mv| (last, mv))) {
            let instruction = UndoableMove::new(before, mv);
            let original = Mailbox69::from_position(before);
            let mut list = original.clone();
            list.apply(&instruction);
            json::expect_equal(
                &json::list(&list),
                &json::list(&Mailbox69::from_position(&before.after(mv))),
            )?;
            list.undo(&instruction);
            json::expect_equal(&json::list(&list), &json::list(&original))?;
        }
        Ok(())
    })
}

/// Every spelling of the FEN gives the same position, and undoing all moves gives the start.
pub(crate) fn spellings(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let mut game = parse_game(line)?;
        let position = game.position().clone();
        for spelling in [position.fen(), position.shredder_fen(), position.fen().replace(' ', "__")]
        {
            let read =
                Position::from_fen(&spelling).map_err(|error| format!("{spelling}: {error}"))?;
            if read != position {
                return Err(format!("{spelling} is another position"));
            }
        }
        let start = game.start().clone();
        while game.undo().is_some() {}
        if *game.position() == start && game.moves().is_empty() {
            Ok(())
        } else {
            Err("undoing all moves does not give the start".to_owned())
        }
    })
}
