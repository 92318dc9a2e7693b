//! The transposition table that all searches share.
//!
//! Chess Programming Wiki, "Shared Hash Table" and "Transposition Table": lock-free by Hyatt's and
//! Mann's scheme, the key folded into the data, so that a torn or foreign entry does not verify and
//! is a miss. Clusters of a cache line, and replacement by depth and age, after Stockfish; the
//! ageing differs, since searches of many clients run at once.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use super::TtSharing;
use super::huge_pages::alloc_huge;
use super::prefetch::prefetch;
use super::score::Value;
use super::tt_entry::{Bound, TtEntry, depth_of, generation_of, with_move};
use crate::chess::{Move, splitmix};

const GENERATIONS: usize = 32;

/// One entry: the key folded into the data, and the data. All 64 bits of the key verify it.
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

/// Four entries in one cache line.
#[derive(Default)]
#[repr(align(64))]
struct Cluster([Slot; 4]);

fn clear_clusters(clusters: &[Cluster]) {
    for slot in clusters.iter().flat_map(|cluster| &cluster.0) {
        slot.write(0, 0);
    }
}

/// The shared table. Never grows, never shrinks; every method takes `&self`.
pub(super) struct TranspositionTable {
    clusters: Vec<Cluster>,
    /// How many searches of each generation are running.
    running_searches: [AtomicU32; GENERATIONS],
    /// Generations given out so far.
    generations_started: AtomicU64,
}

/// The system does not give the memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no memory for a table of {mb} MiB")]
pub struct TtAllocError {
    /// The size that was asked for, in MiB.
    pub mb: usize,
}

impl TtAllocError {
    /// Ends the process, as it does when a collection finds no memory.
    pub(super) fn abort(self) -> ! {
        handle_alloc_error(Layout::new::<Cluster>())
    }
}

impl TranspositionTable {
    /// A table of so many MiB (at least one), every page of it written once, so that memory does
    /// not grow later.
    ///
    /// # Errors
    ///
    /// When the system does not give so much memory.
    pub(super) fn new(mb: usize) -> Result<TranspositionTable, TtAllocError> {
        let count = mb.max(1).saturating_mul((1 << 20) / size_of::<Cluster>());
        let clusters = alloc_huge(count, Cluster::default).map_err(|_| TtAllocError { mb })?;
        Ok(TranspositionTable {
            clusters,
            running_searches: std::array::from_fn(|_| AtomicU32::new(0)),
            generations_started: AtomicU64::new(0),
        })
    }

    /// Empties the table, on all cores. Searches that are running merely lose what it knew.
    pub(super) fn clear(&self) {
        let workers = thread::available_parallelism()
            .map_or(1, usize::from)
            .min(self.clusters.len().div_ceil(1 << 14));
        let share = self.clusters.len().div_ceil(workers.max(1));
        thread::scope(|scope| {
            for part in self.clusters.chunks(share.max(1)) {
                // A machine that gives no thread gets the work done here.
                if thread::Builder::new().spawn_scoped(scope, move || clear_clusters(part)).is_err()
                {
                    clear_clusters(part);
                }
            }
        });
    }

    /// How full the table is, in entries per thousand, from a sample of a thousand clusters.
    pub(super) fn hash_permille(&self) -> u32 {
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

    /// Begins a search: its entries carry the generation until the guard is dropped, and count as
    /// young until then.
    pub(super) fn begin_search(&self, sharing: TtSharing) -> TtView<'_> {
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
            // Far from the numbers of clocks.
            TtSharing::Shared => splitmix::nth(0, generation_number.wrapping_add(1 << 32)),
            TtSharing::Exclusive => 0,
        };
        TtView { table: self, generation: index as u8, path_salt }
    }

    /// What an entry is worth keeping: its depth; once its search has ended also less with every
    /// search begun since.
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

/// A running search's place in the table's ages.
///
/// What leans on the path to a position, by a repetition on it, is true on this path alone: it is
/// filed under the position's key combined with a number that no other search has, and so unknown
/// to all others. A player's searches have no such number.
pub(super) struct TtView<'a> {
    table: &'a TranspositionTable,
    generation: u8,
    path_salt: u64,
}

impl Drop for TtView<'_> {
    fn drop(&mut self) {
        self.table.running_searches[usize::from(self.generation)].fetch_sub(1, Ordering::Relaxed);
    }
}

/// How much deeper an entry of another running search must be to keep its place against a new one.
const PROTECTION_DEPTH: i32 = 3;

impl TtView<'_> {
    /// What the table knows of the position with this key, the deeper of what holds on any path and
    /// on this search's.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<TtEntry> {
        let mut found: Option<TtEntry> = None;
        for slot in self.table.cluster(key) {
            let (held_key, held) = slot.read();
            let difference = held_key ^ key;
            if (difference == 0 || difference == self.path_salt)
                && held != 0
                && found.is_none_or(|found| i32::from(found.depth) < depth_of(held))
            {
                found = Some(TtEntry { path_dependent: difference != 0, ..TtEntry::unpack(held) });
            }
        }
        found
    }

    /// Asks the processor to fetch what the table knows of a position, which will be wanted soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch(self.table.cluster(key));
    }

    /// Keeps the static evaluation of a position of which nothing is known, where there is room.
    pub(super) fn store_eval(&self, key: u64, raw_eval: Value, is_pv: bool) {
        let (slot, held_key, held) = self.find_slot(key, key);
        let is_known = held_key == key && held != 0;
        if !is_known && !self.is_protected(held, 0) {
            slot.write(
                key,
                TtEntry::without_value(Move::NULL, Some(raw_eval), is_pv).pack(self.generation),
            );
        }
    }

    /// Keeps what was found out, if nothing more valuable stands in its place.
    pub(super) fn store(&self, key: u64, mut entry: TtEntry) {
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

    /// Keeps only the move: the value was not the position's own. A value that is known already
    /// stays.
    pub(super) fn store_move(&self, key: u64, mv: Move, raw_eval: Option<Value>) {
        let (slot, held_key, held) = self.find_slot(key, key);
        if held_key == key && held != 0 {
            slot.write(key, with_move(held, mv));
        } else if !self.is_protected(held, 0) {
            slot.write(key, TtEntry::without_value(mv, raw_eval, false).pack(self.generation));
        }
    }

    /// The slot of an entry of the position with this key that is filed under `own`, or else the
    /// one whose entry is worth least; with what it holds.
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

    /// A much deeper entry of another search that is still running keeps its place.
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
