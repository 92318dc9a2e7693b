//! The packed form: each position has exactly one, and every other form is refused.

use kibitzer::chess::encodings::{PackedPosition, parse_packed};
use kibitzer::chess::{PositionErrorCode, Setup};

use crate::positions::parse_game;
use crate::vectors::{each_json, text_of};

pub(crate) fn read_back(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let game = parse_game(line)?;
        let packed = text_of(&line["views"]["huffman"], "packed")?;
        let read = parse_packed(packed).map_err(|error| error.to_string())?;
        let clockless =
            Setup { halfmove_clock: 0, fullmove_number: 1, ..game.position().to_setup() };
        if read.to_setup() != clockless || read.key() != game.position().key() {
            return Err(format!("{packed} is read as {}", read.fen()));
        }
        if PackedPosition::from_position(&read) != PackedPosition::from_position(game.position()) {
            return Err(format!("{packed} has two packed forms"));
        }
        Ok(())
    })
}

pub(crate) fn refused(text: &str) -> Result<(), String> {
    each_json(text, |line| {
        let packed = text_of(line, "packed")?;
        let why = text_of(line, "refused")?;
        let invalid = match parse_packed(packed) {
            Ok(position) => return Err(format!("{packed} ({why}) is read as {}", position.fen())),
            Err(invalid) => invalid,
        };
        let error = invalid.errors.first().ok_or("no error")?;
        if error.code != PositionErrorCode::PackedForm || error.text != packed {
            return Err(format!("{packed}: the first error is {error:?}"));
        }
        if !reasons(why).iter().any(|reason| error.detail.contains(reason)) {
            return Err(format!("{packed}: the reason is {why:?}, not {:?}", error.detail));
        }
        Ok(())
    })
}

/// The texts of which our detail contains one, for a reason of the vectors.
fn reasons(why: &str) -> &'static [&'static str] {
    match why {
        "another layout version" | "layout version 0" => &["layout version"],
        "bytes left over" => &["bytes after the end"],
        "runs past the end" => &["ends before"],
        // The padding is in the last byte of the position, or in the last character of the text.
        "padding is not zero" => &["must be zero"],
        "en passant bit without a legal capture" => &["en passant bit is set"],
        "file bits without the en passant bit" => &["file is set without"],
        "long form of rights where the short one would do" => &["standard ones"],
        "a right without its king and rook" => &["no king and rook in place"],
        "the side that does not move is in check" => &["is in check"],
        _ => &[],
    }
}
