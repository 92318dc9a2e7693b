//! Stored analyses and their keys.

use std::sync::Arc;
use std::time::Duration;

use super::bytes::{ByteReader, DecodeError};
use crate::chess::encodings::PackedPosition;
use crate::engine::Report;

/// A finished analysis and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key.
    pub key: EntryKey,
    /// The search result. Its [`raw_score`](Report::raw_score) is not stored: only the search
    /// itself uses it.
    pub report: Arc<Report>,
    /// The search limits that the analysis satisfies.
    pub effort: StoredEffort,
    /// The most nodes that any search spent on this analysis: what a cache hit saves.
    pub nodes_saved: u64,
    /// Time of storing, in milliseconds since 1970.
    pub stored_ms: u64,
}

/// The search limits that an analysis satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEffort {
    /// Nodes.
    pub nodes: u64,
    /// Time. The store keeps nanoseconds up to centuries, and longer times as [`Duration::MAX`].
    pub time: Duration,
    /// Depth in plies.
    pub depth: u8,
}

/// The key has a history hash.
const HAS_HISTORY: u8 = 1;
/// The key has a half-move clock.
const HAS_CLOCK: u8 = 2;

/// The key of an analysis: the position, the relevant part of its history, and the number of lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntryKey {
    /// The Zobrist key of the position.
    pub zobrist_key: u64,
    /// The position.
    pub position: PackedPosition,
    /// A hash of the earlier positions that can be repeated; zero when there are none.
    pub history_hash: [u64; 2],
    /// The half-move clock, when the 50-move rule can matter.
    pub halfmove_clock: Option<u16>,
    /// MultiPV: the number of lines.
    pub multipv: u8,
}

impl EntryKey {
    /// The part of the encoded key that follows [`EntryKey::position_bytes`].
    pub fn context_bytes(&self) -> Vec<u8> {
        let prefix = EntryKey::position_bytes(self.zobrist_key, &self.position);
        self.to_bytes().split_off(prefix.len())
    }

    /// The common prefix of all keys of a position: its Zobrist key in big-endian order, the length
    /// of its packed form, and the packed form.
    ///
    /// The hash comes first, so neighbours in the file are unrelated positions.
    pub fn position_bytes(zobrist_key: u64, position: &PackedPosition) -> Vec<u8> {
        let packed = position.as_bytes();
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&zobrist_key.to_be_bytes());
        bytes.push(packed.len() as u8);
        bytes.extend_from_slice(packed);
        bytes
    }

    /// Encodes the key: [`EntryKey::position_bytes`], a flag byte, the history hash and the clock when
    /// present, and the number of lines.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = EntryKey::position_bytes(self.zobrist_key, &self.position);
        let history = (self.history_hash != [0; 2]).then_some(self.history_hash);
        bytes.push(
            history.map_or(0, |_| HAS_HISTORY) | self.halfmove_clock.map_or(0, |_| HAS_CLOCK),
        );
        history.iter().flatten().for_each(|half| bytes.extend_from_slice(&half.to_be_bytes()));
        self.halfmove_clock.iter().for_each(|clock| bytes.extend_from_slice(&clock.to_be_bytes()));
        bytes.push(self.multipv);
        bytes
    }

    /// Decodes a key. Only the canonical encoding is valid.
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
        let key = EntryKey {
            zobrist_key,
            position,
            history_hash,
            halfmove_clock,
            multipv: reader.read_u8()?,
        };
        reader.expect_end()?;
        if key.to_bytes() == bytes { Ok(key) } else { Err(DecodeError) }
    }
}
