//! What is answered.

use std::sync::Arc;
use std::time::Duration;

use super::cached::CachedAnalysis;
use crate::chess::Move;
use crate::engine::{Report, StopReason};

/// The answer to a best-move question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the search found that answers.
    pub report: Arc<Report>,
    /// Where the answer comes from.
    pub source: Source,
    /// Why memory did or did not answer.
    pub cache_verdict: CacheVerdict,
    /// Why the search stopped; from memory, the asked limit that the entry satisfies.
    pub reason: CompletionReason,
    /// `true` when another request had started the search.
    pub shared: bool,
    /// How long this request waited for a worker.
    pub queued: Duration,
    /// How long this request waited for the running search.
    pub searched: Duration,
}

impl Answer {
    /// `false` when a newer question came before anything was found: then the report says nothing.
    pub fn has_result(&self) -> bool {
        self.reason == CompletionReason::Terminal || !self.report.pv.is_empty()
    }

    /// What memory knows, where that is deeper than what the search has found.
    pub(super) fn or_deeper_cached(self, cached: Option<&CachedAnalysis>) -> Answer {
        match cached {
            Some(CachedAnalysis { report, age }) if report.depth > self.report.depth => {
                Answer { report: report.clone(), source: Source::Cache { age: *age }, ..self }
            }
            _ => self,
        }
    }
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A search, run for this question or shared with an equal one.
    Search,
    /// The evaluation dictionary.
    Cache {
        /// Time since the entry was stored.
        age: Duration,
    },
}

impl Source {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Cache { .. } => "memory",
        }
    }
}

/// Why memory did or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheVerdict {
    /// It answered.
    Hit,
    /// The position is not known.
    Unknown,
    /// What is known satisfies none of the asked limits.
    Shallow,
    /// The position is known with other earlier positions only.
    History,
    /// The position is known with another half-move clock only, one that could matter.
    FiftyMoves,
    /// Memory was not asked.
    NotAsked,
}

impl CacheVerdict {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            CacheVerdict::Hit => "hit",
            CacheVerdict::Unknown => "unknown",
            CacheVerdict::Shallow => "shallow",
            CacheVerdict::History => "history",
            CacheVerdict::FiftyMoves => "fifty_moves",
            CacheVerdict::NotAsked => "not_asked",
        }
    }
}

/// Why an answer is as good as it is and no better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionReason {
    /// The asked depth, or there is nothing deeper to find.
    Depth,
    /// The node limit.
    Nodes,
    /// The time limit.
    Time,
    /// The asked mate was proved.
    Mate,
    /// The game is over.
    Terminal,
    /// The search was stopped.
    Stopped,
    /// A newer question of the session has come.
    Replaced,
    /// The service ended.
    Shutdown,
}

impl CompletionReason {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            CompletionReason::Depth => "depth",
            CompletionReason::Nodes => "nodes",
            CompletionReason::Time => "time",
            CompletionReason::Mate => "mate",
            CompletionReason::Terminal => "terminal",
            CompletionReason::Stopped => "stopped",
            CompletionReason::Replaced => "replaced",
            CompletionReason::Shutdown => "shutdown",
        }
    }
}

impl From<StopReason> for CompletionReason {
    fn from(reason: StopReason) -> CompletionReason {
        match reason {
            StopReason::Depth => CompletionReason::Depth,
            StopReason::Nodes => CompletionReason::Nodes,
            StopReason::Time => CompletionReason::Time,
            StopReason::Mate => CompletionReason::Mate,
            StopReason::Terminal => CompletionReason::Terminal,
            StopReason::Stopped => CompletionReason::Stopped,
        }
    }
}

/// What perft counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftResult {
    /// Move sequences.
    pub nodes: u64,
    /// The same apart for each first move, in generation order, when asked for.
    pub divide: Option<Vec<(Move, u64)>>,
    /// How long the count took.
    pub elapsed: Duration,
}
