//! The evaluation dictionary: finished analyses by Zobrist key and context, shared by all requests.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::DashMap;

use super::answer::CacheVerdict;
use super::cache_key::{AnalysisKey, HistoryContext, popularity_hash};
use super::cached::{CacheEntry, CachedAnalysis, CachedPosition, LookupResult, Origin, StoredAt};
use super::effort::SearchEffort;
use super::eviction::{EvictionEntry, EvictionHeap, Worth};
use super::frequency_sketch::FrequencySketch;
use super::store_codec;
use super::write_behind::{MAX_WAITING, WriteBehind};
use crate::chess::Move;
use crate::engine::{Limits, Report, StopReason, Variation};
use crate::store::{Record, Store};

/// Plies in the longest line that a report can have.
const MAX_PV_PLIES: usize = 256;

/// An analysis is remembered with so many lines at most; who asks for more is searched for.
const MAX_LINES: usize = 5;

/// Plies in the longest second-best line that is remembered: one that goes on is not, nor is any
/// after it, so that what is told from memory is as complete as what is searched.
const MAX_ALTERNATIVE_PLIES: usize = 32;

/// The evaluation dictionary: what is hot in memory, all of it on disk where there is a store.
/// Look-ups lock a shard for reading and, of what memory can answer, nothing else; storing follows
/// a search and may take longer.
///
/// What memory cannot answer is looked up on disk by whoever asks, an async thread as a rule: that
/// takes 2 to 10 µs with the file in the system's memory, where a thread to wait for would cost
/// more, and comes before a search of milliseconds if it finds nothing.
///
/// An analysis is only ever used for the same position byte for byte, in the same context, under
/// the engine that made it.
#[derive(Debug)]
pub(super) struct EvaluationCache {
    positions: DashMap<u64, CachedPosition>,
    sketch: Arc<FrequencySketch>,
    /// Taken by whoever stores, before any shard of `known`.
    eviction_heap: Mutex<EvictionHeap>,
    entries: AtomicUsize,
    max_entries: usize,
    disk: Option<WriteBehind>,
    lookup_counters: LookupCounters,
}

/// How questions were answered.
#[derive(Debug, Default)]
struct LookupCounters {
    memory: AtomicU64,
    disk: AtomicU64,
    misses: AtomicU64,
    speculative: AtomicU64,
}

impl LookupCounters {
    /// Counts a question by where it was answered, if it was.
    fn record(&self, tier: Option<Tier>) {
        let counter = match tier {
            Some(Tier::Memory) => &self.memory,
            Some(Tier::Disk) => &self.disk,
            None => &self.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many questions the dictionary has answered, and from where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheHits {
    /// From memory.
    pub memory: u64,
    /// From disk.
    pub disk: u64,
    /// Not at all.
    pub misses: u64,
    /// From memory or disk, by what was found in idle time.
    pub speculative: u64,
}

/// Where an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    Memory,
    Disk,
}

impl EvaluationCache {
    /// The most memory for each analysis: itself, its report with the longest line, its place in
    /// the map (whose tables are half empty after they have grown), its ticket, and its share of
    /// the sketch; with what the allocator adds to each piece, and half as much again for the holes
    /// that come and go entries of many sizes leave (a quarter was measured).
    pub(super) const BYTES_PER_ENTRY: usize = {
        const ALLOCATED: usize = 16;
        let analysis = size_of::<CacheEntry>() + ALLOCATED;
        let report = size_of::<Report>() + 2 * size_of::<usize>() + ALLOCATED;
        let line = MAX_PV_PLIES * size_of::<Move>() + ALLOCATED;
        let alternative =
            size_of::<Variation>() + MAX_ALTERNATIVE_PLIES * size_of::<Move>() + ALLOCATED;
        let alternatives = (MAX_LINES - 1) * alternative + ALLOCATED;
        let map_slot = (size_of::<(u64, CachedPosition)>() + 1) * 16 / 7;
        (analysis
            + report
            + line
            + alternatives
            + map_slot
            + size_of::<EvictionEntry>()
            + FrequencySketch::BYTES_PER_ENTRY)
            * 3
            / 2
    };

    /// The most memory that analyses which wait for the disk take.
    pub(super) const MAX_WAITING_BYTES: usize =
        MAX_WAITING * (EvaluationCache::BYTES_PER_ENTRY + size_of::<Record>());

    /// An empty one that never holds more than so many analyses; of none, it never answers.
    pub(super) fn new(max_entries: usize) -> EvaluationCache {
        EvaluationCache {
            positions: DashMap::with_capacity(max_entries),
            sketch: Arc::new(FrequencySketch::new(max_entries)),
            eviction_heap: Mutex::new(EvictionHeap::with_capacity(max_entries)),
            entries: AtomicUsize::new(0),
            max_entries,
            disk: None,
            lookup_counters: LookupCounters::default(),
        }
    }

    /// One with so many analyses in memory in front of a store, which gets what is new within this
    /// time.
    ///
    /// # Errors
    /// When the system grants no thread to write it.
    pub(super) fn with_store(
        max_entries: usize,
        store: Arc<dyn Store>,
        flush_interval: Duration,
    ) -> io::Result<EvaluationCache> {
        let cache = EvaluationCache::new(max_entries);
        let sketch = cache.sketch.clone();
        let worth = move |record: &Record| {
            estimated_worth(
                &sketch,
                record.nodes_saved,
                record.key.zobrist_key,
                store_codec::record_context(&record.key),
            )
        };
        let disk = WriteBehind::start(
            store,
            flush_interval,
            Box::new(move |record| worth(record).log2()),
        )?;
        Ok(EvaluationCache { disk: Some(disk), ..cache })
    }

    /// How many analyses there are, in memory or on disk.
    pub(super) fn entries(&self) -> usize {
        self.entries_in_memory()
            .max(self.disk.as_ref().map_or(0, |disk| disk.store().size().entries))
    }

    fn entries_in_memory(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn recount_entries(&self) -> usize {
        self.positions.iter().map(|known| known.entries.len()).sum()
    }

    /// How many there may be.
    pub(super) fn max_entries(&self) -> usize {
        self.max_entries.max(self.disk.as_ref().map_or(0, |disk| disk.store().size().max_entries))
    }

    /// How questions were answered so far.
    pub(super) fn hits(&self) -> CacheHits {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let LookupCounters { memory, disk, misses, speculative: idle } = &self.lookup_counters;
        CacheHits {
            memory: count(memory),
            disk: count(disk),
            misses: count(misses),
            speculative: count(idle),
        }
    }

    /// The disk, if there is one.
    pub(super) fn disk(&self) -> Option<&WriteBehind> {
        self.disk.as_ref()
    }

    /// Notes that somebody wants to know about this position.
    pub(super) fn record_request(&self, key: &AnalysisKey) {
        self.sketch.increment(key.popularity_hash());
    }

    /// Answers a question as [`Dictionary::look_up`] does, and counts it.
    pub(super) fn lookup(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        engine_id: &str,
    ) -> LookupResult {
        self.record_request(key);
        let (result, tier) = self.lookup_tiers(key, limits, lines, engine_id);
        self.lookup_counters.record((result.verdict == CacheVerdict::Hit).then_some(tier));
        if result.is_speculative_hit {
            self.lookup_counters.speculative.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// The deepest analysis of a position with at least so many lines, however deep that is, as the
    /// answer to a question, which counts.
    pub(super) fn lookup_deepest(
        &self,
        key: &AnalysisKey,
        lines: usize,
        engine_id: &str,
    ) -> Option<CachedAnalysis> {
        self.record_request(key);
        let found = self.find_deepest(key, lines, engine_id);
        self.lookup_counters.record(found.as_ref().map(|&(_, tier)| tier));
        let (analysis, tier) = found?;
        let cached = CachedAnalysis::of(&analysis, lines);
        if tier == Tier::Disk {
            self.promote(key, analysis);
        }
        Some(cached)
    }

    /// The same for somebody who only looks around: that neither counts nor changes what memory
    /// holds.
    pub(super) fn peek_deepest(
        &self,
        key: &AnalysisKey,
        lines: usize,
        engine_id: &str,
    ) -> Option<CachedAnalysis> {
        self.find_deepest(key, lines, engine_id)
            .map(|(analysis, _)| CachedAnalysis::of(&analysis, lines))
    }

    /// The deepest analysis with at least so many lines, and where it was found. Where memory has
    /// one the disk is not asked.
    fn find_deepest(
        &self,
        key: &AnalysisKey,
        lines: usize,
        engine_id: &str,
    ) -> Option<(CacheEntry, Tier)> {
        let deepest_of = |known: &CachedPosition| {
            known.lookup(key, &Limits::default(), lines, engine_id).deepest.cloned()
        };
        let cached =
            self.positions.get(&key.zobrist_key).filter(|known| known.packed == key.packed);
        if let Some(analysis) = cached.and_then(|known| deepest_of(&known)) {
            return Some((analysis, Tier::Memory));
        }
        let analysis = deepest_of(&self.merged_with_disk(key, engine_id)?)?;
        Some((analysis, Tier::Disk))
    }

    /// What is known of a position, with at least so many lines; and whether it is enough for the
    /// asked limits.
    pub(super) fn lookup_uncounted(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        engine_id: &str,
    ) -> LookupResult {
        self.lookup_tiers(key, limits, lines, engine_id).0
    }

    fn lookup_tiers(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        lines: usize,
        engine_id: &str,
    ) -> (LookupResult, Tier) {
        let cached =
            self.positions.get(&key.zobrist_key).filter(|known| known.packed == key.packed);
        let from_memory = cached
            .map_or(LookupResult::without_entry(CacheVerdict::Unknown), |known| {
                known.lookup(key, limits, lines, engine_id).into_result(lines)
            });
        if from_memory.sufficient.is_some() {
            return (from_memory, Tier::Memory);
        }
        let Some(known) = self.merged_with_disk(key, engine_id) else {
            return (from_memory, Tier::Memory);
        };
        let lookup = known.lookup(key, limits, lines, engine_id);
        if let Some(analysis) = lookup.answer() {
            self.promote(key, analysis.clone());
        }
        (lookup.into_result(lines), Tier::Disk)
    }

    /// All that memory and disk know of a position, where the disk knows something.
    fn merged_with_disk(&self, key: &AnalysisKey, engine_id: &str) -> Option<CachedPosition> {
        let on_disk = if self.is_persisted(engine_id) { self.read_disk(key) } else { Vec::new() };
        if on_disk.is_empty() {
            return None;
        }
        let mut known = self.copy_from_memory(key);
        on_disk.into_iter().for_each(|analysis| {
            known.merge(analysis);
        });
        Some(known)
    }

    /// Takes into memory what the disk knows, unless memory has come to know better.
    fn promote(&self, key: &AnalysisKey, analysis: CacheEntry) {
        let mut heap = self.eviction_heap();
        let mut known = self.copy_from_memory(key);
        if let Some(index) = known.merge(analysis) {
            self.insert_in_memory(&mut heap, key, known.entries[index].clone());
        }
    }

    /// `true` when analyses of this maker are on disk.
    fn is_persisted(&self, engine_id: &str) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.store().engine_id() == engine_id)
    }

    /// What the disk knows of a position; nothing where it cannot be read.
    fn read_disk(&self, key: &AnalysisKey) -> Vec<CacheEntry> {
        let Some(disk) = &self.disk else { return Vec::new() };
        let records = disk.read(key.zobrist_key, &key.packed).unwrap_or_else(|error| {
            tracing::debug!(error = error.to_string(), "the store cannot be read");
            disk.waiting_for(key.zobrist_key, &key.packed)
        });
        let engine_id: Arc<str> = disk.store().engine_id().into();
        records.iter().map(|record| store_codec::from_record(record, &engine_id)).collect()
    }

    /// A copy of what memory knows of a position.
    fn copy_from_memory(&self, key: &AnalysisKey) -> CachedPosition {
        let known = self.positions.get(&key.zobrist_key).filter(|known| known.packed == key.packed);
        known.map_or_else(|| CachedPosition::empty(key.packed), |known| known.clone())
    }

    fn eviction_heap(&self) -> MutexGuard<'_, EvictionHeap> {
        self.eviction_heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a search with these limits found: in its own context, and in the empty one
    /// where its history and clock had no part in it. What is deeper already stays; what is least
    /// worth goes.
    pub(super) fn store(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        report: &Arc<Report>,
        engine_id: &Arc<str>,
    ) {
        self.store_with_origin(Origin::Request, key, limits, report, engine_id);
    }

    /// The same for what was found in idle time.
    pub(super) fn store_speculative(
        &self,
        key: &AnalysisKey,
        limits: &Limits,
        report: &Arc<Report>,
        engine_id: &Arc<str>,
    ) {
        self.store_with_origin(Origin::Speculation, key, limits, report, engine_id);
    }

    fn store_with_origin(
        &self,
        origin: Origin,
        key: &AnalysisKey,
        limits: &Limits,
        report: &Arc<Report>,
        engine_id: &Arc<str>,
    ) {
        if limits.mate.is_some()
            || report.depth == 0
            || report.reason == StopReason::Terminal
            || self.max_entries == 0
        {
            return;
        }
        let report = &trim_for_cache(report);
        let lines = report.alternatives.len() as u8 + 1;
        let own_context = key.context(report.seldepth);
        let fits_empty_context = report.history_independent
            && !key.nears_fifty_moves(report.seldepth)
            && own_context != HistoryContext::EMPTY;
        let is_persisted = self.is_persisted(engine_id);
        if let Some(disk) = self.disk.as_ref().filter(|_| is_persisted) {
            disk.wait_for_capacity();
        }
        let mut heap = self.eviction_heap();
        let mut known = self.copy_from_memory(key);
        if is_persisted {
            self.read_disk(key).into_iter().for_each(|analysis| {
                known.merge(analysis);
            });
        }
        for context in
            std::iter::once(own_context).chain(fits_empty_context.then_some(HistoryContext::EMPTY))
        {
            let found = CacheEntry {
                context,
                report: report.clone(),
                effort: SearchEffort::of(report, limits),
                nodes_saved: report.nodes,
                lines,
                stored_at: StoredAt::now(),
                origin,
                engine_id: engine_id.clone(),
            };
            let Some(index) = known.merge(found) else { continue };
            let analysis = &known.entries[index];
            self.insert_in_memory(&mut heap, key, analysis.clone());
            if let Some(disk) = self.disk.as_ref().filter(|_| is_persisted) {
                disk.push(store_codec::to_record(key, analysis));
            }
        }
    }

    /// Takes an analysis into memory, in place of what its place had, if it is worth more than what
    /// would have to go.
    fn insert_in_memory(&self, heap: &mut EvictionHeap, key: &AnalysisKey, analysis: CacheEntry) {
        let (context, lines) = (analysis.context, analysis.lines);
        if let Some(mut known) = self.positions.get_mut(&key.zobrist_key) {
            if known.packed != key.packed {
                // Two positions with one key. Whoever came first stays: rare beyond mention, and
                // never wrong.
                return;
            }
            if let Ok(index) = known.find(context, lines) {
                known.entries[index] = analysis;
                return;
            }
        }
        let worth =
            Worth::new(analysis.nodes_saved, self.initial_popularity(key.zobrist_key, context));
        if self.entries_in_memory() >= self.max_entries {
            let Some(victim) = heap.evict_least(worth, |ticket| self.current_worth(ticket)) else {
                return;
            };
            self.remove_evicted(&victim);
        }
        heap.push(EvictionEntry { worth, zobrist_key: key.zobrist_key, context, lines });
        let mut known = self
            .positions
            .entry(key.zobrist_key)
            .or_insert_with(|| CachedPosition::empty(key.packed));
        if let Err(index) = known.find(context, lines) {
            known.insert(index, analysis);
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What nobody has asked for yet, such as the empty context of a reviewed game's position,
    /// counts a quarter of a request.
    fn initial_popularity(&self, zobrist_key: u64, context: HistoryContext) -> f32 {
        self.sketch
            .estimate(popularity_hash(zobrist_key, context))
            .max(self.sketch.request_log_weight() - 2.0)
    }

    fn current_worth(&self, entry: &EvictionEntry) -> Option<Worth> {
        let known = self.positions.get(&entry.zobrist_key)?;
        let analysis = known.entries.get(known.find(entry.context, entry.lines).ok()?)?;
        Some(estimated_worth(&self.sketch, analysis.nodes_saved, entry.zobrist_key, entry.context))
    }

    fn remove_evicted(&self, entry: &EvictionEntry) {
        let Some(mut known) = self.positions.get_mut(&entry.zobrist_key) else { return };
        if let Ok(index) = known.find(entry.context, entry.lines) {
            known.entries.remove(index);
            self.entries.fetch_sub(1, Ordering::Relaxed);
        }
        drop(known);
        self.positions.remove_if(&entry.zobrist_key, |_, known| known.entries.is_empty());
    }
}

/// What an analysis that saves so many nodes is worth by the requests for its position and context.
fn estimated_worth(
    sketch: &FrequencySketch,
    nodes_saved: u64,
    zobrist_key: u64,
    context: HistoryContext,
) -> Worth {
    Worth::new(nodes_saved, sketch.estimate(popularity_hash(zobrist_key, context)))
}

/// A report as it is remembered: with no more lines than there is room for.
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
