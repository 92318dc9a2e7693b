//! What is answered.

use std::sync::Arc;
use std::time::Duration;

use super::known::Remembered;
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
    pub memory: MemoryVerdict,
    /// Why the search stopped; from memory, the asked limit that the entry satisfies.
    pub reason: Reason,
    /// `true` when another request had started the search.
    pub shared: bool,
    /// How long this request waited for a worker.
    pub queued: Duration,
    /// How long this request waited for the running search.
    pub searched: Duration,
}

impl Answer {
    /// `false` when a newer question came before anything was found: then the report says nothing.
    pub fn has_found(&self) -> bool {
        self.reason == Reason::Terminal || !self.report.pv.is_empty()
    }

    /// What memory knows, where that is deeper than what the search has found.
    pub(super) fn unless_deeper(self, known: Option<&Remembered>) -> Answer {
        match known {
            Some(Remembered { report, age }) if report.depth > self.report.depth => {
                Answer { report: report.clone(), source: Source::Memory { age: *age }, ..self }
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
    Memory {
        /// Time since the entry was stored.
        age: Duration,
    },
}

impl Source {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Memory { .. } => "memory",
        }
    }
}

/// Why memory did or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryVerdict {
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

impl MemoryVerdict {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryVerdict::Hit => "hit",
            MemoryVerdict::Unknown => "unknown",
            MemoryVerdict::Shallow => "shallow",
            MemoryVerdict::History => "history",
            MemoryVerdict::FiftyMoves => "fifty_moves",
            MemoryVerdict::NotAsked => "not_asked",
        }
    }
}

/// Why an answer is as good as it is and no better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
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

impl Reason {
    /// The name that clients see.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Depth => "depth",
            Reason::Nodes => "nodes",
            Reason::Time => "time",
            Reason::Mate => "mate",
            Reason::Terminal => "terminal",
            Reason::Stopped => "stopped",
            Reason::Replaced => "replaced",
            Reason::Shutdown => "shutdown",
        }
    }
}

impl From<StopReason> for Reason {
    fn from(reason: StopReason) -> Reason {
        match reason {
            StopReason::Depth => Reason::Depth,
            StopReason::Nodes => Reason::Nodes,
            StopReason::Time => Reason::Time,
            StopReason::Mate => Reason::Mate,
            StopReason::Terminal => Reason::Terminal,
            StopReason::Stopped => Reason::Stopped,
        }
    }
}

/// What perft counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftAnswer {
    /// Move sequences.
    pub nodes: u64,
    /// The same apart for each first move, in generation order, when asked for.
    pub divide: Option<Vec<(Move, u64)>>,
    /// How long the count took.
    pub elapsed: Duration,
}
