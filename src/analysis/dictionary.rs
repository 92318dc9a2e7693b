//! The evaluation dictionary: finished analyses by Zobrist key and context, shared by all requests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dashmap::DashMap;

use super::address::{Address, Context, demand};
use super::answer::{MemoryVerdict, Reason};
use super::effort::Effort;
use super::eviction::{Ranking, Ticket, Worth};
use super::sketch::FrequencySketch;
use crate::chess::Move;
use crate::chess::forms::Packed;
use crate::engine::{Limits, Report, StopReason, Variation};

/// A position is remembered in so many contexts, so that a look-up stays short however many histories lead to it.
const MAX_CONTEXTS: usize = 64;

/// Plies in the longest line that a report can have.
const LONGEST_LINE: usize = 256;

/// An analysis is remembered with so many lines at most; who asks for more is searched for.
const MOST_LINES: usize = 5;

/// Plies in the longest second-best line that is remembered: one that goes on is not, nor is any after it, so that what is told from
/// memory is as complete as what is searched.
const LONGEST_ALTERNATIVE: usize = 32;

/// What was found out about a position, in one context.
#[derive(Clone, Debug)]
struct Analysis {
    context: Context,
    report: Arc<Report>,
    effort: Effort,
    /// The most nodes that were ever spent on it: what it saves. The shared table makes later searches look cheaper.
    saves: u64,
    /// How many of the best moves have a line.
    lines: u8,
    stored: Instant,
    /// Version and evaluation of the engine that found it.
    maker: Arc<str>,
}

/// All that is known about a position, by rising context and number of lines.
#[derive(Debug)]
struct Known {
    packed: Packed,
    analyses: Vec<Analysis>,
}

impl Known {
    fn place(&self, context: Context, lines: u8) -> Result<usize, usize> {
        self.analyses.binary_search_by_key(&(context, lines), |analysis| (analysis.context, analysis.lines))
    }
}

/// What memory says to a question.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The deepest analysis with the lines asked.
    pub(super) known: Option<Remembered>,
    /// The deepest one that is enough, and the asked limit that it satisfies.
    pub(super) enough: Option<(Remembered, Reason)>,
    /// Why there is one or none that is enough.
    pub(super) verdict: MemoryVerdict,
}

impl Memory {
    /// Nothing, for this reason.
    pub(super) const fn silent(verdict: MemoryVerdict) -> Memory {
        Memory { known: None, enough: None, verdict }
    }
}

/// An analysis from memory, with the lines asked.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// What was found.
    pub report: Arc<Report>,
    /// Time since it was stored.
    pub age: Duration,
}

impl Remembered {
    fn of(analysis: &Analysis, lines: usize) -> Remembered {
        let report = if analysis.report.alternatives.len() < lines {
            analysis.report.clone()
        } else {
            let alternatives = analysis.report.alternatives[..lines.saturating_sub(1)].to_vec();
            Arc::new(Report { alternatives, ..(*analysis.report).clone() })
        };
        Remembered { report, age: analysis.stored.elapsed() }
    }
}

/// The evaluation dictionary. Look-ups lock a shard for reading and nothing else; storing follows a search and may take longer.
///
/// An analysis is only ever used for the same position byte for byte, in the same context, under the engine that made it.
#[derive(Debug)]
pub(super) struct Dictionary {
    known: DashMap<u64, Known>,
    sketch: FrequencySketch,
    /// Taken by whoever stores, before any shard of `known`.
    ranking: Mutex<Ranking>,
    entries: AtomicUsize,
    max_entries: usize,
}

impl Dictionary {
    /// The most memory for each analysis: itself, its report with the longest line, its place in the map (whose tables are half
    /// empty after they have grown), its ticket, and its share of the sketch; with what the allocator adds to each piece, and half
    /// as much again for the holes that come and go entries of many sizes leave (a quarter was measured).
    pub(super) const BYTES_PER_ENTRY: usize = {
        const ALLOCATED: usize = 16;
        let analysis = size_of::<Analysis>() + ALLOCATED;
        let report = size_of::<Report>() + 2 * size_of::<usize>() + ALLOCATED;
        let line = LONGEST_LINE * size_of::<Move>() + ALLOCATED;
        let alternative = size_of::<Variation>() + LONGEST_ALTERNATIVE * size_of::<Move>() + ALLOCATED;
        let alternatives = (MOST_LINES - 1) * alternative + ALLOCATED;
        let place = (size_of::<(u64, Known)>() + 1) * 16 / 7;
        (analysis + report + line + alternatives + place + size_of::<Ticket>() + FrequencySketch::BYTES_PER_ENTRY) * 3 / 2
    };

    /// An empty one that never holds more than so many analyses; of none, it never answers.
    pub(super) fn new(max_entries: usize) -> Dictionary {
        Dictionary {
            known: DashMap::with_capacity(max_entries),
            sketch: FrequencySketch::new(max_entries),
            ranking: Mutex::new(Ranking::with_capacity(max_entries)),
            entries: AtomicUsize::new(0),
            max_entries,
        }
    }

    /// How many analyses it holds.
    pub(super) fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn count_anew(&self) -> usize {
        self.known.iter().map(|known| known.analyses.len()).sum()
    }

    /// How many it may hold.
    pub(super) fn max_entries(&self) -> usize {
        self.max_entries
    }

    /// Notes that somebody wants to know about this position.
    pub(super) fn note_request(&self, address: &Address) {
        self.sketch.touch(address.demand());
    }

    /// What is known of a position, with at least so many lines; and whether it is enough for the asked limits.
    pub(super) fn look_up(&self, address: &Address, asked: &Limits, lines: usize, maker: &str) -> Memory {
        let Some(known) = self.known.get(&address.key) else { return Memory::silent(MemoryVerdict::Unknown) };
        if known.packed != address.packed {
            return Memory::silent(MemoryVerdict::Unknown);
        }
        let own = || known.analyses.iter().filter(|analysis| *analysis.maker == *maker);
        let here = || own().filter(|analysis| address.admits(analysis.context, analysis.report.seldepth));
        let wide = || here().filter(|analysis| usize::from(analysis.lines) >= lines);
        let deepest = wide().max_by_key(|analysis| analysis.effort.reached());
        let enough = wide().filter_map(|analysis| Some((analysis, analysis.effort.satisfies(asked)?)));
        let enough = enough.max_by_key(|(analysis, _)| analysis.effort.reached());
        let verdict = if enough.is_some() {
            MemoryVerdict::Hit
        } else if here().next().is_some() {
            MemoryVerdict::Shallow
        } else if own().any(|analysis| analysis.context.history == address.history) {
            MemoryVerdict::FiftyMoves
        } else if own().next().is_some() {
            MemoryVerdict::History
        } else {
            MemoryVerdict::Unknown
        };
        Memory {
            known: deepest.map(|analysis| Remembered::of(analysis, lines)),
            enough: enough.map(|(analysis, reason)| (Remembered::of(analysis, lines), reason)),
            verdict,
        }
    }

    /// Remembers what a search with these limits found: in its own context, and in the empty one where its history and clock
    /// had no part in it. What is deeper already stays; what is least worth goes.
    pub(super) fn store(&self, address: &Address, limits: &Limits, report: &Arc<Report>, maker: &Arc<str>) {
        if limits.mate.is_some() || report.depth == 0 || report.reason == StopReason::Terminal || self.max_entries == 0 {
            return;
        }
        let report = &memorable(report);
        let lines = report.alternatives.len() as u8 + 1;
        let own = address.context(report.seldepth);
        let bare = report.context_free && !address.nears_fifty_moves(report.seldepth) && own != Context::EMPTY;
        let mut ranking = self.ranking.lock().unwrap_or_else(PoisonError::into_inner);
        for context in std::iter::once(own).chain(bare.then_some(Context::EMPTY)) {
            let analysis = Analysis {
                context,
                report: report.clone(),
                effort: Effort::of(report, limits),
                saves: report.nodes,
                lines,
                stored: Instant::now(),
                maker: maker.clone(),
            };
            self.store_in_context(&mut ranking, address, analysis);
        }
    }

    fn store_in_context(&self, ranking: &mut Ranking, address: &Address, mut analysis: Analysis) {
        let (context, lines) = (analysis.context, analysis.lines);
        if let Some(mut known) = self.known.get_mut(&address.key) {
            if known.packed != address.packed {
                // Two positions with one key. Whoever came first stays: rare beyond mention, and never wrong.
                return;
            }
            let is_known_better = |other: &&mut Analysis| {
                let same = other.context == context && other.maker == analysis.maker;
                same && other.lines > lines && other.effort.reached() > analysis.effort.reached()
            };
            if let Some(better) = known.analyses.iter_mut().find(is_known_better) {
                better.effort.outlasts(&analysis.effort);
                return;
            }
            if let Ok(place) = known.place(context, lines) {
                let old = &mut known.analyses[place];
                analysis.saves = analysis.saves.max(old.saves);
                if old.maker != analysis.maker || analysis.effort.reached() >= old.effort.reached() {
                    *old = analysis;
                } else {
                    old.effort.outlasts(&analysis.effort);
                }
                return;
            }
            if known.analyses.len() >= MAX_CONTEXTS && context != Context::EMPTY {
                return;
            }
        }
        let worth = Worth::new(analysis.saves, self.weight_of_newcomer(address.key, context));
        if self.entries() >= self.max_entries {
            let Some(victim) = ranking.make_way(worth, |ticket| self.worth_today(ticket)) else { return };
            self.forget(&victim);
        }
        ranking.add(Ticket { worth, key: address.key, context, lines });
        let mut known =
            self.known.entry(address.key).or_insert_with(|| Known { packed: address.packed, analyses: Vec::new() });
        if let Err(place) = known.place(context, lines) {
            known.analyses.reserve_exact(1);
            known.analyses.insert(place, analysis);
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What nobody has asked for yet, such as the empty context of a reviewed game's position, counts a quarter of a request.
    fn weight_of_newcomer(&self, key: u64, context: Context) -> f32 {
        self.sketch.estimate(demand(key, context)).max(self.sketch.now() - 2.0)
    }

    fn worth_today(&self, ticket: &Ticket) -> Option<Worth> {
        let known = self.known.get(&ticket.key)?;
        let analysis = known.analyses.get(known.place(ticket.context, ticket.lines).ok()?)?;
        Some(Worth::new(analysis.saves, self.sketch.estimate(demand(ticket.key, ticket.context))))
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

/// A report as it is remembered: with no more lines than there is room for.
fn memorable(report: &Arc<Report>) -> Arc<Report> {
    let short = report.alternatives.iter().take(MOST_LINES - 1).take_while(|line| line.pv.len() <= LONGEST_ALTERNATIVE);
    let fit = short.count();
    if fit == report.alternatives.len() {
        return report.clone();
    }
    let alternatives = report.alternatives[..fit].to_vec();
    Arc::new(Report { alternatives, ..(**report).clone() })
}
