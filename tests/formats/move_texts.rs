//! Moves as people write them.

use kibitzer::chess::{CastlingNotation, Position, parse_move, to_san, to_uci};

use crate::positions::parse_game;
use crate::{each_json, text_of};

pub(crate) fn texts(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let (fen, text) = (text_of(line, "fen")?, text_of(line, "text")?);
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let read = parse_move(&position, text)
            .ok()
            .map(|mv| to_uci(&position, mv, CastlingNotation::Standard));
        if read.as_deref() == line["uci"].as_str() {
            Ok(())
        } else {
            Err(format!("{text:?} in {fen} is read as {read:?}, expected {}", line["uci"]))
        }
    })
}

/// Every legal move is read back from every spelling that we write.
pub(crate) fn written_moves(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let game = parse_game(line)?;
        let position = game.position();
        for mv in &position.legal_moves() {
            let uci = to_uci(position, mv, CastlingNotation::Standard);
            let uci960 = to_uci(position, mv, CastlingNotation::Chess960);
            for text in [uci, uci960, to_san(position, mv)] {
                if parse_move(position, &text) != Ok(mv) {
                    return Err(format!("{text} is not read as {mv:?} in {}", position.fen()));
                }
            }
        }
        Ok(())
    })
}
