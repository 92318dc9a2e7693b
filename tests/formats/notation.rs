//! Notations: FENs and moves as users write them.

use kibitzer::chess::{CastlingNotation, Position, parse_fen, parse_move, to_san, to_uci};

use crate::positions::parse_game;
use crate::vectors::{each_json, each_line, text_of};

/// Every FEN is read or refused with the listed codes.
pub(crate) fn fens(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let fen = text_of(line, "fen")?;
        match (parse_fen(fen), line["refused"].as_str()) {
            (Err(invalid), Some(code)) => {
                let codes: Vec<_> = invalid.errors.iter().map(|error| error.code.name()).collect();
                if codes.contains(&code) {
                    Ok(())
                } else {
                    Err(format!("{fen:?}: {code} is not among {codes:?}"))
                }
            }
            (Ok(reading), None) => {
                let mut codes: Vec<_> =
                    reading.warnings.iter().map(|warning| warning.code.name()).collect();
                codes.sort_unstable();
                codes.dedup();
                let expected: Vec<_> = line["warnings"]
                    .as_array()
                    .ok_or("no warnings")?
                    .iter()
                    .filter_map(serde_json::Value::as_str)
                    .collect();
                if reading.position.fen() == text_of(line, "normalised")? && codes == expected {
                    Ok(())
                } else {
                    Err(format!("{fen:?}: read as {} with {codes:?}", reading.position.fen()))
                }
            }
            (Ok(reading), Some(code)) => {
                Err(format!("{fen:?}: read as {}, not refused as {code}", reading.position.fen()))
            }
            (Err(invalid), None) => Err(format!("{fen:?}: refused: {:?}", invalid.errors)),
        }
    })
}

/// Every FEN is read.
pub(crate) fn valid_fens(text: &str) -> Result<(), String> {
    each_line(text, |fen| {
        parse_fen(fen).map(drop).map_err(|invalid| format!("{fen}: {:?}", invalid.errors))
    })
}

/// Every FEN is refused or read with a warning.
pub(crate) fn invalid_fens(text: &str) -> Result<(), String> {
    each_line(text, |fen| match parse_fen(fen) {
        Ok(reading) if reading.warnings.is_empty() => Err(format!("{fen}: read without a warning")),
        _ => Ok(()),
    })
}

/// Every move text is read as the listed move or refused.
pub(crate) fn move_texts(text: &str) -> Result<(), String> {
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

/// Every legal move is read back from its UCI and SAN spellings.
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
