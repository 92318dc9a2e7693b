//! What was wished for lately, so that who asks the same again and again does not make work each
//! time.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Wishes that are remembered at most; each takes the place of an older one.
const SLOTS: usize = 16_384;

/// So long "lately" lasts at most: what was found for a wish may be forgotten by then.
const WINDOW: Duration = Duration::from_secs(300);

/// A lossy set without locks: what it loses is wished for once more, which costs a little time, and
/// is all.
#[derive(Debug)]
pub(super) struct RecentCandidates {
    /// The hash of what was wished for last, of all that have their place there; 0 for nothing.
    slots: Box<[AtomicU64]>,
    hasher: RandomState,
    created_at: Instant,
}

impl Default for RecentCandidates {
    fn default() -> RecentCandidates {
        let slots = (0..SLOTS).map(|_| AtomicU64::new(0)).collect();
        RecentCandidates { slots, hasher: RandomState::new(), created_at: Instant::now() }
    }
}

impl RecentCandidates {
    /// Notes a wish; `false` when it was the last in its place.
    pub(super) fn insert(&self, candidate: &impl Hash) -> bool {
        let (hash, slot) = self.slot(candidate);
        // Read before it is written: nearly all wishes of a busy server are there.
        slot.load(Ordering::Relaxed) != hash && slot.swap(hash, Ordering::Relaxed) != hash
    }

    /// Forgets a wish.
    pub(super) fn remove(&self, candidate: &impl Hash) {
        let (hash, slot) = self.slot(candidate);
        // Where it is another's place by now there is nothing to forget.
        let _ = slot.compare_exchange(hash, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Forgets all.
    pub(super) fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }

    fn slot(&self, candidate: &impl Hash) -> (u64, &AtomicU64) {
        let window = self.created_at.elapsed().as_secs() / WINDOW.as_secs();
        let hash = self.hasher.hash_one((window, candidate));
        (hash, &self.slots[hash as usize % SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_candidate_is_not_new_until_removed() {
        let recent = RecentCandidates::default();
        assert_eq!([recent.insert(&7), recent.insert(&7), recent.insert(&8)], [true, false, true]);
        recent.remove(&7);
        assert_eq!([recent.insert(&7), recent.insert(&8)], [true, false]);
        recent.clear();
        assert!(recent.insert(&7));
    }

    #[test]
    fn any_number_of_candidates_is_accepted() {
        let recent = RecentCandidates::default();
        let new = (0..10 * SLOTS).filter(|candidate| recent.insert(candidate)).count();
        assert_eq!(new, 10 * SLOTS);
    }
}
