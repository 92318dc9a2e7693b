//! The payload of a network file: numbers in a fixed order.

use super::error::NetworkError;

/// The rest of a payload, from which the numbers are read in their order. Its length must have been
/// checked: numbers beyond its end are read as zero.
pub(super) struct Payload<'a>(&'a [u8]);

impl<'a> Payload<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Payload<'a> {
        Payload(bytes)
    }

    pub(super) fn read_u8<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        self.read(|[byte]| byte)
    }

    pub(super) fn read_i8<const COUNT: usize>(&mut self) -> [i8; COUNT] {
        self.read(i8::from_le_bytes)
    }

    pub(super) fn read_i16<const COUNT: usize>(&mut self) -> [i16; COUNT] {
        self.read(i16::from_le_bytes)
    }

    pub(super) fn read_i32<const COUNT: usize>(&mut self) -> [i32; COUNT] {
        self.read(i32::from_le_bytes)
    }

    fn read<T: Copy + Default, const BYTES: usize, const COUNT: usize>(
        &mut self,
        decode: impl Fn([u8; BYTES]) -> T,
    ) -> [T; COUNT] {
        let (bytes, rest) = self.0.split_at((BYTES * COUNT).min(self.0.len()));
        self.0 = rest;
        let mut numbers = [T::default(); COUNT];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
            *number = decode(*bytes);
        }
        numbers
    }
}

/// Checks that the output weights in these bytes of a file are within ± `max`.
pub(super) const fn validate_output_weights(bytes: &[u8], max: i16) -> Result<(), NetworkError> {
    let (weights, _) = bytes.as_chunks();
    let mut n = 0;
    while n < weights.len() {
        let found = i16::from_le_bytes(weights[n]);
        if found < -max || found > max {
            return Err(NetworkError::OutputWeight { found, max });
        }
        n += 1;
    }
    Ok(())
}
