//! Positions and scores as text that a language model reads.

use std::fmt::Write as _;

use serde_json::Value;

use crate::chess::{Color, File, Position, Rank, Square, parse_fen};

/// The position of a FEN that the API has written.
pub(super) fn position_of(fen: &str) -> Option<Position> {
    parse_fen(fen).ok().map(|parsed| parsed.position)
}

/// The FEN and the board. White's pieces are capitals, and White is at the bottom.
pub(super) fn describe_position(fen: &str) -> String {
    let mut text = format!("FEN: {fen}\n\n");
    let Some(position) = position_of(fen) else { return text };
    for index in (0..8).rev() {
        let _ = write!(text, "{}", index + 1);
        for file in File::ALL {
            let piece = position.piece_at(Square::new(file, Rank::from_index(index)));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.letter()));
        }
        text.push('\n');
    }
    text.push_str("  a b c d e f g h\n");
    text
}

/// Whose turn it is, or how the game has ended, from the members of a state.
pub(super) fn describe_state(state: &Value) -> String {
    let text = |name: &str| state[name].as_str().unwrap_or_default();
    let turn = name_of(text("turn"));
    match text("status") {
        "checkmate" => format!("Checkmate: {} has won.", name_of(text("winner"))),
        "stalemate" => "Stalemate: the game is drawn.".to_owned(),
        "draw" => format!("The game is drawn: {}.", text("draw_reason").replace('_', " ")),
        _ if state["check"] == true => format!("{turn} is to move and in check."),
        _ => format!("{turn} is to move."),
    }
}

/// The name of a colour in the API.
fn name_of(color: &str) -> &'static str {
    if color == Color::Black.name() { "Black" } else { "White" }
}

/// A score from White's point of view, in pawns or as a mate.
pub(super) fn describe_white_score(score: &Value) -> String {
    let value = score["value"].as_i64().unwrap_or_default();
    match (score["type"].as_str(), value) {
        (Some("mate"), 0) => "checkmate".to_owned(),
        (Some("mate"), 1..) => format!("White mates in {value}"),
        (Some("mate"), _) => format!("Black mates in {}", -value),
        _ => pawns(value),
    }
}

/// A score from the point of view of the player who moves, in pawns or as a mate.
pub(super) fn describe_own_score(score: &Value) -> String {
    let value = score["value"].as_i64().unwrap_or_default();
    match (score["type"].as_str(), value) {
        (Some("mate"), 0) => "checkmate".to_owned(),
        (Some("mate"), 1..) => format!("mates in {value}"),
        (Some("mate"), _) => format!("is mated in {}", -value),
        _ => pawns(value),
    }
}

fn pawns(centipawns: i64) -> String {
    format!("{:+.2}", centipawns as f64 / 100.0)
}

/// The texts of an array, separated by spaces.
pub(super) fn joined(array: &Value) -> String {
    let texts = array.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_board_has_white_at_the_bottom() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let expected = "FEN: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n\n\
            8 . . . . k . . .\n7 . . . . . . . .\n6 . . . . . . . .\n5 . . . . . . . .\n\
            4 . . . . . . . .\n3 . . . . . . . .\n2 . . . . P . . .\n1 . . . . K . . .\n  \
            a b c d e f g h\n";
        assert_eq!(describe_position(fen), expected);
    }

    #[test]
    fn scores_name_the_side() {
        for (score, white, own) in [
            (json!({ "type": "cp", "value": -65 }), "-0.65", "-0.65"),
            (json!({ "type": "cp", "value": 0 }), "+0.00", "+0.00"),
            (json!({ "type": "mate", "value": 3 }), "White mates in 3", "mates in 3"),
            (json!({ "type": "mate", "value": -1 }), "Black mates in 1", "is mated in 1"),
            (json!({ "type": "mate", "value": 0 }), "checkmate", "checkmate"),
        ] {
            assert_eq!(describe_white_score(&score), white);
            assert_eq!(describe_own_score(&score), own);
        }
    }
}
