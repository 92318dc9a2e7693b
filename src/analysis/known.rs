//! What is known about a position, and what that says to a question.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::address::{Address, Context};
use super::answer::{MemoryVerdict, Reason};
use super::effort::Effort;
use crate::chess::forms::Packed;
use crate::engine::{Limits, Report};

/// A position is remembered in so many contexts, so that a look-up stays short however many
/// histories lead to it.
const MAX_CONTEXTS: usize = 64;

/// What was found out about a position, in one context.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    pub(super) context: Context,
    pub(super) report: Arc<Report>,
    pub(super) effort: Effort,
    /// The most nodes that were ever spent on it: what it saves. The shared table makes later
    /// searches look cheaper.
    pub(super) saves: u64,
    /// How many of the best moves have a line.
    pub(super) lines: u8,
    pub(super) stored: Stored,
    pub(super) origin: Origin,
    /// Version and evaluation of the engine that found it.
    pub(super) maker: Arc<str>,
}

/// For whom something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// For somebody who had asked.
    Question,
    /// For nobody yet: in idle time.
    IdleTime,
}

/// When something was stored, by the clock on the wall: it outlasts the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// Since 1970.
    pub(super) milliseconds: u64,
}

impl Stored {
    pub(super) fn now() -> Stored {
        // A clock before 1970 tells no ages.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stored { milliseconds: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
    }

    /// None at all when the clock was set back.
    fn age(self) -> Duration {
        Duration::from_millis(Stored::now().milliseconds.saturating_sub(self.milliseconds))
    }
}

/// All that is known about a position, by rising context and number of lines.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) packed: Packed,
    pub(super) analyses: Vec<Analysis>,
}

impl Known {
    /// Nothing yet.
    pub(super) fn nothing(packed: Packed) -> Known {
        Known { packed, analyses: Vec::new() }
    }

    /// Where the analysis of this context with so many lines is, or would be.
    pub(super) fn place(&self, context: Context, lines: u8) -> Result<usize, usize> {
        self.analyses
            .binary_search_by_key(&(context, lines), |analysis| (analysis.context, analysis.lines))
    }

    /// Takes in what was found. What is deeper already, with as many lines, stays. Tells where
    /// something is new or has changed.
    pub(super) fn learn(&mut self, mut analysis: Analysis) -> Option<usize> {
        let (context, lines) = (analysis.context, analysis.lines);
        let is_known_better = |other: &Analysis| {
            let same = other.context == context && other.maker == analysis.maker;
            same && other.lines > lines && other.effort.reached() > analysis.effort.reached()
        };
        if let Some(better) = self.analyses.iter().position(is_known_better) {
            self.analyses[better].effort.outlasts(&analysis.effort);
            return Some(better);
        }
        match self.place(context, lines) {
            Ok(place) => {
                let old = &mut self.analyses[place];
                analysis.saves = analysis.saves.max(old.saves);
                if old.maker != analysis.maker || analysis.effort.reached() >= old.effort.reached()
                {
                    *old = analysis;
                } else {
                    old.effort.outlasts(&analysis.effort);
                }
                Some(place)
            }
            Err(_) if self.analyses.len() >= MAX_CONTEXTS && context != Context::EMPTY => None,
            Err(place) => {
                self.put(place, analysis);
                Some(place)
            }
        }
    }

    /// Puts in an analysis where [`Known::place`] says that it would be.
    pub(super) fn put(&mut self, place: usize, analysis: Analysis) {
        self.analyses.reserve_exact(1);
        self.analyses.insert(place, analysis);
    }

    /// What this says to a question for at least so many lines.
    pub(super) fn says(
        &self,
        address: &Address,
        asked: &Limits,
        lines: usize,
        maker: &str,
    ) -> Saying<'_> {
        let own = || self.analyses.iter().filter(|analysis| *analysis.maker == *maker);
        let here =
            || own().filter(|analysis| address.admits(analysis.context, analysis.report.seldepth));
        let wide = || here().filter(|analysis| usize::from(analysis.lines) >= lines);
        // Where something is enough, what is deeper is all the better.
        let enough = wide().filter_map(|analysis| {
            Some((analysis.effort.reached(), analysis.effort.satisfies(asked)?))
        });
        let enough = enough.max_by_key(|&(reached, _)| reached).map(|(_, reason)| reason);
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
        // Of equals that which is enough.
        let deepest = wide().max_by_key(|analysis| {
            (analysis.effort.reached(), analysis.effort.satisfies(asked).is_some())
        });
        Saying { deepest, enough, verdict }
    }
}

/// What is known to a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saying<'a> {
    pub(super) deepest: Option<&'a Analysis>,
    /// The asked limit that something known satisfies: then the deepest answers.
    enough: Option<Reason>,
    verdict: MemoryVerdict,
}

impl<'a> Saying<'a> {
    /// The analysis that answers, if one does.
    pub(super) fn answer(&self) -> Option<&'a Analysis> {
        self.deepest.filter(|_| self.enough.is_some())
    }

    /// The same, with the lines asked.
    pub(super) fn told(self, lines: usize) -> Memory {
        let known = self.deepest.map(|analysis| Remembered::of(analysis, lines));
        Memory {
            enough: known.clone().zip(self.enough),
            known,
            verdict: self.verdict,
            is_idle_hit: self.answer().is_some_and(|analysis| analysis.origin == Origin::IdleTime),
        }
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
    /// What is enough was found in idle time.
    pub(super) is_idle_hit: bool,
}

impl Memory {
    /// Nothing, for this reason.
    pub(super) const fn silent(verdict: MemoryVerdict) -> Memory {
        Memory { known: None, enough: None, verdict, is_idle_hit: false }
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
    /// An analysis with so many of its lines, or all of them when it has fewer.
    pub(super) fn of(analysis: &Analysis, lines: usize) -> Remembered {
        let report = if analysis.report.alternatives.len() < lines {
            analysis.report.clone()
        } else {
            let alternatives = analysis.report.alternatives[..lines.saturating_sub(1)].to_vec();
            Arc::new(Report { alternatives, ..(*analysis.report).clone() })
        };
        Remembered { report, age: analysis.stored.age() }
    }
}
