//! Pseudo-random numbers that are the same on every machine and in every run.

use kibitzer::chess::splitmix;

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        let number = splitmix::nth(self.0, 1);
        self.0 = splitmix::state(self.0, 1);
        number
    }

    /// A number from 0 up to but not including `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The upper half of the product is nearly uniform for ends this small.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// `true` once in `times` calls, on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
