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
}
