//! The packed form: a position in Huffman-coded bits. Frozen: stored data depends on it.

mod base64;
mod bits;
mod pack;
mod unpack;

use std::fmt;

use crate::chess::{InvalidPosition, Position, PositionFault, PositionFaultCode, PositionField};

pub(super) use pack::{board_bit_string, packed_bit_len};
pub use unpack::PackedError;

/// The layout that is written and read.
pub const LAYOUT_VERSION: u8 = 1;

/// No legal position needs more: 4 bits of version, 32 men of 6 bits, 32 empty squares, 9 bits of
/// state, 13 of castling.
const MAX_BYTES: usize = 32;

/// A position without its clocks, packed into at most 32 bytes. One position has one packed form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedPosition {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

impl PackedPosition {
    /// Packs a position.
    pub fn from_position(position: &Position) -> PackedPosition {
        pack::pack(position).packed
    }

    /// Takes bytes that somebody stored or sent. Whether they are a position is asked by
    /// [`Packed::position`].
    ///
    /// # Errors
    ///
    /// When they are more than any position needs.
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

    /// Reads base64url without padding. Whether the bytes are a position is asked by
    /// [`Packed::position`].
    ///
    /// # Errors
    ///
    /// When the text is not base64url, or longer than that of any position.
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

    /// Unpacks the position, with a half-move clock of 0 and move number 1.
    ///
    /// # Errors
    ///
    /// When the bytes are not the one packed form of a legal position.
    pub fn to_position(&self) -> Result<Position, PackedError> {
        unpack::unpack(self.as_bytes())
    }
}

/// Reads a position in the packed form's text.
///
/// # Errors
///
/// The fault of the form; of an illegal position its own faults too.
pub fn parse_packed(text: &str) -> Result<Position, InvalidPosition> {
    PackedPosition::from_text(text).and_then(|packed| packed.to_position()).map_err(|error| {
        let mut faults = vec![PositionFault::new(
            PositionFaultCode::PackedForm,
            PositionField::Packed,
            text,
            error.to_string(),
        )];
        if let PackedError::Illegal(position) = error {
            let own = |fault: PositionFault| {
                PositionFault::new(fault.code, PositionField::Packed, text, fault.detail)
            };
            faults.extend(position.faults.into_iter().map(own));
        }
        InvalidPosition { faults }
    })
}

impl fmt::Debug for PackedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packed({})", self.to_text())
    }
}

#[cfg(test)]
mod tests;
