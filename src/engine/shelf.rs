//! Where the histories of ended searches wait for the next search: a short one costs less than fresh memory for them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::history::History;

/// So many histories are kept, of some 8 MB each; those of more threads at once are given back to the system.
const MOST: usize = 32;

/// Histories without anything in them. There are never more than searched at one time.
#[derive(Default)]
pub(super) struct Shelf(Mutex<Vec<History>>);

impl Shelf {
    /// A history as good as new.
    pub(super) fn take(&self) -> History {
        let kept = self.lock().pop();
        kept.unwrap_or_else(History::new)
    }

    /// Takes a history back, and empties it first.
    pub(super) fn put_back(&self, mut history: History) {
        history.clear();
        let mut kept = self.lock();
        if kept.len() < MOST {
            kept.push(history);
        }
    }

    /// Nothing that can panic runs under the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<History>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
