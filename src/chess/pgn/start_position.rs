//! Where a game starts.

use std::borrow::Cow;

use super::{Headers, PgnErrorKind};
use crate::chess::Position;

/// The position that the headers `Variant`, `SetUp` and `FEN` let a game start from.
///
/// A `FEN` counts without `SetUp` too, but not with `SetUp "0"`. Chess960 needs no word, since the
/// castling rights of X-FEN and Shredder-FEN say all of it.
///
/// # Errors
///
/// The header's value, and what is wrong with it.
pub(super) fn from_headers(headers: &Headers) -> Result<Position, (Cow<'_, str>, PgnErrorKind)> {
    if let Some(variant) = headers.get("Variant").filter(|variant| !is_supported_variant(variant)) {
        return Err((variant.into(), PgnErrorKind::Variant));
    }
    match headers.get("FEN").map(str::trim) {
        Some(fen) if !matches!(fen, "" | "?" | "startpos") && headers.get("SetUp") != Some("0") => {
            Position::from_fen(fen).map_err(|error| (fen.into(), PgnErrorKind::Fen(error)))
        }
        _ => Ok(Position::startpos()),
    }
}

/// `true` for the names of chess and Chess960.
fn is_supported_variant(variant: &str) -> bool {
    let name: String = variant
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let names = [
        "",
        "standard",
        "chess",
        "normal",
        "fromposition",
        "960",
        "chess960",
        "freestyle",
        "freestylechess",
    ];
    names.contains(&name.as_str()) || name.starts_with("fischer")
}
