//! What words of a game's text can be besides moves.

use std::borrow::Cow;

/// A word in ASCII as far as that can be: figurines as letters, dashes of every length as `-`.
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
            // A pawn's figurine says nothing, nor does the mark that asks for it in colour.
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

/// A word without the move number in front: `12.Nf3`, `12...Nf6`, `12Nf3`, `...Nf6`. Of a number
/// alone nothing is left.
pub(super) fn strip_move_number(word: &str) -> &str {
    if word == "0000" {
        return word;
    }
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let bare = rest.trim_start_matches('.');
    // Castling with zeros has neither point nor letter behind its first digit.
    let is_number = bare.is_empty()
        || bare.len() < rest.len()
        || bare.starts_with(|first: char| first.is_ascii_alphabetic());
    if is_number { bare } else { word }
}

/// `true` for the texts of a null move: no player has ever made one.
pub(super) fn is_null_move(word: &str) -> bool {
    matches!(word, "--" | "Z0" | "z0" | "0000" | "@@@@" | "null" | "pass")
}

/// `true` for words that tell of a move what the move tells itself.
pub(super) fn is_redundant_annotation(word: &str) -> bool {
    matches!(word, "e.p." | "e.p" | "ep" | "+" | "++" | "#" | "ch" | "ch." | "dbl" | "mate" | "-")
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
