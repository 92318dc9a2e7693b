//! Bit streams in bytes, most significant bit first.

use super::error::PackedError;
use super::layout::{DECODE_TABLE, MAX_BYTES};
use crate::chess::Piece;

/// A writer of bits into the bytes of a packed form.
pub(super) struct BitWriter {
    /// The bytes. Unused bits are zero.
    pub(super) bytes: [u8; MAX_BYTES],
    /// The number of bits written.
    pub(super) len: usize,
}

impl BitWriter {
    pub(super) fn new() -> BitWriter {
        BitWriter { bytes: [0; MAX_BYTES], len: 0 }
    }

    /// Writes the lowest `count` bits, at most 8, the most significant first.
    pub(super) fn write_bits(&mut self, bits: u8, count: u8) {
        let (byte, used) = (self.len / 8, (self.len % 8) as u8);
        let window = (u16::from(bits) << (16 - count)) >> used;
        let [first, second] = window.to_be_bytes();
        for (target, bits) in self.bytes.iter_mut().skip(byte).zip([first, second]) {
            *target |= bits;
        }
        self.len += usize::from(count);
    }

    /// The number of bytes written, the last one padded with zeros.
    pub(super) const fn byte_len(&self) -> usize {
        self.len.div_ceil(8)
    }
}

/// A reader of bits.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    bit_offset: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, bit_offset: 0 }
    }

    /// The next `count` bits, at most 8. Bits after the end are zeros.
    fn peek(&self, count: u8) -> u8 {
        let byte =
            |n: usize| u16::from(self.bytes.get(self.bit_offset / 8 + n).copied().unwrap_or(0));
        let window = (byte(0) << 8 | byte(1)) << (self.bit_offset % 8);
        (window >> (16 - count)) as u8
    }

    fn skip(&mut self, count: u8) -> Result<(), PackedError> {
        self.bit_offset += usize::from(count);
        if self.bit_offset > 8 * self.bytes.len() { Err(PackedError::TooShort) } else { Ok(()) }
    }

    /// Reads `count` bits, at most 8.
    pub(super) fn read_bits(&mut self, count: u8) -> Result<u8, PackedError> {
        let bits = self.peek(count);
        self.skip(count)?;
        Ok(bits)
    }

    /// Reads one bit.
    pub(super) fn read_flag(&mut self) -> Result<bool, PackedError> {
        Ok(self.read_bits(1)? == 1)
    }

    /// Reads the Huffman code of a square's content.
    pub(super) fn read_square(&mut self) -> Result<Option<Piece>, PackedError> {
        let (piece, len) = DECODE_TABLE[usize::from(self.peek(6) & 63)];
        self.skip(len)?;
        Ok(piece)
    }

    /// Checks that only the zero padding of the last byte is left.
    pub(super) fn finish(mut self) -> Result<(), PackedError> {
        if self.bit_offset.div_ceil(8) != self.bytes.len() {
            return Err(PackedError::TrailingBytes);
        }
        let rest = (8 - self.bit_offset % 8) as u8 % 8;
        if rest > 0 && self.read_bits(rest)? != 0 { Err(PackedError::Padding) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::huffman_code;
    use super::*;

    #[test]
    fn each_code_is_read_back() {
        for piece in Piece::ALL.into_iter().map(Some).chain([None]) {
            let mut writer = BitWriter::new();
            writer.write_bits(0b101, 3);
            writer.write_bits(huffman_code(piece).bits, huffman_code(piece).len);
            let mut reader = BitReader::new(&writer.bytes[..writer.byte_len()]);
            assert_eq!(reader.read_bits(3).unwrap(), 0b101);
            assert_eq!(reader.read_square().unwrap(), piece);
            reader.finish().unwrap();
        }
    }
}
