//! Where an analysis is kept.

use super::bytes::{Reader, Unreadable};
use crate::chess::forms::Packed;

/// There are earlier positions that can come back.
const HAS_HISTORY: u8 = 1;
/// The half-move clock is part of the place.
const HAS_CLOCK: u8 = 2;

/// A position, what of its past matters, and a number of lines: of each there is one analysis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The Zobrist key of the position.
    pub key: u64,
    /// The position.
    pub position: Packed,
    /// What stands for the earlier positions that can come back; zero where there are none.
    pub history: [u64; 2],
    /// The half-move clock, where the 50-move rule can matter.
    pub clock: Option<u16>,
    /// How many of the best moves have a line.
    pub lines: u8,
}

impl Place {
    /// What the keys of all analyses of a position begin with: its Zobrist key, high byte first, so
    /// that neighbours in the file have nothing to do with each other on the board; then the packed
    /// form, its length before it.
    pub(super) fn prefix(key: u64, position: &Packed) -> Vec<u8> {
        let packed = position.as_bytes();
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&key.to_be_bytes());
        bytes.push(packed.len() as u8);
        bytes.extend_from_slice(packed);
        bytes
    }

    /// The key in the store: [`Place::prefix`], a byte that tells what follows, history and clock
    /// where they are, lines.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Place::prefix(self.key, &self.position);
        let history = (self.history != [0; 2]).then_some(self.history);
        bytes.push(history.map_or(0, |_| HAS_HISTORY) | self.clock.map_or(0, |_| HAS_CLOCK));
        history.iter().flatten().for_each(|half| bytes.extend_from_slice(&half.to_be_bytes()));
        self.clock.iter().for_each(|clock| bytes.extend_from_slice(&clock.to_be_bytes()));
        bytes.push(self.lines);
        bytes
    }

    /// Reads a key. A place has one.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Place, Unreadable> {
        let mut reader = Reader::new(bytes);
        let key = u64::from_be_bytes(reader.array()?);
        let length = reader.byte()?;
        let position = Packed::from_bytes(reader.take(length.into())?).map_err(|_| Unreadable)?;
        let flags = reader.byte()?;
        let mut history = [0; 2];
        if flags & HAS_HISTORY != 0 {
            history = [u64::from_be_bytes(reader.array()?), u64::from_be_bytes(reader.array()?)];
        }
        let clock =
            if flags & HAS_CLOCK != 0 { Some(u16::from_be_bytes(reader.array()?)) } else { None };
        let place = Place { key, position, history, clock, lines: reader.byte()? };
        reader.end()?;
        if place.to_bytes() == bytes { Ok(place) } else { Err(Unreadable) }
    }
}
