//! The evaluation dictionary: finished analyses by Zobrist key and context, shared by all requests.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::DashMap;

use super::address::{Address, Context, demand};
use super::answer::MemoryVerdict;
use super::effort::Effort;
use super::eviction::{Ranking, Ticket, Worth};
use super::known::{Analysis, Known, Memory, Origin, Remembered, Stored};
use super::sketch::FrequencySketch;
use super::stored;
use super::write_behind::{MOST_WAITING, WriteBehind};
use crate::chess::Move;
use crate::engine::{Limits, Report, StopReason, Variation};
use crate::store::{Record, Store};

/// Plies in the longest line that a report can have.
const LONGEST_LINE: usize = 256;

/// An analysis is remembered with so many lines at most; who asks for more is searched for.
const MOST_LINES: usize = 5;

/// Plies in the longest second-best line that is remembered: one that goes on is not, nor is any
/// after it, so that what is told from memory is as complete as what is searched.
const LONGEST_ALTERNATIVE: usize = 32;

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
pub(super) struct Dictionary {
    known: DashMap<u64, Known>,
    sketch: Arc<FrequencySketch>,
    /// Taken by whoever stores, before any shard of `known`.
    ranking: Mutex<Ranking>,
    entries: AtomicUsize,
    max_entries: usize,
    disk: Option<WriteBehind>,
    asked: Asked,
}

/// How questions were answered.
#[derive(Debug, Default)]
struct Asked {
    memory: AtomicU64,
    disk: AtomicU64,
    misses: AtomicU64,
    idle: AtomicU64,
}

impl Asked {
    /// Counts a question by where it was answered, if it was.
    fn count(&self, tier: Option<Tier>) {
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
pub struct DictionaryHits {
    /// From memory.
    pub memory: u64,
    /// From disk.
    pub disk: u64,
    /// Not at all.
    pub misses: u64,
    /// From memory or disk, by what was found in idle time.
    pub idle: u64,
}

/// Where an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    Memory,
    Disk,
}

impl Dictionary {
    /// The most memory for each analysis: itself, its report with the longest line, its place in
    /// the map (whose tables are half empty after they have grown), its ticket, and its share of
    /// the sketch; with what the allocator adds to each piece, and half as much again for the holes
    /// that come and go entries of many sizes leave (a quarter was measured).
    pub(super) const BYTES_PER_ENTRY: usize = {
        const ALLOCATED: usize = 16;
        let analysis = size_of::<Analysis>() + ALLOCATED;
        let report = size_of::<Report>() + 2 * size_of::<usize>() + ALLOCATED;
        let line = LONGEST_LINE * size_of::<Move>() + ALLOCATED;
        let alternative =
            size_of::<Variation>() + LONGEST_ALTERNATIVE * size_of::<Move>() + ALLOCATED;
        let alternatives = (MOST_LINES - 1) * alternative + ALLOCATED;
        let place = (size_of::<(u64, Known)>() + 1) * 16 / 7;
        (analysis
            + report
            + line
            + alternatives
            + place
            + size_of::<Ticket>()
            + FrequencySketch::BYTES_PER_ENTRY)
            * 3
            / 2
    };

    /// The most memory that analyses which wait for the disk take.
    pub(super) const BYTES_WAITING: usize =
        MOST_WAITING * (Dictionary::BYTES_PER_ENTRY + size_of::<Record>());

    /// An empty one that never holds more than so many analyses; of none, it never answers.
    pub(super) fn new(max_entries: usize) -> Dictionary {
        Dictionary {
            known: DashMap::with_capacity(max_entries),
            sketch: Arc::new(FrequencySketch::new(max_entries)),
            ranking: Mutex::new(Ranking::with_capacity(max_entries)),
            entries: AtomicUsize::new(0),
            max_entries,
            disk: None,
            asked: Asked::default(),
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
        flush: Duration,
    ) -> io::Result<Dictionary> {
        let dictionary = Dictionary::new(max_entries);
        let sketch = dictionary.sketch.clone();
        let worth = move |record: &Record| {
            worth_by(&sketch, record.saves, record.place.key, stored::context(&record.place))
        };
        let disk =
            WriteBehind::start(store, flush, Box::new(move |record| worth(record).logarithm()))?;
        Ok(Dictionary { disk: Some(disk), ..dictionary })
    }

    /// How many analyses there are, in memory or on disk.
    pub(super) fn entries(&self) -> usize {
        self.in_memory().max(self.disk.as_ref().map_or(0, |disk| disk.store().size().entries))
    }

    fn in_memory(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn count_anew(&self) -> usize {
        self.known.iter().map(|known| known.analyses.len()).sum()
    }

    /// How many there may be.
    pub(super) fn max_entries(&self) -> usize {
        self.max_entries.max(self.disk.as_ref().map_or(0, |disk| disk.store().size().max_entries))
    }

    /// How questions were answered so far.
    pub(super) fn hits(&self) -> DictionaryHits {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Asked { memory, disk, misses, idle } = &self.asked;
        DictionaryHits {
            memory: count(memory),
            disk: count(disk),
            misses: count(misses),
            idle: count(idle),
        }
    }

    /// The disk, if there is one.
    pub(super) fn disk(&self) -> Option<&WriteBehind> {
        self.disk.as_ref()
    }

    /// Notes that somebody wants to know about this position.
    pub(super) fn note_request(&self, address: &Address) {
        self.sketch.touch(address.demand());
    }

    /// Answers a question as [`Dictionary::look_up`] does, and counts it.
    pub(super) fn ask(
        &self,
        address: &Address,
        asked: &Limits,
        lines: usize,
        maker: &str,
    ) -> Memory {
        self.note_request(address);
        let (memory, tier) = self.look_into(address, asked, lines, maker);
        self.asked.count((memory.verdict == MemoryVerdict::Hit).then_some(tier));
        if memory.is_idle_hit {
            self.asked.idle.fetch_add(1, Ordering::Relaxed);
        }
        memory
    }

    /// The deepest analysis of a position with at least so many lines, however deep that is, as the
    /// answer to a question, which counts.
    pub(super) fn recall(
        &self,
        address: &Address,
        lines: usize,
        maker: &str,
    ) -> Option<Remembered> {
        self.note_request(address);
        let found = self.deepest(address, lines, maker);
        self.asked.count(found.as_ref().map(|&(_, tier)| tier));
        let (analysis, tier) = found?;
        let told = Remembered::of(&analysis, lines);
        if tier == Tier::Disk {
            self.promote(address, analysis);
        }
        Some(told)
    }

    /// The same for somebody who only looks around: that neither counts nor changes what memory
    /// holds.
    pub(super) fn glance(
        &self,
        address: &Address,
        lines: usize,
        maker: &str,
    ) -> Option<Remembered> {
        self.deepest(address, lines, maker).map(|(analysis, _)| Remembered::of(&analysis, lines))
    }

    /// The deepest analysis with at least so many lines, and where it was found. Where memory has
    /// one the disk is not asked.
    fn deepest(&self, address: &Address, lines: usize, maker: &str) -> Option<(Analysis, Tier)> {
        let of =
            |known: &Known| known.says(address, &Limits::default(), lines, maker).deepest.cloned();
        let remembered =
            self.known.get(&address.key).filter(|known| known.packed == address.packed);
        if let Some(analysis) = remembered.and_then(|known| of(&known)) {
            return Some((analysis, Tier::Memory));
        }
        let analysis = of(&self.with_kept(address, maker)?)?;
        Some((analysis, Tier::Disk))
    }

    /// What is known of a position, with at least so many lines; and whether it is enough for the
    /// asked limits.
    pub(super) fn look_up(
        &self,
        address: &Address,
        asked: &Limits,
        lines: usize,
        maker: &str,
    ) -> Memory {
        self.look_into(address, asked, lines, maker).0
    }

    fn look_into(
        &self,
        address: &Address,
        asked: &Limits,
        lines: usize,
        maker: &str,
    ) -> (Memory, Tier) {
        let remembered =
            self.known.get(&address.key).filter(|known| known.packed == address.packed);
        let said = remembered.map_or(Memory::silent(MemoryVerdict::Unknown), |known| {
            known.says(address, asked, lines, maker).told(lines)
        });
        if said.enough.is_some() {
            return (said, Tier::Memory);
        }
        let Some(known) = self.with_kept(address, maker) else { return (said, Tier::Memory) };
        let saying = known.says(address, asked, lines, maker);
        if let Some(analysis) = saying.answer() {
            self.promote(address, analysis.clone());
        }
        (saying.told(lines), Tier::Disk)
    }

    /// All that memory and disk know of a position, where the disk knows something.
    fn with_kept(&self, address: &Address, maker: &str) -> Option<Known> {
        let kept = if self.is_kept(maker) { self.kept(address) } else { Vec::new() };
        if kept.is_empty() {
            return None;
        }
        let mut known = self.remembered(address);
        kept.into_iter().for_each(|analysis| {
            known.learn(analysis);
        });
        Some(known)
    }

    /// Takes into memory what the disk knows, unless memory has come to know better.
    fn promote(&self, address: &Address, analysis: Analysis) {
        let mut ranking = self.ranking();
        let mut known = self.remembered(address);
        if let Some(place) = known.learn(analysis) {
            self.put(&mut ranking, address, known.analyses[place].clone());
        }
    }

    /// `true` when analyses of this maker are on disk.
    fn is_kept(&self, maker: &str) -> bool {
        self.disk.as_ref().is_some_and(|disk| disk.store().maker() == maker)
    }

    /// What the disk knows of a position; nothing where it cannot be read.
    fn kept(&self, address: &Address) -> Vec<Analysis> {
        let Some(disk) = &self.disk else { return Vec::new() };
        let records = disk.read(address.key, &address.packed).unwrap_or_else(|error| {
            tracing::debug!(error = error.to_string(), "the store cannot be read");
            disk.waiting_for(address.key, &address.packed)
        });
        let maker: Arc<str> = disk.store().maker().into();
        records.iter().map(|record| stored::analysis(record, &maker)).collect()
    }

    /// A copy of what memory knows of a position.
    fn remembered(&self, address: &Address) -> Known {
        let known = self.known.get(&address.key).filter(|known| known.packed == address.packed);
        known.map_or_else(|| Known::nothing(address.packed), |known| known.clone())
    }

    fn ranking(&self) -> MutexGuard<'_, Ranking> {
        self.ranking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a search with these limits found: in its own context, and in the empty one
    /// where its history and clock had no part in it. What is deeper already stays; what is least
    /// worth goes.
    pub(super) fn store(
        &self,
        address: &Address,
        limits: &Limits,
        report: &Arc<Report>,
        maker: &Arc<str>,
    ) {
        self.store_from(Origin::Question, address, limits, report, maker);
    }

    /// The same for what was found in idle time.
    pub(super) fn store_idle(
        &self,
        address: &Address,
        limits: &Limits,
        report: &Arc<Report>,
        maker: &Arc<str>,
    ) {
        self.store_from(Origin::IdleTime, address, limits, report, maker);
    }

    fn store_from(
        &self,
        origin: Origin,
        address: &Address,
        limits: &Limits,
        report: &Arc<Report>,
        maker: &Arc<str>,
    ) {
        if limits.mate.is_some()
            || report.depth == 0
            || report.reason == StopReason::Terminal
            || self.max_entries == 0
        {
            return;
        }
        let report = &memorable(report);
        let lines = report.alternatives.len() as u8 + 1;
        let own = address.context(report.seldepth);
        let bare = report.context_free
            && !address.nears_fifty_moves(report.seldepth)
            && own != Context::EMPTY;
        let is_kept = self.is_kept(maker);
        if let Some(disk) = self.disk.as_ref().filter(|_| is_kept) {
            disk.wait_for_room();
        }
        let mut ranking = self.ranking();
        let mut known = self.remembered(address);
        if is_kept {
            self.kept(address).into_iter().for_each(|analysis| {
                known.learn(analysis);
            });
        }
        for context in std::iter::once(own).chain(bare.then_some(Context::EMPTY)) {
            let found = Analysis {
                context,
                report: report.clone(),
                effort: Effort::of(report, limits),
                saves: report.nodes,
                lines,
                stored: Stored::now(),
                origin,
                maker: maker.clone(),
            };
            let Some(place) = known.learn(found) else { continue };
            let analysis = &known.analyses[place];
            self.put(&mut ranking, address, analysis.clone());
            if let Some(disk) = self.disk.as_ref().filter(|_| is_kept) {
                disk.push(stored::record(address, analysis));
            }
        }
    }

    /// Takes an analysis into memory, in place of what its place had, if it is worth more than what
    /// would have to go.
    fn put(&self, ranking: &mut Ranking, address: &Address, analysis: Analysis) {
        let (context, lines) = (analysis.context, analysis.lines);
        if let Some(mut known) = self.known.get_mut(&address.key) {
            if known.packed != address.packed {
                // Two positions with one key. Whoever came first stays: rare beyond mention, and
                // never wrong.
                return;
            }
            if let Ok(place) = known.place(context, lines) {
                known.analyses[place] = analysis;
                return;
            }
        }
        let worth = Worth::new(analysis.saves, self.weight_of_newcomer(address.key, context));
        if self.in_memory() >= self.max_entries {
            let Some(victim) = ranking.make_way(worth, |ticket| self.worth_today(ticket)) else {
                return;
            };
            self.forget(&victim);
        }
        ranking.add(Ticket { worth, key: address.key, context, lines });
        let mut known =
            self.known.entry(address.key).or_insert_with(|| Known::nothing(address.packed));
        if let Err(place) = known.place(context, lines) {
            known.put(place, analysis);
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What nobody has asked for yet, such as the empty context of a reviewed game's position,
    /// counts a quarter of a request.
    fn weight_of_newcomer(&self, key: u64, context: Context) -> f32 {
        self.sketch.estimate(demand(key, context)).max(self.sketch.now() - 2.0)
    }

    fn worth_today(&self, ticket: &Ticket) -> Option<Worth> {
        let known = self.known.get(&ticket.key)?;
        let analysis = known.analyses.get(known.place(ticket.context, ticket.lines).ok()?)?;
        Some(worth_by(&self.sketch, analysis.saves, ticket.key, ticket.context))
    }

    fn forget(&self, ticket: &Ticket) {
        let Some(mut known) = self.known.get_mut(&ticket.key) else { return };
        if let Ok(place) = known.place(ticket.context, ticket.lines) {
            known.analyses.remove(place);
            self.entries.fetch_sub(1, Ordering::Relaxed);
        }
        drop(known);
        self.known.remove_if(&ticket.key, |_, known| known.analyses.is_empty());
    }
}

/// What an analysis that saves so many nodes is worth by the requests for its position and context.
fn worth_by(sketch: &FrequencySketch, saves: u64, key: u64, context: Context) -> Worth {
    Worth::new(saves, sketch.estimate(demand(key, context)))
}

/// A report as it is remembered: with no more lines than there is room for.
fn memorable(report: &Arc<Report>) -> Arc<Report> {
    let short = report
        .alternatives
        .iter()
        .take(MOST_LINES - 1)
        .take_while(|line| line.pv.len() <= LONGEST_ALTERNATIVE);
    let fit = short.count();
    if fit == report.alternatives.len() {
        return report.clone();
    }
    let alternatives = report.alternatives[..fit].to_vec();
    Arc::new(Report { alternatives, ..(**report).clone() })
}
