//! The unit of all arithmetic: the same few neurons' worth of numbers, side by side.

/// Neurons of a row. Two AVX-512 registers, four AVX2 ones; the compiler turns the loops below into vector instructions.
pub const LANES: usize = 32;

/// One number for each of [`LANES`] neurons of the hidden layer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// All zero.
    pub const ZERO: Row = Row([0.0; LANES]);

    /// Adds another row.
    #[inline(always)]
    pub fn add(&mut self, other: &Row) {
        for i in 0..LANES {
            self.0[i] += other.0[i];
        }
    }

    /// Squared clipped ReLU of each number: clamp(x, 0, 1)².
    /// <https://www.chessprogramming.org/NNUE#Activation_Function>
    #[inline(always)]
    #[must_use]
    pub fn screlu(&self) -> Row {
        let mut out = Row::ZERO;
        for i in 0..LANES {
            let clamped = self.0[i].clamp(0.0, 1.0);
            out.0[i] = clamped * clamped;
        }
        out
    }

    /// Σ self·other, always added in the same order.
    #[inline(always)]
    #[must_use]
    pub fn dot(&self, other: &Row) -> f32 {
        const HALF: usize = LANES / 2;
        let mut sums = [0.0; HALF];
        for i in 0..HALF {
            sums[i] = self.0[i] * other.0[i] + self.0[i + HALF] * other.0[i + HALF];
        }
        let mut width = HALF / 2;
        while width > 0 {
            for i in 0..width {
                sums[i] += sums[i + width];
            }
            width /= 2;
        }
        sums[0]
    }
}
