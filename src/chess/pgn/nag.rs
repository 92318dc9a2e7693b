//! Numeric annotation glyphs (NAGs) and their symbols.
//!
//! The PGN standard, section 10, and the symbols of the Chess Informant.

/// The NAG of an inaccuracy: `?!`.
pub const INACCURACY: u8 = 6;

/// The NAG of a mistake: `?`.
pub const MISTAKE: u8 = 2;

/// The NAG of a blunder: `??`.
pub const BLUNDER: u8 = 4;

/// Symbols and their NAGs. A symbol comes before every symbol that is a suffix of it.
const NAG_SYMBOLS: [(&str, u8); 23] = [
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("!", 1),
    ("?", 2),
    ("□", 7),
    ("∞", 13),
    ("+/=", 14),
    ("=/+", 15),
    ("+/-", 16),
    ("-/+", 17),
    ("+--", 20),
    ("--+", 21),
    ("+=", 14),
    ("=+", 15),
    ("+-", 18),
    ("-+", 19),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("∓", 17),
    ("=", 10),
];

/// The NAG of a single letter: `N` for a novelty, `D` for a diagram.
pub(super) fn from_letter(text: &str) -> Option<u8> {
    match text {
        "N" => Some(146),
        "D" => Some(220),
        _ => None,
    }
}

/// Splits the symbol at the end of a text from it and returns the rest and the NAG.
pub(super) fn split_symbol(text: &str) -> Option<(&str, u8)> {
    // Most texts are moves without a symbol.
    if text.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        return None;
    }
    NAG_SYMBOLS.iter().find_map(|&(symbol, nag)| Some((text.strip_suffix(symbol)?, nag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_split_from_moves() {
        assert_eq!(split_symbol("e4!?"), Some(("e4", 5)));
        assert_eq!(split_symbol("Nf3±"), Some(("Nf3", 16)));
        assert_eq!(split_symbol("Qxf7+-"), Some(("Qxf7", 18)));
        assert_eq!(split_symbol("Qxf7+"), None, "a check mark is not a symbol");
        assert_eq!(split_symbol("e8=N"), None);
        assert_eq!(split_symbol("!"), Some(("", 1)));
        assert_eq!(from_letter("N"), Some(146));
    }
}
