//! What was wished for lately, so that who asks the same again and again does not make work each time.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Wishes that are remembered at most; each takes the place of an older one.
const PLACES: usize = 16_384;

/// A lossy set without locks: what was lost is wished for once more, which costs a little time, and is all.
#[derive(Debug)]
pub(super) struct Recent {
    /// The hash of what was wished for last, of all that have their place there; 0 for nothing.
    places: Box<[AtomicU64]>,
    hasher: RandomState,
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { places: (0..PLACES).map(|_| AtomicU64::new(0)).collect(), hasher: RandomState::new() }
    }
}

impl Recent {
    /// Notes a wish; `false` when it was the last in its place.
    pub(super) fn is_new(&self, wish: &impl Hash) -> bool {
        let hash = self.hasher.hash_one(wish);
        self.places[hash as usize % PLACES].swap(hash, Ordering::Relaxed) != hash
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_not_new_until_it_is_forgotten() {
        let recent = Recent::default();
        assert_eq!([recent.is_new(&7), recent.is_new(&7), recent.is_new(&8)], [true, false, true]);
        recent.clear();
        assert!(recent.is_new(&7));
    }

    #[test]
    fn however_many_come_there_is_room() {
        let recent = Recent::default();
        let new = (0..10 * PLACES).filter(|wish| recent.is_new(wish)).count();
        assert_eq!(new, 10 * PLACES);
    }
}
