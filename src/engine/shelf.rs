//! Where what the threads of ended searches worked with waits for the next search: a short one
//! costs less than fresh memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::thread_data::ThreadData;
use crate::nnue::{Level, Network};

/// So many are kept, of some 9 MB each; those of more threads at once are given back to the system.
const MOST: usize = 32;

/// The data of threads that search no more, never more than searched at one time, all of one
/// network. Whoever takes one freshens its history: so the time that this takes does not come
/// between a search's end and its answer.
pub(super) struct Shelf {
    network: Arc<Network>,
    level: Level,
    kept: Mutex<Vec<ThreadData>>,
}

impl Shelf {
    /// Empty, for searches that judge by this network with these processor instructions.
    pub(super) fn new(network: Arc<Network>, level: Level) -> Shelf {
        Shelf { network, level, kept: Mutex::default() }
    }

    pub(super) const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Data whose history is to be freshened.
    pub(super) fn take(&self) -> ThreadData {
        let kept = self.lock().pop();
        kept.unwrap_or_else(|| ThreadData::new(&self.network, self.level))
    }

    /// Takes a thread's data back.
    pub(super) fn put_back(&self, mut data: ThreadData) {
        data.history.retire();
        let mut kept = self.lock();
        if kept.len() < MOST {
            kept.push(data);
        }
    }

    /// Nothing that can panic runs under the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<ThreadData>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
