//! Where what the threads of ended searches worked with waits for the next search: a short one
//! costs less than fresh memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::thread_data::ThreadData;
use crate::nnue::{Network, SimdLevel};

/// So many are kept, of some 9 MB each; those of more threads at once are given back to the system.
const MAX_IDLE: usize = 32;

/// The data of threads that search no more, never more than searched at one time, all of one
/// network. Whoever takes one freshens its history: so the time that this takes does not come
/// between a search's end and its answer.
pub(super) struct ThreadDataPool {
    network: Arc<Network>,
    simd_level: SimdLevel,
    idle: Mutex<Vec<ThreadData>>,
}

impl ThreadDataPool {
    /// Empty, for searches that judge by this network with these processor instructions.
    pub(super) fn new(network: Arc<Network>, simd_level: SimdLevel) -> ThreadDataPool {
        ThreadDataPool { network, simd_level, idle: Mutex::default() }
    }

    pub(super) const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Data whose history is to be freshened.
    pub(super) fn acquire(&self) -> ThreadData {
        let reused = self.lock().pop();
        reused.unwrap_or_else(|| ThreadData::new(&self.network, self.simd_level))
    }

    /// Takes a thread's data back.
    pub(super) fn release(&self, mut data: ThreadData) {
        data.history.mark_stale();
        let mut idle = self.lock();
        if idle.len() < MAX_IDLE {
            idle.push(data);
        }
    }

    /// Nothing that can panic runs under the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<ThreadData>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
