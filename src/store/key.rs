//! Where an analysis is kept.

use super::bytes::{ByteReader, DecodeError};
use crate::chess::encodings::PackedPosition;

/// There are earlier positions that can come back.
const HAS_HISTORY: u8 = 1;
/// The half-move clock is part of the place.
const HAS_CLOCK: u8 = 2;

/// A position, what of its past matters, and a number of lines: of each there is one analysis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryKey {
    /// The Zobrist key of the position.
    pub zobrist_key: u64,
    /// The position.
    pub position: PackedPosition,
    /// What stands for the earlier positions that can come back; zero where there are none.
    pub history_hash: [u64; 2],
    /// The half-move clock, where the 50-move rule can matter.
    pub halfmove_clock: Option<u16>,
    /// How many of the best moves have a line.
    pub multipv: u8,
}

impl EntryKey {
    /// What the keys of all analyses of a position begin with: its Zobrist key, high byte first, so
    /// that neighbours in the file have nothing to do with each other on the board; then the packed
    /// form, its length before it.
    pub(super) fn prefix(zobrist_key: u64, position: &PackedPosition) -> Vec<u8> {
        let packed = position.as_bytes();
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&zobrist_key.to_be_bytes());
        bytes.push(packed.len() as u8);
        bytes.extend_from_slice(packed);
        bytes
    }

    /// The key in the store: [`Place::prefix`], a byte that tells what follows, history and clock
    /// where they are, lines.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = EntryKey::prefix(self.zobrist_key, &self.position);
        let history = (self.history_hash != [0; 2]).then_some(self.history_hash);
        bytes.push(
            history.map_or(0, |_| HAS_HISTORY) | self.halfmove_clock.map_or(0, |_| HAS_CLOCK),
        );
        history.iter().flatten().for_each(|half| bytes.extend_from_slice(&half.to_be_bytes()));
        self.halfmove_clock.iter().for_each(|clock| bytes.extend_from_slice(&clock.to_be_bytes()));
        bytes.push(self.multipv);
        bytes
    }

    /// Reads a key. A place has one.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<EntryKey, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        let zobrist_key = u64::from_be_bytes(reader.read_array()?);
        let length = reader.read_u8()?;
        let position = PackedPosition::from_bytes(reader.read_bytes(length.into())?)
            .map_err(|_| DecodeError)?;
        let flags = reader.read_u8()?;
        let mut history_hash = [0; 2];
        if flags & HAS_HISTORY != 0 {
            history_hash = [
                u64::from_be_bytes(reader.read_array()?),
                u64::from_be_bytes(reader.read_array()?),
            ];
        }
        let halfmove_clock = if flags & HAS_CLOCK != 0 {
            Some(u16::from_be_bytes(reader.read_array()?))
        } else {
            None
        };
        let entry_key = EntryKey {
            zobrist_key,
            position,
            history_hash,
            halfmove_clock,
            multipv: reader.read_u8()?,
        };
        reader.expect_end()?;
        if entry_key.to_bytes() == bytes { Ok(entry_key) } else { Err(DecodeError) }
    }
}
