//! The packed form: a position in Huffman-coded bits. Stored data depends on it, so it is frozen.

mod base64;
mod bits;
mod error;
mod layout;
mod pack;
mod unpack;

use std::fmt;

use bits::BitWriter;
use layout::MAX_BYTES;

use crate::chess::{InvalidPosition, Position, PositionError, PositionErrorCode, PositionField};

pub use error::PackedError;
pub use layout::LAYOUT_VERSION;

/// A position without its clocks in at most 32 bytes. Each position has exactly one packed form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedPosition {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

impl PackedPosition {
    /// Packs a position.
    pub fn from_position(position: &Position) -> PackedPosition {
        PackedPosition::from_bits(&pack::pack(position))
    }

    fn from_bits(bits: &BitWriter) -> PackedPosition {
        PackedPosition { bytes: bits.bytes, len: bits.byte_len() as u8 }
    }

    /// A packed form from its bytes. [`PackedPosition::to_position`] validates them.
    ///
    /// # Errors
    ///
    /// If there are more than 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<PackedPosition, PackedError> {
        let mut packed = PackedPosition { bytes: [0; MAX_BYTES], len: 0 };
        packed
            .bytes
            .get_mut(..bytes.len())
            .ok_or(PackedError::TrailingBytes)?
            .copy_from_slice(bytes);
        packed.len = bytes.len() as u8;
        Ok(packed)
    }

    /// Decodes a packed form from base64url without padding. [`PackedPosition::to_position`]
    /// validates the bytes.
    ///
    /// # Errors
    ///
    /// If the text is not base64url or has more than 32 bytes.
    pub fn from_text(text: &str) -> Result<PackedPosition, PackedError> {
        let mut packed = PackedPosition { bytes: [0; MAX_BYTES], len: 0 };
        packed.len = base64::decode(text, &mut packed.bytes)?;
        Ok(packed)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len).min(MAX_BYTES)]
    }

    /// The bytes in base64url without padding.
    pub fn to_text(&self) -> String {
        base64::encode(self.as_bytes())
    }

    /// Unpacks the position, with half-move clock 0 and full-move number 1.
    ///
    /// # Errors
    ///
    /// If the bytes are not the packed form of a legal position.
    pub fn to_position(&self) -> Result<Position, PackedError> {
        unpack::unpack(self.as_bytes())
    }
}

/// Parses a position from the text of its packed form.
///
/// # Errors
///
/// The error of the packed form, followed by the errors of the position if it is illegal.
pub fn parse_packed(text: &str) -> Result<Position, InvalidPosition> {
    PackedPosition::from_text(text).and_then(|packed| packed.to_position()).map_err(|error| {
        let mut errors = vec![PositionError::new(
            PositionErrorCode::PackedForm,
            PositionField::Packed,
            text,
            error.to_string(),
        )];
        if let PackedError::Illegal(invalid) = error {
            let in_packed = |error: PositionError| {
                PositionError::new(error.code, PositionField::Packed, text, error.detail)
            };
            errors.extend(invalid.errors.into_iter().map(in_packed));
        }
        InvalidPosition { errors }
    })
}

impl fmt::Debug for PackedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PackedPosition({})", self.to_text())
    }
}

/// The view `huffman`: the Huffman code of the board, and the packed form that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Huffman {
    /// The codes of the 64 squares a8 … h1 as `0` and `1`. The start position has 164.
    pub board: String,
    /// The length of the packed form in bits, without the padding of its last byte.
    pub packed_bit_len: usize,
    /// The packed form.
    pub packed: PackedPosition,
}

impl Huffman {
    /// The Huffman code of a position.
    pub fn from_position(position: &Position) -> Huffman {
        let bits = pack::pack(position);
        Huffman {
            board: pack::board_bit_string(position),
            packed_bit_len: bits.len,
            packed: PackedPosition::from_bits(&bits),
        }
    }

    /// The length of the board's code in bits.
    pub fn board_bit_len(&self) -> usize {
        self.board.len()
    }
}

#[cfg(test)]
mod tests;
