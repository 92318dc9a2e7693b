//! The packed form of a position, as text.

use kibitzer::chess::encodings::packed::PackedPosition;

use super::position::assert_is_sound;

/// Parses the bytes as a packed form. An accepted form must be the only one of its position.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(packed) = PackedPosition::from_text(text) else { return false };
    let Ok(position) = packed.to_position() else { return false };
    assert_eq!(packed.to_text(), text, "the packed form has two spellings");
    assert_eq!(
        PackedPosition::from_position(&position),
        packed,
        "{text}: {} has two packed forms",
        position.fen()
    );
    assert_eq!(
        (position.halfmove_clock(), position.fullmove_number()),
        (0, 1),
        "{text}: the packed form has no clocks"
    );
    assert_is_sound(&position);
    true
}
