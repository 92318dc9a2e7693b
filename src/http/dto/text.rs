//! Small texts that are written without being allocated.

use serde::{Serialize, Serializer};

use crate::chess::{CastlingNotation, InlineStr, Move, Position, SanWriter, Square, to_uci_inline};

/// A 64-bit number as 16 lower-case hex digits: JSON numbers lose bits past 53.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex(pub u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(str::from_utf8(&hex_digits(self.0)).unwrap_or_default())
    }
}

/// The 16 lower-case hex digits of a number, as ASCII.
pub(crate) fn hex_digits(number: u64) -> [u8; 16] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (60 - 4 * place) & 15) as usize])
}

/// A move in UCI or SAN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveText(pub InlineStr);

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

/// A square, as `e4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareName(pub Square);

impl Serialize for SquareName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = [b'a' + self.0.file() as u8, b'1' + self.0.rank() as u8];
        serializer.serialize_str(str::from_utf8(&name).unwrap_or_default())
    }
}

/// The texts of a line of legal moves from a position, each in UCI and in SAN.
pub(crate) fn line_texts(
    start: &Position,
    moves: &[Move],
    castling: CastlingNotation,
) -> impl Iterator<Item = (MoveText, MoveText)> {
    let mut position = start.clone();
    moves.iter().map(move |&mv| {
        let texts =
            (to_uci_inline(&position, mv, castling), SanWriter::new(&position).write(mv).text);
        position = position.after(mv);
        (MoveText(texts.0), MoveText(texts.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_keys_are_strings() {
        assert_eq!(serde_json::to_string(&SquareName(Square::E8)).unwrap(), "\"e8\"");
        assert_eq!(serde_json::to_string(&Hex(0xff)).unwrap(), "\"00000000000000ff\"");
    }
}
