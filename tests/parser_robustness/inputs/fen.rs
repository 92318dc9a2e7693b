//! FENs.

use kibitzer::chess::{InvalidPosition, parse_fen};

use super::position::assert_is_sound;

/// Parses the bytes as a FEN. An accepted position must be legal; a refusal must name its errors.
pub(crate) fn check(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    match parse_fen(text) {
        Ok(reading) => {
            assert_is_sound(&reading.position);
            true
        }
        Err(refusal) => {
            assert_names_errors(&refusal);
            false
        }
    }
}

/// Asserts that a refusal names its errors and truncates the text that it repeats.
fn assert_names_errors(refusal: &InvalidPosition) {
    assert!(!refusal.errors.is_empty(), "a refusal without an error");
    for error in &refusal.errors {
        assert!(error.text.chars().count() <= 200, "{error:?}");
        assert!(!error.detail.is_empty(), "{error:?}");
    }
}
