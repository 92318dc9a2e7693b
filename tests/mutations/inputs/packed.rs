//! The packed form of a position, as text.

use kibitzer::chess::encodings::packed::PackedPosition;

use super::fen;

/// Reads any bytes as a packed form. What is accepted must be the one packed form of its position.
pub(crate) fn read(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(packed) = PackedPosition::from_text(text) else { return false };
    let Ok(position) = packed.to_position() else { return false };
    assert_eq!(packed.to_text(), text, "a second spelling of one packed form");
    assert_eq!(
        PackedPosition::from_position(&position),
        packed,
        "{text}: a second packed form of {}",
        position.fen()
    );
    assert_eq!(
        (position.halfmove_clock(), position.fullmove_number()),
        (0, 1),
        "{text}: clocks are not packed"
    );
    fen::assert_is_sound(&position);
    true
}
