//! Bits in bytes, most significant first, and the Huffman codes of the squares.

use super::{MAX_BYTES, PackedError, PackedPosition};
use crate::chess::Piece;

/// The code of an empty square or a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HuffmanCode {
    /// The bits, the first one the most significant of `len`.
    pub(super) bits: u8,
    /// The number of bits.
    pub(super) len: u8,
}

/// The code of what stands on a square (frozen).
pub(super) const fn huffman_code(piece: Option<Piece>) -> HuffmanCode {
    let (bits, len) = match piece {
        None => (0b0, 1),
        Some(Piece::WhitePawn) => (0b100, 3),
        Some(Piece::BlackPawn) => (0b101, 3),
        Some(Piece::WhiteBishop) => (0b11000, 5),
        Some(Piece::WhiteKnight) => (0b11001, 5),
        Some(Piece::BlackKnight) => (0b11100, 5),
        Some(Piece::BlackRook) => (0b11101, 5),
        Some(Piece::WhiteRook) => (0b11110, 5),
        Some(Piece::BlackBishop) => (0b11111, 5),
        Some(Piece::BlackKing) => (0b110100, 6),
        Some(Piece::BlackQueen) => (0b110101, 6),
        Some(Piece::WhiteKing) => (0b110110, 6),
        Some(Piece::WhiteQueen) => (0b110111, 6),
    };
    HuffmanCode { bits, len }
}

/// For each run of six bits what it begins with, and how many bits that takes. The code is
/// complete: every run begins with one.
static DECODE_TABLE: [(Option<Piece>, u8); 64] = {
    let mut table = [(None, 1); 64];
    let mut n = 0;
    while n < Piece::ALL.len() {
        let piece = Some(Piece::ALL[n]);
        let HuffmanCode { bits, len } = huffman_code(piece);
        let mut rest = 0;
        while rest < 1 << (6 - len) {
            table[(bits << (6 - len)) as usize + rest] = (piece, len);
            rest += 1;
        }
        n += 1;
    }
    table
};

/// Bits that are being written.
pub(super) struct BitWriter {
    pub(super) packed: PackedPosition,
    /// How many bits there are.
    pub(super) len: usize,
}

impl BitWriter {
    pub(super) fn new() -> BitWriter {
        BitWriter { packed: PackedPosition { bytes: [0; MAX_BYTES], len: 0 }, len: 0 }
    }

    /// Writes the lowest `count` bits, at most 8, the most significant first.
    pub(super) fn write_bits(&mut self, bits: u8, count: u8) {
        let (byte, used) = (self.len / 8, (self.len % 8) as u8);
        let window = (u16::from(bits) << (16 - count)) >> used;
        let [first, second] = window.to_be_bytes();
        for (target, bits) in self.packed.bytes.iter_mut().skip(byte).zip([first, second]) {
            *target |= bits;
        }
        self.len += usize::from(count);
        self.packed.len = self.len.div_ceil(8) as u8;
    }
}

/// Bits that are being read.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    bit_offset: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, bit_offset: 0 }
    }

    /// The next `count` bits, at most 8, with zeros behind the end.
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

    /// Reads what stands on a square.
    pub(super) fn read_square(&mut self) -> Result<Option<Piece>, PackedError> {
        let (piece, len) = DECODE_TABLE[usize::from(self.peek(6) & 63)];
        self.skip(len)?;
        Ok(piece)
    }

    /// Asks that nothing but zeros up to the end of the byte is left.
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
    use super::*;

    #[test]
    fn the_huffman_codes_form_a_complete_prefix_code() {
        let all = Piece::ALL.into_iter().map(Some).chain([None]);
        let leaves: u32 = all.map(|piece| 1 << (6 - huffman_code(piece).len)).sum();
        assert_eq!(leaves, 64);
    }

    #[test]
    fn each_code_is_read_back() {
        for piece in Piece::ALL.into_iter().map(Some).chain([None]) {
            let mut writer = BitWriter::new();
            writer.write_bits(0b101, 3);
            writer.write_bits(huffman_code(piece).bits, huffman_code(piece).len);
            let mut reader = BitReader::new(writer.packed.as_bytes());
            assert_eq!(reader.read_bits(3).unwrap(), 0b101);
            assert_eq!(reader.read_square().unwrap(), piece);
            reader.finish().unwrap();
        }
    }
}
