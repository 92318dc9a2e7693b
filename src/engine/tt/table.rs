//! The transposition table that all searches share, and its keys.
//!
//! Chess Programming Wiki, "Shared Hash Table" and "Transposition Table". The table is lock-free by
//! Hyatt's and Mann's scheme: a slot stores key XOR data, so a torn entry fails the key comparison
//! and counts as a miss. Clusters of one cache line and replacement by depth and age follow
//! Stockfish. The ageing differs, since searches of many clients run at once.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use super::entry::{Bound, TtEntry, depth_of, generation_of, with_move};
use crate::chess::{Move, Position, splitmix};
use crate::engine::prefetch::prefetch;
use crate::engine::score::Value;
use crate::huge_pages::try_alloc_huge;

/// The number of generations that five bits can tell apart.
const GENERATIONS: usize = 32;

/// How much deeper an entry of another running search must be to survive a new entry.
const PROTECTION_DEPTH: i32 = 3;

/// A half-move clock up to this value changes no key. Above it, the key includes the half-move
/// clock, because the clock scales the static evaluation.
pub(in crate::engine) const LOW_HALFMOVE_CLOCK: u16 = 20;

/// The number of consecutive half-move clocks that share a key.
const CLOCK_STEP: u16 = 8;

/// The transposition table key of a position.
///
/// Above [`LOW_HALFMOVE_CLOCK`] the key includes the half-move clock, because the clock scales the
/// static evaluation: see `corrected_static_eval`. (After Stockfish.)
#[inline]
pub(in crate::engine) fn tt_key(position: &Position) -> u64 {
    let beyond = position.halfmove_clock().saturating_sub(LOW_HALFMOVE_CLOCK);
    // The number of step 0 is 0.
    position.key() ^ splitmix::nth(0, u64::from(beyond.div_ceil(CLOCK_STEP)))
}

/// The kind of searches that share a table. It determines how far a search trusts the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtSharing {
    /// Searches of any game, at the same time. With a game history, or a half-move clock above 20,
    /// the table ends no search within the first two plies after the root. A value that depends on
    /// the path to its position is visible only to the search that stored it.
    Shared,
    /// Searches of one player, one after another: each continues the last.
    Exclusive,
}

/// A slot for one entry: key XOR data, and the data. All 64 bits of the key verify the entry.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    #[inline]
    fn read(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ data, data)
    }

    #[inline]
    fn write(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// Four slots in one cache line.
#[derive(Default)]
#[repr(align(64))]
struct Cluster([Slot; 4]);

fn clear_clusters(clusters: &[Cluster]) {
    for slot in clusters.iter().flat_map(|cluster| &cluster.0) {
        slot.write(0, 0);
    }
}

/// The shared table. Its size is fixed; every method takes `&self`.
pub(in crate::engine) struct TranspositionTable {
    clusters: Vec<Cluster>,
    /// The number of running searches of each generation.
    running_searches: [AtomicU32; GENERATIONS],
    /// The number of generations started so far.
    generations_started: AtomicU64,
}

/// The operating system does not provide the memory of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot allocate a transposition table of {mb} MiB")]
pub struct TtAllocError {
    /// The requested size, in MiB.
    pub mb: usize,
}

impl TtAllocError {
    /// Ends the process, as a failed allocation of a collection does.
    pub(in crate::engine) fn abort(self) -> ! {
        handle_alloc_error(Layout::new::<Cluster>())
    }
}

impl TranspositionTable {
    /// Allocates a table of `mb` MiB (at least one). It writes every page once, so that memory use
    /// does not grow later.
    ///
    /// # Errors
    ///
    /// [`TtAllocError`] when the operating system does not provide the memory.
    pub(in crate::engine) fn new(mb: usize) -> Result<TranspositionTable, TtAllocError> {
        let count = mb.max(1).saturating_mul((1 << 20) / size_of::<Cluster>());
        let clusters = try_alloc_huge(count, Cluster::default).map_err(|_| TtAllocError { mb })?;
        Ok(TranspositionTable {
            clusters,
            running_searches: std::array::from_fn(|_| AtomicU32::new(0)),
            generations_started: AtomicU64::new(0),
        })
    }

    /// Empties the table, on all cores. Running searches lose its entries, but no correctness.
    pub(in crate::engine) fn clear(&self) {
        let workers = thread::available_parallelism()
            .map_or(1, usize::from)
            .min(self.clusters.len().div_ceil(1 << 14));
        let share = self.clusters.len().div_ceil(workers.max(1));
        thread::scope(|scope| {
            for part in self.clusters.chunks(share.max(1)) {
                // Without a new thread this one does the work.
                if thread::Builder::new().spawn_scoped(scope, move || clear_clusters(part)).is_err()
                {
                    clear_clusters(part);
                }
            }
        });
    }

    /// The share of used entries, per mille, from a sample of a thousand clusters.
    pub(in crate::engine) fn hashfull_permille(&self) -> u32 {
        let step = (self.clusters.len() / 1000).max(1);
        let sample = self.clusters.iter().step_by(step).take(1000).flat_map(|cluster| &cluster.0);
        let (used, all) = sample.fold((0, 0), |(used, all), slot| {
            (used + u32::from(slot.data.load(Ordering::Relaxed) != 0), all + 1)
        });
        used * 1000 / u32::max(all, 1)
    }

    #[inline]
    fn cluster(&self, key: u64) -> &[Slot; 4] {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize].0
    }

    /// Begins a search. Its entries carry a new generation, and count as young until the view is
    /// dropped.
    pub(in crate::engine) fn begin_search(&self, sharing: TtSharing) -> TtView<'_> {
        let mut generation_number = 0;
        let is_unused = (0..GENERATIONS).any(|_| {
            generation_number = self.generations_started.fetch_add(1, Ordering::Relaxed);
            let running = &self.running_searches[generation_number as usize % GENERATIONS];
            running.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        });
        let index = generation_number as usize % GENERATIONS;
        if !is_unused {
            // More searches than generations: two of them share one.
            self.running_searches[index].fetch_add(1, Ordering::Relaxed);
        }
        let path_salt = match sharing {
            // Far from the numbers that `tt_key` uses for half-move clocks.
            TtSharing::Shared => splitmix::nth(0, generation_number.wrapping_add(1 << 32)),
            TtSharing::Exclusive => 0,
        };
        TtView { table: self, generation: index as u8, path_salt }
    }

    /// The value of keeping an entry: its depth. After the end of its search the value falls with
    /// every search begun since.
    #[inline]
    fn replacement_value(&self, data: u64) -> i32 {
        if data == 0 {
            return i32::MIN;
        }
        let generation = generation_of(data);
        let exact = i32::from(Bound::from_bits(data >> 56) == Bound::Exact);
        let depth = depth_of(data) + 2 * exact;
        if self.running_searches[generation].load(Ordering::Relaxed) > 0 {
            return depth;
        }
        let newest = self.generations_started.load(Ordering::Relaxed).wrapping_sub(1) as usize;
        let age = newest.wrapping_sub(generation) % GENERATIONS;
        depth - 8 - 2 * age as i32
    }
}

/// A running search's access to the table, with the generation of its entries.
///
/// A value that depends on a repetition holds only on the path to its position. The view stores it
/// under the position's key combined with a salt of this search, so no other search finds it. With
/// [`TtSharing::Exclusive`] the salt is 0.
pub(in crate::engine) struct TtView<'a> {
    table: &'a TranspositionTable,
    generation: u8,
    path_salt: u64,
}

impl Drop for TtView<'_> {
    fn drop(&mut self) {
        self.table.running_searches[usize::from(self.generation)].fetch_sub(1, Ordering::Relaxed);
    }
}

impl TtView<'_> {
    /// Looks up a key. If the cluster has both a path-independent entry and one of this search's
    /// path, returns the deeper one.
    #[inline]
    pub(in crate::engine) fn probe(&self, key: u64) -> Option<TtEntry> {
        let mut deepest: Option<TtEntry> = None;
        for slot in self.table.cluster(key) {
            let (held_key, held) = slot.read();
            let difference = held_key ^ key;
            if (difference == 0 || difference == self.path_salt)
                && held != 0
                && deepest.is_none_or(|entry| i32::from(entry.depth) < depth_of(held))
            {
                deepest =
                    Some(TtEntry { path_dependent: difference != 0, ..TtEntry::unpack(held) });
            }
        }
        deepest
    }

    /// Prefetches the cluster of a key.
    #[inline]
    pub(in crate::engine) fn prefetch(&self, key: u64) {
        prefetch(self.table.cluster(key));
    }

    /// Stores the static evaluation of a position that has no entry, where a slot is free or may be
    /// replaced.
    pub(in crate::engine) fn store_eval(&self, key: u64, raw_eval: Value, is_pv: bool) {
        let (slot, held_key, held) = self.find_slot(key, key);
        let is_known = held_key == key && held != 0;
        if !is_known && !self.is_protected(held, 0) {
            slot.write(
                key,
                TtEntry::without_value(Move::NULL, Some(raw_eval), is_pv).pack(self.generation),
            );
        }
    }

    /// Stores an entry, unless it would replace a more valuable one.
    pub(in crate::engine) fn store(&self, key: u64, mut entry: TtEntry) {
        let entry_key = if entry.path_dependent { key ^ self.path_salt } else { key };
        let (slot, held_key, held) = self.find_slot(key, entry_key);
        if held_key == entry_key && held != 0 {
            if entry.mv.is_null() {
                entry.mv = TtEntry::unpack(held).mv;
            }
            let same_search = generation_of(held) == usize::from(self.generation);
            if same_search
                && entry.bound != Bound::Exact
                && i32::from(entry.depth) + 3 < depth_of(held)
            {
                return;
            }
            if self.is_protected(held, entry.depth) {
                slot.write(entry_key, with_move(held, entry.mv));
                return;
            }
        } else if self.is_protected(held, entry.depth) {
            return;
        }
        slot.write(entry_key, entry.pack(self.generation));
    }

    /// Stores only a move, for a value that depends on more than the position. An existing value
    /// stays.
    pub(in crate::engine) fn store_move(&self, key: u64, mv: Move, raw_eval: Option<Value>) {
        let (slot, held_key, held) = self.find_slot(key, key);
        if held_key == key && held != 0 {
            slot.write(key, with_move(held, mv));
        } else if !self.is_protected(held, 0) {
            slot.write(key, TtEntry::without_value(mv, raw_eval, false).pack(self.generation));
        }
    }

    /// The slot in the cluster of `key` that holds `entry_key`, or else the one with the least
    /// valuable entry; with its key and data.
    #[inline]
    fn find_slot(&self, key: u64, entry_key: u64) -> (&Slot, u64, u64) {
        let cluster = self.table.cluster(key);
        let mut victim = (&cluster[0], 0, 0);
        let mut lowest = i32::MAX;
        for slot in cluster {
            let (held_key, held) = slot.read();
            if held_key == entry_key && held != 0 {
                return (slot, held_key, held);
            }
            let value = self.table.replacement_value(held);
            if value < lowest {
                lowest = value;
                victim = (slot, held_key, held);
            }
        }
        victim
    }

    /// `true` for a much deeper entry of another running search, which must not be replaced.
    #[inline]
    fn is_protected(&self, held: u64, depth: u8) -> bool {
        let generation = generation_of(held);
        held != 0
            && generation != usize::from(self.generation)
            && depth_of(held) > i32::from(depth) + PROTECTION_DEPTH
            && self.table.running_searches[generation].load(Ordering::Relaxed) > 0
    }
}

#[cfg(test)]
mod tests;
