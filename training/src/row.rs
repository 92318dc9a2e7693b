//! Rows: one number for each of a few neurons, in vector registers. All arithmetic works on rows.

use std::ops::{Add, AddAssign, BitAnd, Div, Mul, Sub};

use wide::f32x16;

/// Vectors per row.
const VECTORS: usize = 2;

/// Neurons per row.
pub const LANES: usize = 16 * VECTORS;

/// Numbers of half a row.
pub const HALF_LANES: usize = LANES / 2;

/// Half a row.
pub type HalfRow = f32x16;

/// One number for each of [`LANES`] neurons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row([f32x16; VECTORS]);

impl Row {
    /// All zero.
    pub const ZERO: Row = Row([f32x16::new([0.0; 16]); VECTORS]);

    /// The same number for each neuron.
    #[inline(always)]
    #[must_use]
    pub fn splat(number: f32) -> Self {
        Self([f32x16::splat(number); VECTORS])
    }

    /// The row of two halves.
    #[inline(always)]
    #[must_use]
    pub fn from_halves(first: HalfRow, second: HalfRow) -> Self {
        Self([first, second])
    }

    /// The two halves.
    #[inline(always)]
    #[must_use]
    pub fn halves(self) -> [HalfRow; 2] {
        self.0
    }

    /// The bytes as floating-point numbers.
    #[inline(always)]
    #[must_use]
    pub fn from_bytes(bytes: &[u8; LANES]) -> Self {
        let half = |offset| HalfRow::new(std::array::from_fn(|i| f32::from(bytes[offset + i])));
        Self([half(0), half(HALF_LANES)])
    }

    /// The number of a neuron, counted from 0.
    #[must_use]
    pub fn get(&self, neuron: usize) -> f32 {
        self.0[neuron / 16].as_array()[neuron % 16]
    }

    /// A mutable reference to the number of a neuron.
    pub fn get_mut(&mut self, neuron: usize) -> &mut f32 {
        &mut self.0[neuron / 16].as_mut_array()[neuron % 16]
    }

    /// The numbers in the order of the neurons.
    pub fn iter(&self) -> impl Iterator<Item = f32> + '_ {
        self.0.iter().flat_map(|vector| vector.as_array()).copied()
    }

    /// Mutable references to the numbers in the order of the neurons.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.0.iter_mut().flat_map(|vector| vector.as_mut_array())
    }

    /// Each number clamped to `low` and `high`.
    #[inline(always)]
    #[must_use]
    pub fn clamp(self, low: f32, high: f32) -> Self {
        let (low, high) = (f32x16::splat(low), f32x16::splat(high));
        self.map(|vector| vector.fast_max(low).fast_min(high))
    }

    /// Each number if it is below `limit`, else 0.
    #[inline(always)]
    #[must_use]
    pub fn where_below(self, limit: f32) -> Self {
        let limit = f32x16::splat(limit);
        self.map(|vector| vector.simd_lt(limit).bitand(vector))
    }

    /// Each number whose counterpart in `numbers` is between `low` and `high`, both excluded.
    /// Others become 0.
    #[inline(always)]
    #[must_use]
    pub fn where_between(self, numbers: Row, low: f32, high: f32) -> Self {
        self.zip(numbers, |vector, numbers| half_where_between(vector, numbers, low, high))
    }

    /// This row times `factor` plus `sum`, rounded once where the processor can.
    #[inline(always)]
    #[must_use]
    pub fn mul_add(self, factor: Row, sum: Row) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, factor.0, sum.0);
        Self([a.mul_add(c, e), b.mul_add(d, f)])
    }

    /// Each number rounded down to an integer.
    #[inline(always)]
    #[must_use]
    pub fn floor(self) -> Self {
        self.map(f32x16::floor)
    }

    /// Each number rounded to an integer, halves to even.
    #[inline(always)]
    #[must_use]
    pub fn round(self) -> Self {
        self.map(f32x16::round_ties_even)
    }

    /// The square root of each number.
    #[inline(always)]
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.map(f32x16::sqrt)
    }

    /// The sum of all numbers, always added in the same order.
    #[inline(always)]
    #[must_use]
    pub fn sum(self) -> f32 {
        let [first, second] = self.0;
        (first + second).reduce_add()
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32x16) -> f32x16) -> Self {
        let [first, second] = self.0;
        Self([f(first), f(second)])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32x16, f32x16) -> f32x16) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([f(a, c), f(b, d)])
    }
}

/// Each of `values` whose counterpart in `numbers` is between `low` and `high`, both excluded.
/// Others become 0.
#[inline(always)]
#[must_use]
pub fn half_where_between(values: HalfRow, numbers: HalfRow, low: f32, high: f32) -> HalfRow {
    let (low, high) = (HalfRow::splat(low), HalfRow::splat(high));
    numbers.simd_gt(low).bitand(numbers.simd_lt(high)).bitand(values)
}

impl Add for Row {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl AddAssign for Row {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Row {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Mul<f32> for Row {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: f32) -> Self {
        self.map(|vector| vector * factor)
    }
}

impl Sub for Row {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Div for Row {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}
