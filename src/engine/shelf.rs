//! Where the histories of ended searches wait for the next search: a short one costs less than fresh memory for them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::history::History;

/// So many histories are kept, of some 8 MB each; those of more threads at once are given back to the system.
const MOST: usize = 32;

/// Histories of ended searches, never more than searched at one time. Whoever takes one freshens it: so the time that this takes
/// does not come between a search's end and its answer.
#[derive(Default)]
pub(super) struct Shelf(Mutex<Vec<History>>);

impl Shelf {
    /// A history to be freshened.
    pub(super) fn take(&self) -> History {
        let kept = self.lock().pop();
        kept.unwrap_or_else(History::new)
    }

    /// Takes a history back.
    pub(super) fn put_back(&self, mut history: History) {
        history.retire();
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
