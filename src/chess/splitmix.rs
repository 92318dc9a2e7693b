//! SplitMix64, a pseudo-random number generator (Steele, Lea, Flood 2014).

/// The difference between the states of two consecutive outputs.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The `n`-th output, from 1, of the generator with a seed. All outputs of one seed differ. The
/// result for seed 0 and `n` 0 is 0.
#[inline]
pub const fn nth(seed: u64, n: u64) -> u64 {
    let mut z = state(seed, n);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The generator's state after `n` outputs. Used as a seed, it continues the sequence.
#[inline]
pub const fn state(seed: u64, n: u64) -> u64 {
    seed.wrapping_add(n.wrapping_mul(GAMMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outputs_match_the_published_generator() {
        // The first outputs of the reference implementation (Sebastiano Vigna, splitmix64.c) for
        // the seed 1234567.
        let first =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([1, 2, 3].map(|n| nth(1_234_567, n)), first);
        assert_eq!(nth(state(1_234_567, 2), 1), first[2]);
        assert_eq!(nth(0, 0), 0, "the transposition table depends on it");
    }
}
