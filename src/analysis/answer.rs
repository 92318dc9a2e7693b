//! The answers of the analysis service, and the errors that it returns instead.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::chess::Move;
use crate::engine::{Report, StopReason, StrengthLimit};

/// The answer to an analysis request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The result of the search that answers.
    pub report: Arc<Report>,
    /// Where the answer comes from.
    pub source: Source,
    /// Why the evaluation cache answered or did not.
    pub cache_verdict: CacheVerdict,
    /// Why the search stopped; for a cached answer, the requested limit that it satisfies.
    pub reason: CompletionReason,
    /// `true` when another request had started the search.
    pub shared: bool,
    /// How long this request waited for a worker.
    pub queued: Duration,
    /// How long this request waited for the running search.
    pub searched: Duration,
}

impl Answer {
    /// The answer for a finished game, which needs no search.
    pub(super) fn terminal(report: Report) -> Answer {
        Answer {
            source: Source::Search,
            cache_verdict: CacheVerdict::NotAsked,
            ..Answer::from_cache(report.into(), Duration::ZERO, CompletionReason::Terminal)
        }
    }

    /// The answer from a cached report of this age that satisfies a requested limit.
    pub(super) fn from_cache(
        report: Arc<Report>,
        age: Duration,
        satisfied_limit: CompletionReason,
    ) -> Answer {
        Answer {
            report,
            source: Source::Cache { age },
            cache_verdict: CacheVerdict::Hit,
            reason: satisfied_limit,
            shared: false,
            queued: Duration::ZERO,
            searched: Duration::ZERO,
        }
    }

    /// The answer with the move of a weaker player, if the strength is limited.
    pub(super) fn weakened(self, strength: Option<StrengthLimit>) -> Answer {
        match strength {
            Some(strength) => Answer { report: strength.weaken(&self.report).into(), ..self },
            None => self,
        }
    }

    /// `false` when a newer request of the session replaced this one before the search found a
    /// move. The report is empty then.
    pub fn has_result(&self) -> bool {
        self.reason == CompletionReason::Terminal || !self.report.pv.is_empty()
    }
}

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A search, started by this request or shared with an equal one.
    Search,
    /// The endgame tablebases alone: the search had nothing to choose.
    Tablebase,
    /// The evaluation cache.
    Cache {
        /// Time since the entry was stored.
        age: Duration,
    },
}

impl Source {
    /// The source of the report of a search.
    pub const fn of_search(report: &Report) -> Source {
        match report.reason {
            StopReason::Tablebase => Source::Tablebase,
            _ => Source::Search,
        }
    }

    /// The name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Tablebase => "tablebase",
            Source::Cache { .. } => "memory",
        }
    }
}

/// Why the evaluation cache answered a request or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheVerdict {
    /// A cached analysis answers.
    Hit,
    /// The position is not cached.
    Unknown,
    /// The cached analyses satisfy none of the requested limits.
    Shallow,
    /// The position is cached with other earlier positions only.
    History,
    /// The position is cached with another half-move clock only, and the clock could matter.
    FiftyMoves,
    /// The request does not use the cache.
    NotAsked,
}

impl CacheVerdict {
    /// The name in the API.
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

/// Why an answer is complete.
///
/// The engine's [`StopReason`] says why a search ended, and the store keeps it. An answer can also
/// end for reasons that the engine does not know: another request or the shutdown. For a cached
/// answer the reason is the requested limit that it satisfies, whatever ended the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionReason {
    /// The requested depth was reached, or there is nothing deeper to find.
    Depth,
    /// The node limit.
    Nodes,
    /// The time limit.
    Time,
    /// The requested mate was proved.
    Mate,
    /// The game is over.
    Terminal,
    /// The client stopped the search.
    Stopped,
    /// A newer request of the session replaced this one.
    Replaced,
    /// The service shut down.
    Shutdown,
}

impl CompletionReason {
    /// The name in the API.
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
            // Nothing deeper is to be found.
            StopReason::Tablebase => CompletionReason::Depth,
            StopReason::Terminal => CompletionReason::Terminal,
            StopReason::Stopped => CompletionReason::Stopped,
        }
    }
}

/// The result of a perft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftResult {
    /// Legal move sequences.
    pub nodes: u64,
    /// The same count for each first move, in generation order, when requested.
    pub divide: Option<Vec<(Move, u64)>>,
    /// How long the count took.
    pub elapsed: Duration,
}

/// Why the service did not answer a request. The HTTP layer maps each variant to a status and a
/// code.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AnalysisError {
    /// All slots of the queue are taken.
    #[error("the queue is full: {length} requests wait")]
    QueueFull {
        /// How many requests wait.
        length: usize,
        /// When the client may retry; at least a second.
        retry_after: Duration,
    },
    /// The request waited too long for a worker.
    #[error("no worker was free within {waited:?}")]
    Deadline {
        /// How long the request waited.
        waited: Duration,
        /// When the client may retry; at least a second.
        retry_after: Duration,
    },
    /// The service shuts down and accepts no new work.
    #[error("the service is shutting down")]
    ShuttingDown {
        /// When the client may retry with the next process.
        retry_after: Duration,
    },
    /// The perft did not finish within its time limit.
    #[error("perft took longer than {max:?}")]
    PerftTooLarge {
        /// The time limit.
        max: Duration,
    },
    /// A panic, which the panic hook has logged. The text is not for clients.
    #[error("internal error: {0}")]
    Internal(&'static str),
}

impl AnalysisError {
    /// The error during a shutdown. The next process is ready within about this time.
    pub const fn shutting_down() -> AnalysisError {
        AnalysisError::ShuttingDown { retry_after: Duration::from_secs(5) }
    }
}
