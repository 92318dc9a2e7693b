//! Rows of 16-bit integers: accumulators in the arithmetic of the network file.

use crate::row::{LANES, Row};

/// One integer for each neuron of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct IntegerRow([i16; LANES]);

impl IntegerRow {
    /// All zero.
    pub const ZERO: IntegerRow = IntegerRow([0; LANES]);

    /// The integers of a row, which holds integers within 16 bits.
    #[must_use]
    pub fn from_row(row: Row) -> Self {
        let mut integers = Self::ZERO;
        for (integer, number) in integers.0.iter_mut().zip(row.iter()) {
            *integer = number as i16;
        }
        integers
    }

    /// The integers as floating-point numbers.
    #[must_use]
    pub fn to_row(self) -> Row {
        let mut row = Row::ZERO;
        for (number, integer) in row.iter_mut().zip(self.0) {
            *number = f32::from(integer);
        }
        row
    }

    /// The integers in the order of the neurons.
    #[must_use]
    pub fn as_array(&self) -> &[i16; LANES] {
        &self.0
    }

    /// Adds the integers of another row, wrapping.
    #[inline(always)]
    pub fn add(&mut self, other: &IntegerRow) {
        for (sum, number) in self.0.iter_mut().zip(other.0) {
            *sum = sum.wrapping_add(number);
        }
    }

    /// The integers clipped to 0–255.
    #[inline(always)]
    #[must_use]
    pub fn to_clipped_bytes(self) -> [u8; LANES] {
        self.0.map(|number| number.clamp(0, 255) as u8)
    }
}
