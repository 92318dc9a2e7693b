//! How much less deep late moves are searched.
//!
//! Chess Programming Wiki, "Late Move Reductions". Logarithms come from integers, so that every machine searches the same tree.

/// The logarithm to base 2 of 0–63, in 1/256; 0 for 0.
const LOG2: [i32; 64] = {
    let mut table = [0; 64];
    let mut n: u64 = 1;
    while n < 64 {
        let whole = n.ilog2();
        // The fraction bit by bit: squaring doubles the logarithm.
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

/// The reduction of a quiet move in plies: by the depth, and by how many moves were tried before.
#[inline]
pub(super) fn reduction(depth: i32, tried: usize) -> i32 {
    let product = LOG2[depth.clamp(0, 63) as usize] * LOG2[tried.min(63)];
    // ln·ln / 2.3 + 0.7, with both logarithms to base 2 in 1/256.
    (product * 209 / 1000 + 45_875) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_a_256th() {
        for n in 1..64 {
            let exact = f64::from(n as u32).log2() * 256.0;
            assert!((f64::from(LOG2[n as usize]) - exact).abs() <= 1.0, "log2({n})");
        }
    }

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more() {
        assert_eq!(reduction(3, 1), 0);
        assert!(reduction(12, 20) > reduction(12, 5));
        assert!(reduction(12, 20) > reduction(5, 20));
    }
}
