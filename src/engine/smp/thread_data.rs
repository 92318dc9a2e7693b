//! The memory that search threads reuse: histories and accumulators.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::engine::evaluator::NnueEvaluator;
use crate::engine::history::HistoryTables;
use crate::nnue::{Network, SimdLevel};

/// The number of idle [`ThreadData`] that a pool keeps, of some 10 MB each. Those of further
/// threads are freed.
const MAX_IDLE: usize = 32;

/// The working memory of one search thread, some 10 MB.
///
/// A new allocation for each search would cost time. It would also fragment the heap, because the
/// allocator aligns it and cannot reuse the gaps.
///
/// The alignment keeps it on cache lines of its own (processors fetch them by pairs), since
/// neighbouring threads write all the time. Without it, two threads search a sixth fewer nodes.
#[repr(align(128))]
pub(in crate::engine) struct ThreadData {
    pub(in crate::engine) history: HistoryTables,
    pub(in crate::engine) evaluator: NnueEvaluator,
}

impl ThreadData {
    /// Empty histories, and an evaluator of this network with these processor instructions.
    pub(in crate::engine) fn new(network: &Arc<Network>, simd_level: SimdLevel) -> ThreadData {
        ThreadData {
            history: HistoryTables::new(),
            evaluator: NnueEvaluator::new(network, simd_level),
        }
    }
}

/// The idle data of an engine's ended searches, all of one network. Reuse costs a short search less
/// than fresh memory.
///
/// The search that acquires data clears its stale history. So the clearing does not delay the
/// answer of the search that released it.
pub(in crate::engine) struct ThreadDataPool {
    network: Arc<Network>,
    simd_level: SimdLevel,
    idle: Mutex<Vec<ThreadData>>,
}

impl ThreadDataPool {
    /// An empty pool for searches with this network and these processor instructions.
    pub(in crate::engine) fn new(network: Arc<Network>, simd_level: SimdLevel) -> ThreadDataPool {
        ThreadDataPool { network, simd_level, idle: Mutex::default() }
    }

    pub(in crate::engine) const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Takes idle data or allocates new ones. [`HistoryTables::prepare_for_search`] must be called
    /// before a search uses them.
    pub(in crate::engine) fn acquire(&self) -> ThreadData {
        let reused = self.lock().pop();
        reused.unwrap_or_else(|| ThreadData::new(&self.network, self.simd_level))
    }

    /// Returns a thread's data to the pool.
    fn release(&self, mut data: ThreadData) {
        data.history.mark_stale();
        let mut idle = self.lock();
        if idle.len() < MAX_IDLE {
            idle.push(data);
        }
    }

    /// Nothing that can panic runs under the lock, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, Vec<ThreadData>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The data of a player's search threads, kept from move to move: move histories, correction
/// histories and accumulators.
pub struct ThreadDataSet {
    threads: Vec<ThreadData>,
    /// The pool that the data come from and return to.
    pool: Arc<ThreadDataPool>,
}

impl ThreadDataSet {
    pub(in crate::engine) fn new(pool: &Arc<ThreadDataPool>) -> ThreadDataSet {
        ThreadDataSet { threads: Vec::new(), pool: Arc::clone(pool) }
    }

    /// The number of threads that have data.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.threads.len()
    }

    /// Forgets everything and frees the memory.
    pub fn clear(&mut self) {
        self.threads.clear();
    }

    /// The data of `threads` threads of the engine with this pool. Data of another engine are
    /// released first: they belong to another network.
    pub(in crate::engine) fn acquire(
        &mut self,
        pool: &Arc<ThreadDataPool>,
        threads: usize,
    ) -> &mut [ThreadData] {
        if !Arc::ptr_eq(&self.pool, pool) {
            *self = ThreadDataSet::new(pool);
        }
        while self.threads.len() < threads {
            self.threads.push(self.pool.acquire());
        }
        &mut self.threads[..threads]
    }
}

impl Drop for ThreadDataSet {
    fn drop(&mut self) {
        // A panic may have interrupted an update, so the data are not reused.
        if thread::panicking() {
            self.clear();
        }
        self.threads.drain(..).for_each(|data| self.pool.release(data));
    }
}
