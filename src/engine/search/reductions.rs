//! The base reduction of late moves.
//!
//! Chess Programming Wiki, "Late Move Reductions". The logarithms use integers, so that every
//! machine searches the same tree.

use crate::engine::params;

/// The base-2 logarithms of 0 to 63, in 1/256; 0 for 0.
const LOG2: [i32; 64] = {
    let mut table = [0; 64];
    let mut n: u64 = 1;
    while n < 64 {
        let whole = n.ilog2();
        // Each squaring doubles the logarithm, which yields its fraction bit by bit.
        let mut x = (n << 32) >> whole;
        let mut fraction = 0;
        let mut bit = 0;
        while bit < 8 {
            x = ((x as u128 * x as u128) >> 32) as u64;
            fraction <<= 1;
            if x >= 2 << 32 {
                x >>= 1;
                fraction |= 1;
            }
            bit += 1;
        }
        table[n as usize] = (whole as i32) * 256 + fraction;
        n += 1;
    }
    table
};

/// One ply in the unit of reductions.
pub(super) const ONE_PLY: i32 = 1024;

/// The reduction of a move at this depth, in 1/1024 ply. It grows with the product of the
/// logarithms of the depth and of the move's number in the node, from 1.
#[inline]
pub(super) fn base_reduction(depth: i32, move_count: i32) -> i32 {
    let product = LOG2[depth.clamp(0, 63) as usize] * LOG2[move_count.clamp(0, 63) as usize];
    // The square of ln 2, 0.48045, converts the product to natural logarithms; it is in 1/65,536,
    // as is the product.
    let logarithms = i64::from(product) * 31_487;
    params::lmr_base() + ((logarithms * i64::from(params::lmr_slope())) >> 32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_to_a_256th() {
        for n in 1..64 {
            let exact = f64::from(n as u32).log2() * 256.0;
            assert!((f64::from(LOG2[n as usize]) - exact).abs() <= 1.0, "log2({n})");
        }
    }

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more() {
        assert!(base_reduction(12, 20) > base_reduction(12, 5));
        assert!(base_reduction(12, 20) > base_reduction(5, 20));
        // The square of e is about 7.39, between 7 and 8.
        let slope = |n| base_reduction(n, n) - base_reduction(1, 1);
        assert!(slope(7) < 4 * params::lmr_slope() && slope(8) > 4 * params::lmr_slope());
    }
}
