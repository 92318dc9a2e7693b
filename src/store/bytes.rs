//! Numbers in bytes, and back.

/// Bytes that do not say what they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged, or not ours")]
pub(super) struct Unreadable;

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    /// The next so many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Unreadable> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Unreadable)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next so many bytes, as an array.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        self.take(N)?.try_into().map_err(|_| Unreadable)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Unreadable> {
        Ok(self.array::<1>()?[0])
    }

    /// A number in seven bits a byte, lowest first, the highest bit set where more follow (LEB128).
    pub(super) fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(Unreadable);
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unreadable)
    }

    /// A number with a sign: 0, −1, 1, −2 and on are 0, 1, 2, 3 (zigzag).
    pub(super) fn signed(&mut self) -> Result<i32, Unreadable> {
        let number = u32::try_from(self.number()?).map_err(|_| Unreadable)?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// A number that fits.
    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Unreadable> {
        T::try_from(self.number()?).map_err(|_| Unreadable)
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Result<(), Unreadable> {
        if self.0.is_empty() { Ok(()) } else { Err(Unreadable) }
    }
}

/// Writes a number as [`Reader::number`] reads it.
pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes a number as [`Reader::signed`] reads it.
pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i32) {
    put_number(bytes, u64::from((number << 1 ^ number >> 31) as u32));
}
