//! A position for people to look at.

use std::fmt::Write as _;

use crate::chess::{File, Position, Rank, Square};

/// The board with White below, the FEN, the key, and who gives check.
pub(super) fn format_board(position: &Position) -> String {
    const EDGE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(EDGE);
    for index in (0..8).rev() {
        let rank = Rank::from_index(index);
        for file in File::ALL {
            let letter =
                position.piece_at(Square::new(file, rank)).map_or(' ', |piece| piece.letter());
            text.push_str(" | ");
            text.push(letter);
        }
        text.push_str(" | ");
        text.push(char::from(b'1' + index));
        text.push('\n');
        text.push_str(EDGE);
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> =
        position.checkers().into_iter().map(|square| square.to_string()).collect();
    let checkers = if checkers.is_empty() { "none".to_owned() } else { checkers.join(" ") };
    // Writing to a String cannot fail.
    let _ =
        write!(text, "fen {}\nkey {:016x}\ncheckers {checkers}", position.fen(), position.key());
    text
}
