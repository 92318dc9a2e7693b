//! Moves that are written neither as SAN nor as UCI, and what is meant.

use crate::chess::{Move, ParseMoveError, Position, parse_move};

/// Finds the legal move that a word of a game means: as it stands, or respelled as people and old
/// programs write: `0-0`, `o-o`, `OO`, `Ke1-g1`, `nf3`, `Pe4`, `e4:d5`, `exd6e.p.`, `e7-e8=q`.
///
/// # Errors
///
/// Those of the word as it stands.
pub(super) fn parse_lenient_move(position: &Position, word: &str) -> Result<Move, ParseMoveError> {
    parse_move(position, word).or_else(|error| parse_respelled(position, word).ok_or(error))
}

fn parse_respelled(position: &Position, word: &str) -> Option<Move> {
    let bare = word.trim_end_matches(['+', '#', '!', '?', '.', ',']);
    let bare = bare.strip_suffix("e.p").or_else(|| bare.strip_suffix("ep")).unwrap_or(bare);
    if let Some(castling) = normalize_castling(bare) {
        return parse_move(position, castling).ok();
    }
    let text = bare.replace(':', "x");
    let spellings = [
        without_pawn_letter(&text),
        with_capital_piece(&text),
        with_capital_promotion(&text),
        squares_only(&text),
    ];
    let spellings = std::iter::once(text).chain(spellings.into_iter().flatten());
    spellings.into_iter().find_map(|spelling| parse_move(position, &spelling).ok())
}

/// Castling in any letters: two or three of `O`, `o` and `0`, with or without dashes.
fn normalize_castling(text: &str) -> Option<&'static str> {
    if !text.bytes().all(|letter| matches!(letter, b'O' | b'o' | b'0' | b'-')) {
        return None;
    }
    match text.bytes().filter(|&letter| letter != b'-').count() {
        2 => Some("O-O"),
        3 => Some("O-O-O"),
        _ => None,
    }
}

/// `Pe4` as `e4`.
fn without_pawn_letter(text: &str) -> Option<String> {
    text.strip_prefix(['P', 'p']).map(str::to_owned)
}

/// `nf3` as `Nf3`. A small `b` is a file.
fn with_capital_piece(text: &str) -> Option<String> {
    text.starts_with(['n', 'r', 'q', 'k']).then(|| text[..1].to_ascii_uppercase() + &text[1..])
}

/// `e8=q` as `e8=Q`.
fn with_capital_promotion(text: &str) -> Option<String> {
    let (path, letter) = text.split_at_checked(text.len().checked_sub(1)?)?;
    matches!(letter, "n" | "b" | "r" | "q").then(|| path.to_owned() + &letter.to_ascii_uppercase())
}

/// `Ke1-g1` as `e1g1`, `e7-e8=q` as `e7e8q`.
fn squares_only(text: &str) -> Option<String> {
    let squares: String = text.strip_prefix('K').unwrap_or(text).replace(['-', '=', 'x'], "");
    // `Ke5` without a king that goes there is no pawn's move.
    (squares.len() < text.len() && squares.len() >= 4).then_some(squares)
}
