//! Chance that can be repeated.

use crate::chess::splitmix;

/// SplitMix64: small, and good enough to choose openings.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// One of many rows of numbers: by the run's seed, the worker and the game.
    pub(super) fn new(seed: u64, worker: u64, game: u64) -> SplitMix64 {
        let mut random = SplitMix64(seed);
        for number in [worker, game] {
            random.0 = random.next() ^ number;
        }
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        let number = splitmix::nth(self.0, 1);
        self.0 = splitmix::state(self.0, 1);
        number
    }

    /// One of a list that is not empty; `None` of an empty one.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let length = u128::try_from(items.len()).ok()?;
        let index = (u128::from(self.next()) * length) >> 64;
        items.get(usize::try_from(index).ok()?)
    }
}
