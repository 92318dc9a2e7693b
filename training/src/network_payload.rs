//! Little-endian numbers in the payload of a network file.

use anyhow::{Context, Result, ensure};

/// Appends numbers.
pub fn put<T: Copy, const N: usize>(bytes: &mut Vec<u8>, numbers: &[T], to: impl Fn(T) -> [u8; N]) {
    bytes.extend(numbers.iter().flat_map(|number| to(*number)));
}

/// A reader of numbers.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the start of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `count` numbers.
    ///
    /// # Errors
    ///
    /// When the bytes end before.
    pub fn take<T, const N: usize>(
        &mut self,
        count: usize,
        from: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>> {
        let taken = self.0.split_off(..N * count).context("the payload is too short")?;
        Ok(taken.as_chunks().0.iter().map(|bytes| from(*bytes)).collect())
    }

    /// Checks that no byte is left.
    ///
    /// # Errors
    ///
    /// When bytes are left.
    pub fn finish(self) -> Result<()> {
        ensure!(self.0.is_empty(), "{} bytes follow the payload", self.0.len());
        Ok(())
    }
}
