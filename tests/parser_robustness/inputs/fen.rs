//! FENs.

use kibitzer::chess::{InvalidPosition, parse_fen};

use super::position::assert_is_sound;

/// Parses the bytes as a FEN. An accepted position must be legal; a refusal must name its faults.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    match parse_fen(text) {
        Ok(reading) => {
            assert_is_sound(&reading.position);
            true
        }
        Err(refusal) => {
            assert_names_faults(&refusal);
            false
        }
    }
}

/// Asserts that a refusal names its faults and truncates the text that it repeats.
fn assert_names_faults(refusal: &InvalidPosition) {
    assert!(!refusal.faults.is_empty(), "a refusal without a fault");
    for fault in &refusal.faults {
        assert!(fault.text.chars().count() <= 200, "{fault:?}");
        assert!(!fault.detail.is_empty(), "{fault:?}");
    }
}
