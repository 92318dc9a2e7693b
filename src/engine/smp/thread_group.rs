//! The state that the threads of one search share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::engine::limits::StopFlag;

/// A thread's node count, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct NodeCounter(AtomicU64);

/// The signals and node counts of one search's threads. Thread 0 is the main thread; the others are
/// helpers.
pub(in crate::engine) struct ThreadGroup {
    main_thread_done: AtomicBool,
    /// A helper has completed the requested depth.
    depth_reached: AtomicBool,
    node_counters: Vec<NodeCounter>,
}

impl ThreadGroup {
    /// A group of `threads` threads, at least one.
    pub(in crate::engine) fn new(threads: usize) -> ThreadGroup {
        let node_counters = (0..threads.max(1)).map(|_| NodeCounter::default()).collect();
        ThreadGroup {
            main_thread_done: AtomicBool::new(false),
            depth_reached: AtomicBool::new(false),
            node_counters,
        }
    }

    /// A guard of the main thread that stops every helper, at the latest when it is dropped. The
    /// helpers of a paused search end, too.
    pub(in crate::engine) fn stop_on_drop<'a>(&'a self, flag: &'a StopFlag) -> StopOnDrop<'a> {
        StopOnDrop { thread_group: self, flag }
    }

    /// `true` once the main thread has stopped the helpers.
    pub(in crate::engine) fn is_main_thread_done(&self) -> bool {
        self.main_thread_done.load(Ordering::Relaxed)
    }

    /// Tells the main thread that a helper has completed the requested depth.
    pub(in crate::engine) fn signal_depth_reached(&self) {
        self.depth_reached.store(true, Ordering::Relaxed);
    }

    /// `true` once a helper has completed the requested depth.
    pub(in crate::engine) fn is_depth_reached(&self) -> bool {
        self.depth_reached.load(Ordering::Relaxed)
    }

    /// Publishes a thread's node count.
    #[inline]
    pub(in crate::engine) fn set_nodes(&self, index: usize, nodes: u64) {
        self.node_counters[index].0.store(nodes, Ordering::Relaxed);
    }

    /// The published node counts of all threads but one.
    pub(in crate::engine) fn nodes_excluding(&self, index: usize) -> u64 {
        let others = self.node_counters.iter().enumerate().filter(|&(other, _)| other != index);
        others.map(|(_, count)| count.0.load(Ordering::Relaxed)).sum()
    }
}

/// A guard that stops the helpers however the main thread ends.
pub(in crate::engine) struct StopOnDrop<'a> {
    thread_group: &'a ThreadGroup,
    flag: &'a StopFlag,
}

impl StopOnDrop<'_> {
    /// Tells every helper to stop.
    pub(in crate::engine) fn stop_helpers(&self) {
        self.thread_group.main_thread_done.store(true, Ordering::Relaxed);
        self.flag.finish();
    }
}

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.stop_helpers();
    }
}
