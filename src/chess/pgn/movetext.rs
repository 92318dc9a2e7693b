//! Words of the movetext: move numbers, null moves, redundant annotations and moves in any
//! spelling.

use std::borrow::Cow;

use crate::chess::{Move, ParseMoveError, Position, parse_move};

/// A word with figurines replaced by letters, dashes of every length by `-`, and other symbols by
/// ASCII.
pub(super) fn normalize_word(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            '♔' | '♚' => plain.push('K'),
            '♕' | '♛' => plain.push('Q'),
            '♖' | '♜' => plain.push('R'),
            '♗' | '♝' => plain.push('B'),
            '♘' | '♞' => plain.push('N'),
            // A pawn has no letter. Variation selectors only choose the style of a figurine.
            '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' => {}
            '‐'..='―' | '−' => plain.push('-'),
            '×' => plain.push('x'),
            '½' => plain.push_str("1/2"),
            '…' => plain.push_str("..."),
            _ => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

/// A word without its leading move number, as in `12.Nf3`, `12...Nf6`, `12Nf3` and `...Nf6`. A move
/// number alone becomes empty.
pub(super) fn strip_move_number(word: &str) -> &str {
    if word == "0000" {
        return word;
    }
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let without_dots = rest.trim_start_matches('.');
    // Castling with zeros has neither a dot nor a letter after its first digit.
    let is_number = without_dots.is_empty()
        || without_dots.len() < rest.len()
        || without_dots.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_number { without_dots } else { word }
}

/// `true` for the spellings of a null move.
pub(super) fn is_null_move(word: &str) -> bool {
    matches!(word, "--" | "Z0" | "z0" | "0000" | "@@@@" | "null" | "pass")
}

/// `true` for annotations that only repeat a property of the move.
pub(super) fn is_redundant_annotation(word: &str) -> bool {
    matches!(word, "e.p." | "e.p" | "ep" | "+" | "++" | "#" | "ch" | "ch." | "dbl" | "mate" | "-")
}

/// Finds the legal move that a word names. Besides UCI and SAN, it accepts spellings of people and
/// old programs: `0-0`, `o-o`, `OO`, `Ke1-g1`, `nf3`, `Pe4`, `e4:d5`, `exd6e.p.`, `e7-e8=q`.
///
/// # Errors
///
/// The error of the word as UCI or SAN.
pub(super) fn parse_lenient_move(position: &Position, word: &str) -> Result<Move, ParseMoveError> {
    parse_move(position, word).or_else(|error| parse_respelled(position, word).ok_or(error))
}

fn parse_respelled(position: &Position, word: &str) -> Option<Move> {
    let stripped = word.trim_end_matches(['+', '#', '!', '?', '.', ',']);
    let stripped =
        stripped.strip_suffix("e.p").or_else(|| stripped.strip_suffix("ep")).unwrap_or(stripped);
    if let Some(castling) = normalize_castling(stripped) {
        return parse_move(position, castling).ok();
    }
    let text = stripped.replace(':', "x");
    let spellings = [
        without_pawn_letter(&text),
        with_capital_piece(&text),
        with_capital_promotion(&text),
        squares_only(&text),
    ];
    let spellings = std::iter::once(text).chain(spellings.into_iter().flatten());
    spellings.into_iter().find_map(|spelling| parse_move(position, &spelling).ok())
}

/// Castling with two or three of `O`, `o` and `0`, with or without dashes.
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

/// `nf3` as `Nf3`. A lower-case `b` is a file.
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
    // At least two squares are required: `Ke5` without a legal king move is not a pawn move to e5.
    (squares.len() < text.len() && squares.len() >= 4).then_some(squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_numbers_in_every_form_are_stripped() {
        for (word, expected) in [
            ("1.e4", "e4"),
            ("1.", ""),
            ("12", ""),
            ("1...", ""),
            ("...e5", "e5"),
            ("1...e5", "e5"),
            ("1e4", "e4"),
            ("8.0-0", "0-0"),
            ("0-0-0", "0-0-0"),
            ("0-0", "0-0"),
            ("3.--", "--"),
            ("0000", "0000"),
            ("007.Nf3", "Nf3"),
        ] {
            assert_eq!(strip_move_number(word), expected, "{word}");
        }
    }

    #[test]
    fn figurines_and_dashes_become_ascii() {
        assert_eq!(normalize_word("♘f3"), "Nf3");
        assert_eq!(normalize_word("♟\u{fe0e}e4"), "e4");
        assert_eq!(normalize_word("0–0–0"), "0-0-0");
        assert_eq!(normalize_word("½–½"), "1/2-1/2");
        assert_eq!(normalize_word("1…e5"), "1...e5");
    }
}
