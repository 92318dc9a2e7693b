//! What was wished for lately, so that who asks the same again and again does not make work each
//! time.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Wishes that are remembered at most; each takes the place of an older one.
const PLACES: usize = 16_384;

/// So long "lately" lasts at most: what was found for a wish may be forgotten by then.
const WHILE: Duration = Duration::from_secs(300);

/// A lossy set without locks: what it loses is wished for once more, which costs a little time, and
/// is all.
#[derive(Debug)]
pub(super) struct Recent {
    /// The hash of what was wished for last, of all that have their place there; 0 for nothing.
    places: Box<[AtomicU64]>,
    hasher: RandomState,
    begun: Instant,
}

impl Default for Recent {
    fn default() -> Recent {
        let places = (0..PLACES).map(|_| AtomicU64::new(0)).collect();
        Recent { places, hasher: RandomState::new(), begun: Instant::now() }
    }
}

impl Recent {
    /// Notes a wish; `false` when it was the last in its place.
    pub(super) fn is_new(&self, wish: &impl Hash) -> bool {
        let (hash, place) = self.place(wish);
        // Read before it is written: nearly all wishes of a busy server are there.
        place.load(Ordering::Relaxed) != hash && place.swap(hash, Ordering::Relaxed) != hash
    }

    /// Forgets a wish.
    pub(super) fn forget(&self, wish: &impl Hash) {
        let (hash, place) = self.place(wish);
        // Where it is another's place by now there is nothing to forget.
        let _ = place.compare_exchange(hash, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    }

    fn place(&self, wish: &impl Hash) -> (u64, &AtomicU64) {
        let spell = self.begun.elapsed().as_secs() / WHILE.as_secs();
        let hash = self.hasher.hash_one((spell, wish));
        (hash, &self.places[hash as usize % PLACES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_not_new_until_it_is_forgotten() {
        let recent = Recent::default();
        assert_eq!([recent.is_new(&7), recent.is_new(&7), recent.is_new(&8)], [true, false, true]);
        recent.forget(&7);
        assert_eq!([recent.is_new(&7), recent.is_new(&8)], [true, false]);
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
