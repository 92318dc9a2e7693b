//! Chance that can be repeated.

/// SplitMix64 by Sebastiano Vigna: small, and good enough to choose openings.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// One of many rows of numbers: by the run's seed, the worker and the game.
    pub(super) fn new(seed: u64, worker: u64, game: u64) -> Random {
        let mut random = Random(seed);
        for number in [worker, game] {
            random.0 = random.next() ^ number;
        }
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of a list that is not empty; `None` of an empty one.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        let length = u128::try_from(list.len()).ok()?;
        let index = (u128::from(self.next()) * length) >> 64;
        list.get(usize::try_from(index).ok()?)
    }
}
