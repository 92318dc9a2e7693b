//! Numeric annotation glyphs, and the signs that people write for them.
//!
//! The PGN standard, section 10, and the signs of the Chess Informant.

/// The glyph of an inaccuracy: `?!`.
pub const INACCURACY: u8 = 6;

/// The glyph of a mistake: `?`.
pub const MISTAKE: u8 = 2;

/// The glyph of a blunder: `??`.
pub const BLUNDER: u8 = 4;

/// Signs and their glyphs; where one sign ends in another, the longer comes first.
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

/// The glyph of a letter that stands alone: `N` for a novelty, `D` for a diagram.
pub(super) fn from_letter(text: &str) -> Option<u8> {
    match text {
        "N" => Some(146),
        "D" => Some(220),
        _ => None,
    }
}

/// The glyph of the sign at the end of a text, and the text without it.
pub(super) fn split_symbol(text: &str) -> Option<(&str, u8)> {
    // Most texts are moves without a sign.
    if text.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        return None;
    }
    NAG_SYMBOLS.iter().find_map(|&(sign, glyph)| Some((text.strip_suffix(sign)?, glyph)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_split_from_moves() {
        assert_eq!(split_symbol("e4!?"), Some(("e4", 5)));
        assert_eq!(split_symbol("Nf3±"), Some(("Nf3", 16)));
        assert_eq!(split_symbol("Qxf7+-"), Some(("Qxf7", 18)));
        assert_eq!(split_symbol("Qxf7+"), None, "a check is no sign");
        assert_eq!(split_symbol("e8=N"), None);
        assert_eq!(split_symbol("!"), Some(("", 1)));
        assert_eq!(from_letter("N"), Some(146));
    }
}
