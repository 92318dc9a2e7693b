//! Rows of 16-bit numbers: gradients in half the memory of a [`Row`], so that more of them fit the
//! cache.
//!
//! A number is a bfloat16, the upper half of an f32: its range with 8 bits of precision
//! (<https://en.wikipedia.org/wiki/Bfloat16_floating-point_format>).

use wide::{bytemuck, u32x16};

use crate::row::{HalfRow, Row};

/// One number for each neuron of a row.
#[derive(Clone, Copy, Debug)]
pub struct ShortRow {
    /// The numbers of the first half of the row in the lower bits, those of the second half in the
    /// upper bits.
    numbers: u32x16,
}

/// The bits of a number of the second half.
const UPPER: u32 = 0xffff_0000;
/// Half of the lowest of these bits, added for rounding.
const HALF_UNIT: u32 = 0x8000;

impl ShortRow {
    /// All zero.
    pub const ZERO: ShortRow = ShortRow { numbers: u32x16::new([0; 16]) };

    /// The numbers of a row, each rounded to the nearest, ties away from zero. They must be finite:
    /// some NaN would become zero.
    #[inline(always)]
    #[must_use]
    pub fn round(row: Row) -> Self {
        let bits = |half: HalfRow| bytemuck::cast::<_, u32x16>(half) + u32x16::splat(HALF_UNIT);
        let [first, second] = row.halves().map(bits);
        Self { numbers: (first >> 16_u32) | (second & u32x16::splat(UPPER)) }
    }

    /// The numbers as a row.
    #[inline(always)]
    #[must_use]
    pub fn to_row(self) -> Row {
        let (first, second) = (self.numbers << 16_u32, self.numbers & u32x16::splat(UPPER));
        Row::from_halves(bytemuck::cast(first), bytemuck::cast(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::LANES;

    #[test]
    fn numbers_keep_their_place_their_sign_and_eight_bits() {
        let mut row = Row::ZERO;
        for (neuron, number) in row.iter_mut().enumerate() {
            let size = 1.0 + neuron as f32 / 7.0;
            *number =
                size * 10_f32.powi(neuron as i32 - 30) * if neuron % 3 == 0 { -1.0 } else { 1.0 };
        }
        let rounded = ShortRow::round(row).to_row();
        for neuron in 0..LANES {
            let (exact, rounded) = (row.get(neuron), rounded.get(neuron));
            assert!((rounded - exact).abs() <= exact.abs() / 256.0, "{exact} became {rounded}");
        }
        assert_eq!(ShortRow::round(Row::ZERO).to_row(), Row::ZERO);
    }
}
