//! The evaluation cache: finished analyses by position and history context, shared by all requests.

mod cached;
mod effort;
mod entry;
mod eviction;
mod frequency_sketch;
mod shared;
mod write_behind;

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::one::Ref;

pub use self::cached::CachedAnalysis;
use self::cached::CachedPosition;
pub(super) use self::cached::LookupResult;
use self::entry::{CacheEntry, MAX_ALTERNATIVE_PLIES, MAX_LINES, MAX_PV_PLIES, record_context};
pub(super) use self::entry::{CacheEntry as SharedEntry, Origin, StoredAt};
use self::eviction::{EvictionEntry, EvictionHeap, EvictionScore};
use self::frequency_sketch::FrequencySketch;
use self::write_behind::MAX_WAITING;
pub(super) use self::write_behind::WriteBehind;
use super::answer::CacheVerdict;
use super::cache_key::{AnalysisKey, HistoryContext, popularity_hash};
use super::cluster::{Cluster, MIN_SHARED_NODES, ReadLimit, SharedWrite};
use super::counters::CacheLookupCounts;
use crate::chess::{Move, Position};
use crate::engine::{Limits, Report, StopReason, Variation};
use crate::store::{Record, Store};

/// The evaluation cache, in tiers: popular analyses in memory, all analyses in the store if there
/// is one, and in a cluster those that other nodes have found. A lookup that memory can answer
/// locks only one shard, for reading. Storing follows a search and may take longer.
///
/// Lookups read the store on the calling thread, which usually runs async tasks. A read takes 2 to
/// 10 µs while the system caches the file; waiting for another thread would cost more. The search
/// that follows a miss takes milliseconds.
///
/// An analysis is only reused for the same position byte for byte, in the same context. All
/// analyses of a cache are from one engine: the service refuses a store of another.
#[derive(Debug)]
pub(super) struct EvaluationCache {
    positions: DashMap<u64, CachedPosition>,
    sketch: Arc<FrequencySketch>,
    /// Locked by each store, before any shard of `positions`.
    eviction_heap: Mutex<EvictionHeap>,
    entries: AtomicUsize,
    max_entries: usize,
    disk: Option<WriteBehind>,
    /// The cluster whose nodes share analyses.
    cluster: Option<Arc<dyn Cluster>>,
    lookup_counters: LookupCounters,
}

/// Counters of lookups.
#[derive(Debug, Default)]
struct LookupCounters {
    memory: AtomicU64,
    disk: AtomicU64,
    cluster: AtomicU64,
    misses: AtomicU64,
    speculative: AtomicU64,
}

impl LookupCounters {
    /// Counts a lookup by the tier that answered it, if any.
    fn record(&self, tier: Option<Tier>) {
        let counter = match tier {
            Some(Tier::Memory) => &self.memory,
            Some(Tier::Disk) => &self.disk,
            Some(Tier::Cluster) => &self.cluster,
            None => &self.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Where an analysis was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    Memory,
    Disk,
    Cluster,
}

impl EvaluationCache {
    /// The most memory of an entry, in bytes: the entry, its report with the longest lines, its
    /// slot in the map (whose tables are half empty after they have grown), its entry in the
    /// eviction heap, and its share of the sketch. The allocator adds to each piece, and
    /// fragmentation adds half of the sum (a quarter was measured).
    pub(super) const BYTES_PER_ENTRY: usize = {
        const ALLOCATED: usize = 16;
        let entry = size_of::<CacheEntry>() + ALLOCATED;
        let report = size_of::<Report>() + 2 * size_of::<usize>() + ALLOCATED;
        let line = MAX_PV_PLIES * size_of::<Move>() + ALLOCATED;
        let alternative =
            size_of::<Variation>() + MAX_ALTERNATIVE_PLIES * size_of::<Move>() + ALLOCATED;
        let alternatives = (MAX_LINES - 1) * alternative + ALLOCATED;
        let map_slot = (size_of::<(u64, CachedPosition)>() + 1) * 16 / 7;
        (entry
            + report
            + line
            + alternatives
            + map_slot
            + size_of::<EvictionEntry>()
            + FrequencySketch::BYTES_PER_ENTRY)
            * 3
            / 2
    };

    /// The most memory of the analyses that wait for the disk, in bytes.
    pub(super) const MAX_WAITING_BYTES: usize =
        MAX_WAITING * (EvaluationCache::BYTES_PER_ENTRY + size_of::<Record>());

    /// An empty cache for at most this many analyses; with 0 it never answers.
    pub(super) fn new(max_entries: usize) -> EvaluationCache {
        EvaluationCache {
            positions: DashMap::with_capacity(max_entries),
            sketch: Arc::new(FrequencySketch::new(max_entries)),
            eviction_heap: Mutex::new(EvictionHeap::with_capacity(max_entries)),
            entries: AtomicUsize::new(0),
            max_entries,
            disk: None,
            cluster: None,
            lookup_counters: LookupCounters::default(),
        }
    }

    /// A cache with at most this many analyses in memory in front of a store, to which it writes
    /// new analyses within `flush_interval`.
    ///
    /// # Errors
    /// The system grants no thread for the writes.
    pub(super) fn with_store(
        max_entries: usize,
        store: Arc<dyn Store>,
        flush_interval: Duration,
    ) -> io::Result<EvaluationCache> {
        let cache = EvaluationCache::new(max_entries);
        let sketch = cache.sketch.clone();
        let eviction_score = move |record: &Record| {
            estimated_score(
                &sketch,
                record.nodes_saved,
                record.key.zobrist_key,
                record_context(&record.key),
            )
        };
        let disk = WriteBehind::start(
            store,
            flush_interval,
            Box::new(move |record| eviction_score(record).log2()),
        )?;
        Ok(EvaluationCache { disk: Some(disk), ..cache })
    }

    /// The cache with a cluster whose nodes share analyses.
    pub(super) fn with_cluster(self, cluster: Option<Arc<dyn Cluster>>) -> EvaluationCache {
        EvaluationCache { cluster, ..self }
    }

    /// The cluster whose nodes share analyses, if there is one.
    pub(super) fn cluster(&self) -> Option<&Arc<dyn Cluster>> {
        self.cluster.as_ref()
    }

    /// Reads the valid analyses that the cluster has of this position, with at least this many
    /// lines. Without a cluster there are none.
    pub(super) async fn read_shared(
        &self,
        key: &AnalysisKey,
        lines: usize,
        position: &Position,
        limit: ReadLimit,
    ) -> Vec<SharedEntry> {
        let Some(cluster) = self.cluster() else { return Vec::new() };
        let mut entries = Vec::new();
        for record in cluster.read_cache(shared::keys(key, lines), limit).await {
            match shared::validated(&record, key, position) {
                Some(entry) => entries.push(entry),
                None => cluster.discard(&record),
            }
        }
        entries
    }

    /// How many analyses the cache holds, in memory or on disk.
    pub(super) fn entries(&self) -> usize {
        self.entries_in_memory()
            .max(self.disk.as_ref().map_or(0, |disk| disk.store().size().entries))
    }

    fn entries_in_memory(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn recount_entries(&self) -> usize {
        self.positions.iter().map(|cached| cached.entries.len()).sum()
    }

    /// How many analyses the cache may hold.
    pub(super) fn max_entries(&self) -> usize {
        self.max_entries.max(self.disk.as_ref().map_or(0, |disk| disk.store().size().max_entries))
    }

    /// The lookups since the start.
    pub(super) fn lookup_counts(&self) -> CacheLookupCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let LookupCounters { memory, disk, cluster, misses, speculative } = &self.lookup_counters;
        CacheLookupCounts {
            memory: count(memory),
            disk: count(disk),
            cluster: count(cluster),
            misses: count(misses),
            speculative: count(speculative),
        }
    }

    /// The store behind its write queue, if there is a store.
    pub(super) fn disk(&self) -> Option<&WriteBehind> {
        self.disk.as_ref()
    }

    /// Counts a request for the popularity of its position.
    pub(super) fn record_request(&self, key: &AnalysisKey) {
        self.sketch.increment(key.popularity_hash());
    }

    /// Looks a request up as [`EvaluationCache::lookup_uncounted`] does, and counts it. `shared`
    /// are the cluster's analyses of the position.
    pub(super) fn lookup(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        shared: &[SharedEntry],
    ) -> LookupResult {
        self.record_request(key);
        let (result, tier) = self.lookup_tiers(key, limits, lines, shared);
        self.lookup_counters.record((result.verdict == CacheVerdict::Hit).then_some(tier));
        if result.is_speculative_hit {
            self.lookup_counters.speculative.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// The deepest analysis of a position with at least this many lines, whatever its depth. Counts
    /// as a lookup.
    pub(super) fn lookup_deepest(&self, key: &AnalysisKey, lines: usize) -> Option<CachedAnalysis> {
        self.record_request(key);
        let found = self.find_deepest(key, lines);
        self.lookup_counters.record(found.as_ref().map(|&(_, tier)| tier));
        let (entry, tier) = found?;
        let cached = CachedAnalysis::of(&entry, lines);
        if tier == Tier::Disk {
            self.promote(key, entry);
        }
        Some(cached)
    }

    /// The deepest analysis as [`EvaluationCache::lookup_deepest`] finds it, without counting the
    /// lookup and without changing what memory holds.
    pub(super) fn peek_deepest(&self, key: &AnalysisKey, lines: usize) -> Option<CachedAnalysis> {
        self.find_deepest(key, lines).map(|(entry, _)| CachedAnalysis::of(&entry, lines))
    }

    /// The deepest analysis with at least this many lines, and its tier. Reads the disk only if
    /// memory has none.
    fn find_deepest(&self, key: &AnalysisKey, lines: usize) -> Option<(CacheEntry, Tier)> {
        let deepest_of = |cached: &CachedPosition| {
            cached.lookup(key, &Limits::default(), lines).deepest.cloned()
        };
        if let Some(entry) = self.in_memory(key).and_then(|cached| deepest_of(&cached)) {
            return Some((entry, Tier::Memory));
        }
        let (cached, tier) = self.merged_with_disk(key, &[])?;
        Some((deepest_of(&cached)?, tier))
    }

    /// What the analyses of this node and of the cluster say, without any effect on what memory
    /// holds.
    pub(super) fn find(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        shared: &[SharedEntry],
    ) -> LookupResult {
        self.find_in_tiers(key, limits, lines, shared).0
    }

    /// Looks up the analyses of a position with at least this many lines, and whether they satisfy
    /// the limits.
    pub(super) fn lookup_uncounted(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
    ) -> LookupResult {
        self.lookup_tiers(key, limits, lines, &[]).0
    }

    /// As [`EvaluationCache::find`], with the tier of the result. What was found outside memory is
    /// in memory from then on.
    fn lookup_tiers(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        shared: &[SharedEntry],
    ) -> (LookupResult, Tier) {
        let (result, tier, found) = self.find_in_tiers(key, limits, lines, shared);
        if let Some(entry) = found {
            self.promote(key, entry);
        }
        (result, tier)
    }

    /// The result with its tier, and the answer's entry if it is not from memory.
    fn find_in_tiers(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        shared: &[SharedEntry],
    ) -> (LookupResult, Tier, Option<CacheEntry>) {
        let from_memory = self.lookup_memory(key, limits, lines);
        if from_memory.sufficient.is_some() {
            return (from_memory, Tier::Memory, None);
        }
        let Some((cached, outside)) = self.merged_with_disk(key, shared) else {
            return (from_memory, Tier::Memory, None);
        };
        let lookup = cached.lookup(key, limits, lines);
        let found = lookup.answer().cloned();
        let is_shared = found.as_ref().is_some_and(|entry| {
            shared.iter().any(|other| Arc::ptr_eq(&other.report, &entry.report))
        });
        let tier = if is_shared { Tier::Cluster } else { outside };
        (lookup.into_result(lines), tier, found)
    }

    fn lookup_memory(&self, key: &AnalysisKey, limits: &Limits, lines: usize) -> LookupResult {
        self.in_memory(key).map_or(LookupResult::without_entry(CacheVerdict::Unknown), |cached| {
            cached.lookup(key, limits, lines).into_result(lines)
        })
    }

    /// The entries of a position in memory, on disk and in the cluster, with the first of the two
    /// that has one; `None` if neither has.
    fn merged_with_disk(
        &self,
        key: &AnalysisKey,
        shared: &[SharedEntry],
    ) -> Option<(CachedPosition, Tier)> {
        let on_disk = self.read_disk(key);
        if on_disk.is_empty() && shared.is_empty() {
            return None;
        }
        let tier = if on_disk.is_empty() { Tier::Cluster } else { Tier::Disk };
        let mut cached = self.copy_from_memory(key);
        on_disk.into_iter().chain(shared.iter().cloned()).for_each(|entry| {
            cached.merge(entry);
        });
        Some((cached, tier))
    }

    /// Copies an entry from disk to memory, unless memory has a better one by now.
    fn promote(&self, key: &AnalysisKey, entry: CacheEntry) {
        let mut heap = self.eviction_heap();
        let mut cached = self.copy_from_memory(key);
        if let Some(index) = cached.merge(entry) {
            self.insert_in_memory(&mut heap, key, cached.entries[index].clone());
        }
    }

    /// The entries of a position on disk. If the store fails, those that wait to be written.
    fn read_disk(&self, key: &AnalysisKey) -> Vec<CacheEntry> {
        let Some(disk) = &self.disk else { return Vec::new() };
        let records = disk.read(key.zobrist_key, &key.packed).unwrap_or_else(|error| {
            tracing::debug!(error = error.to_string(), "the store cannot be read");
            disk.waiting_for(key.zobrist_key, &key.packed)
        });
        records.iter().map(|record| CacheEntry::from_record(record)).collect()
    }

    /// The entries of a position in memory, which lock its shard for reading.
    fn in_memory(&self, key: &AnalysisKey) -> Option<Ref<'_, u64, CachedPosition>> {
        self.positions.get(&key.zobrist_key).filter(|cached| cached.packed == key.packed)
    }

    /// A copy of the entries of a position in memory.
    fn copy_from_memory(&self, key: &AnalysisKey) -> CachedPosition {
        let cached = self.in_memory(key);
        cached.map_or_else(|| CachedPosition::empty(key.packed), |cached| cached.clone())
    }

    fn eviction_heap(&self) -> MutexGuard<'_, EvictionHeap> {
        self.eviction_heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the report of a search with these limits: in its own context, and also in the empty
    /// one if the report does not depend on history and clock. A deeper entry stays. In a full
    /// cache the least valuable entry is evicted.
    pub(super) fn store(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        report: &Arc<Report>,
        origin: Origin,
    ) {
        if !may_be_cached(report, limits) || self.max_entries == 0 {
            return;
        }
        if let Some(disk) = &self.disk {
            disk.wait_for_capacity();
        }
        let mut heap = self.eviction_heap();
        let mut cached = self.copy_from_memory(key);
        self.read_disk(key).into_iter().for_each(|entry| {
            cached.merge(entry);
        });
        for found in entries_of(key, limits, report, origin) {
            let Some(index) = cached.merge(found) else { continue };
            let entry = &cached.entries[index];
            self.insert_in_memory(&mut heap, key, entry.clone());
            if let Some(disk) = &self.disk {
                disk.push(entry.to_record(key));
            }
            if let Some(cluster) = &self.cluster
                && origin != Origin::OtherNode
                && entry.nodes_saved >= MIN_SHARED_NODES
            {
                cluster.write_cache(entry.to_record(key), SharedWrite::Result);
            }
        }
    }

    /// Shares what a search with these limits has found so far with the cluster, if there is one.
    pub(super) fn share_checkpoint(&self, key: &AnalysisKey, limits: &Limits, report: &Report) {
        let Some(cluster) = self.cluster() else { return };
        if !may_be_cached(report, limits) || report.nodes < MIN_SHARED_NODES {
            return;
        }
        // Which limit the search will reach is not known.
        let report = Arc::new(Report { reason: StopReason::Stopped, ..report.clone() });
        for entry in entries_of(key, limits, &report, Origin::Request) {
            cluster.write_cache(entry.to_record(key), SharedWrite::Checkpoint);
        }
    }

    /// Inserts an entry into memory, or replaces the entry with its context and lines. In a full
    /// cache a new entry must have a higher score than the one that it evicts.
    fn insert_in_memory(&self, heap: &mut EvictionHeap, key: &AnalysisKey, entry: CacheEntry) {
        let (context, lines) = (entry.context, entry.lines);
        if let Some(mut cached) = self.positions.get_mut(&key.zobrist_key) {
            if cached.packed != key.packed {
                // Two positions with one Zobrist key, which is very rare. The first one stays.
                return;
            }
            if let Ok(index) = cached.find(context, lines) {
                cached.entries[index] = entry;
                return;
            }
        }
        let score = EvictionScore::new(
            entry.nodes_saved,
            self.initial_popularity(key.zobrist_key, context),
        );
        if self.entries_in_memory() >= self.max_entries {
            let Some(victim) = heap.evict_least(score, |entry| self.current_score(entry)) else {
                return;
            };
            self.remove_evicted(&victim);
        }
        heap.push(EvictionEntry { score, zobrist_key: key.zobrist_key, context, lines });
        let mut cached = self
            .positions
            .entry(key.zobrist_key)
            .or_insert_with(|| CachedPosition::empty(key.packed));
        if let Err(index) = cached.find(context, lines) {
            cached.insert(index, entry);
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The popularity of a new entry. A position without requests, such as the empty context of a
    /// position in a reviewed game, counts as a quarter of a request.
    fn initial_popularity(&self, zobrist_key: u64, context: HistoryContext) -> f32 {
        self.sketch
            .estimate(popularity_hash(zobrist_key, context))
            .max(self.sketch.request_log_weight() - 2.0)
    }

    fn current_score(&self, entry: &EvictionEntry) -> Option<EvictionScore> {
        let cached = self.positions.get(&entry.zobrist_key)?;
        let cached_entry = cached.entries.get(cached.find(entry.context, entry.lines).ok()?)?;
        Some(estimated_score(
            &self.sketch,
            cached_entry.nodes_saved,
            entry.zobrist_key,
            entry.context,
        ))
    }

    fn remove_evicted(&self, entry: &EvictionEntry) {
        let Some(mut cached) = self.positions.get_mut(&entry.zobrist_key) else { return };
        if let Ok(index) = cached.find(entry.context, entry.lines) {
            cached.entries.remove(index);
            self.entries.fetch_sub(1, Ordering::Relaxed);
        }
        drop(cached);
        self.positions.remove_if(&entry.zobrist_key, |_, cached| cached.entries.is_empty());
    }
}

/// The score of an entry that saves this many nodes, by the requests for its position and context.
fn estimated_score(
    sketch: &FrequencySketch,
    nodes_saved: u64,
    zobrist_key: u64,
    context: HistoryContext,
) -> EvictionScore {
    EvictionScore::new(nodes_saved, sketch.estimate(popularity_hash(zobrist_key, context)))
}

/// `true` if the cache can hold the report of a search with these limits.
fn may_be_cached(report: &Report, limits: &Limits) -> bool {
    limits.mate.is_none()
        && report.depth > 0
        && !matches!(report.reason, StopReason::Terminal | StopReason::Tablebase)
}

/// The entries of the report of a search with these limits: in its own context, and also in the
/// empty one if the report does not depend on history and clock.
fn entries_of(
    key: &AnalysisKey,
    limits: &Limits,
    report: &Arc<Report>,
    origin: Origin,
) -> impl Iterator<Item = CacheEntry> {
    let report = trim_for_cache(report);
    let own_context = key.context(report.seldepth, report.is_ranked_by_tablebase);
    let fits_empty_context = report.history_independent
        && !report.is_ranked_by_tablebase
        && !key.nears_fifty_moves(report.seldepth)
        && own_context != HistoryContext::EMPTY;
    let entry = CacheEntry {
        context: own_context,
        effort: effort::of_search(&report, limits),
        nodes_saved: report.nodes,
        lines: report.alternatives.len() as u8 + 1,
        report,
        stored_at: StoredAt::now(),
        origin,
    };
    let in_empty_context =
        fits_empty_context.then(|| CacheEntry { context: HistoryContext::EMPTY, ..entry.clone() });
    std::iter::once(entry).chain(in_empty_context)
}

/// A report without the lines that are not cached.
fn trim_for_cache(report: &Arc<Report>) -> Arc<Report> {
    let short = report
        .alternatives
        .iter()
        .take(MAX_LINES - 1)
        .take_while(|line| line.pv.len() <= MAX_ALTERNATIVE_PLIES);
    let kept_lines = short.count();
    if kept_lines == report.alternatives.len() {
        return report.clone();
    }
    let alternatives = report.alternatives[..kept_lines].to_vec();
    Arc::new(Report { alternatives, ..(**report).clone() })
}
