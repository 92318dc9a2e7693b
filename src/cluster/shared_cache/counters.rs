//! Counters of the shared cache.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::analysis::SharedCacheCounts;

/// What the cache has answered and taken since the start.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) reads: AtomicU64,
    pub(super) late_reads: AtomicU64,
    pub(super) skipped_reads: AtomicU64,
    pub(super) invalid: AtomicU64,
    pub(super) writes: AtomicU64,
    pub(super) dropped_writes: AtomicU64,
}

impl Counters {
    pub(super) fn counts(&self) -> SharedCacheCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { reads, late_reads, skipped_reads, invalid, writes, dropped_writes } = self;
        SharedCacheCounts {
            reads: count(reads),
            late_reads: count(late_reads),
            skipped_reads: count(skipped_reads),
            invalid: count(invalid),
            writes: count(writes),
            dropped_writes: count(dropped_writes),
        }
    }
}
