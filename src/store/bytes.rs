//! Byte encodings of numbers, texts, moves and scores that both files share.

use crate::chess::Move;
use crate::engine::Score;

/// Bytes that are not a valid encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged or of another format")]
pub struct DecodeError;

/// A cursor over encoded bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader(bytes)
    }

    /// Reads `count` bytes.
    pub(crate) fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(DecodeError)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads all bytes that are left.
    pub(crate) fn read_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Reads `N` bytes as an array.
    pub(crate) fn read_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.read_bytes(N)?.try_into().map_err(|_| DecodeError)
    }

    pub(crate) fn read_u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.read_array::<1>()?[0])
    }

    /// Reads a LEB128 number: seven bits per byte, lowest first; the highest bit is set on every
    /// byte but the last.
    pub(crate) fn read_varint(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.read_u8()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(DecodeError);
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(DecodeError)
    }

    /// Reads a signed LEB128 number in zigzag encoding: 0, −1, 1, −2 are 0, 1, 2, 3.
    pub(crate) fn read_signed_varint(&mut self) -> Result<i32, DecodeError> {
        let number = u32::try_from(self.read_varint()?).map_err(|_| DecodeError)?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// Reads a LEB128 number that must fit into `T`.
    pub(crate) fn read_varint_as<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        T::try_from(self.read_varint()?).map_err(|_| DecodeError)
    }

    /// Reads what [`write_text`] wrote.
    pub(crate) fn read_text(&mut self) -> Result<String, DecodeError> {
        let length = self.read_varint_as()?;
        String::from_utf8(self.read_bytes(length)?.to_vec()).map_err(|_| DecodeError)
    }

    /// Reads what [`write_moves`] wrote.
    pub(crate) fn read_moves(&mut self) -> Result<Vec<Move>, DecodeError> {
        let length = self.read_varint_as::<usize>()?.checked_mul(2).ok_or(DecodeError)?;
        let codes = self
            .read_bytes(length)?
            .chunks_exact(2)
            .map(|code| u16::from_be_bytes([code[0], code[1]]));
        Ok(codes.map(Move::from_code).collect())
    }

    /// Reads what [`write_score`] wrote.
    pub(crate) fn read_score(&mut self) -> Result<Score, DecodeError> {
        let number = self.read_signed_varint()?;
        let value = number >> 1;
        Ok(if number & 1 == 0 { Score::Cp(value) } else { Score::Mate(value) })
    }

    /// Checks that no bytes are left.
    pub(crate) fn expect_end(self) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError) }
    }
}

/// Writes a number for [`ByteReader::read_varint`].
pub(crate) fn write_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes a number for [`ByteReader::read_signed_varint`].
pub(crate) fn write_signed_varint(bytes: &mut Vec<u8>, number: i32) {
    write_varint(bytes, u64::from((number << 1 ^ number >> 31) as u32));
}

/// Writes a text in UTF-8 after its length in bytes.
pub(crate) fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Writes the number of moves and then their 16-bit codes in big-endian order.
pub(crate) fn write_moves(bytes: &mut Vec<u8>, moves: &[Move]) {
    write_varint(bytes, moves.len() as u64);
    moves.iter().for_each(|mv| bytes.extend_from_slice(&mv.code().to_be_bytes()));
}

/// Writes a score as a signed number: centipawns c as 2c, a mate in n as 2n + 1.
pub(crate) fn write_score(bytes: &mut Vec<u8>, score: Score) {
    let (value, is_mate) = match score {
        Score::Cp(value) => (value, 0),
        Score::Mate(moves) => (moves, 1),
    };
    write_signed_varint(bytes, value << 1 | is_mate);
}
