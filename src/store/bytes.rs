//! Numbers in bytes, and back.

/// Bytes that do not say what they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged, or not ours")]
pub(super) struct DecodeError;

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader(bytes)
    }

    /// The next so many bytes.
    pub(super) fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(DecodeError)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next so many bytes, as an array.
    pub(super) fn read_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.read_bytes(N)?.try_into().map_err(|_| DecodeError)
    }

    pub(super) fn read_u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.read_array::<1>()?[0])
    }

    /// A number in seven bits a byte, lowest first, the highest bit set where more follow (LEB128).
    pub(super) fn read_varint(&mut self) -> Result<u64, DecodeError> {
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

    /// A number with a sign: 0, −1, 1, −2 and on are 0, 1, 2, 3 (zigzag).
    pub(super) fn read_signed_varint(&mut self) -> Result<i32, DecodeError> {
        let number = u32::try_from(self.read_varint()?).map_err(|_| DecodeError)?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// A number that fits.
    pub(super) fn read_varint_as<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        T::try_from(self.read_varint()?).map_err(|_| DecodeError)
    }

    /// Nothing may be left.
    pub(super) fn expect_end(self) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError) }
    }
}

/// Writes a number as [`Reader::number`] reads it.
pub(super) fn write_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes a number as [`Reader::signed`] reads it.
pub(super) fn write_signed_varint(bytes: &mut Vec<u8>, number: i32) {
    write_varint(bytes, u64::from((number << 1 ^ number >> 31) as u32));
}
