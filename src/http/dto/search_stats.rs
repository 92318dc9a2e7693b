//! What a search found it with: the members that every answer of a search ends with.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::{Clamped, per_second, string_enum, varying, whole_ms};
use crate::analysis::{Answer, CacheVerdict, CompletionReason, Source};

/// The effort behind an answer, and where the answer comes from.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SearchStats {
    /// Iterations finished, in plies, of the search that found it.
    depth: u8,
    /// The greatest number of plies that it reached.
    seldepth: u8,
    /// Moves that it made.
    nodes: u64,
    /// How long it took, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
    /// Nodes a second.
    #[schema(schema_with = nps)]
    nps: u64,
    /// Why the search stopped; from memory, the asked limit that the entry satisfies.
    #[schema(schema_with = stop_reasons)]
    reason: &'static str,
    /// Where the answer comes from.
    #[schema(schema_with = sources)]
    source: &'static str,
    /// With memory, how long it is known, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = age_ms, required = false)]
    age_ms: Option<u64>,
    /// Why memory did or did not answer.
    #[schema(schema_with = memory_verdicts)]
    memory: &'static str,
    /// The answer came from a search that another request had started.
    shared: bool,
    /// What was asked beyond a cap; empty when nothing was.
    clamped: Vec<Clamped>,
}

impl SearchStats {
    pub(crate) fn new(answer: &Answer, clamped: Vec<Clamped>) -> SearchStats {
        let report = &answer.report;
        SearchStats {
            depth: report.depth,
            seldepth: report.seldepth,
            nodes: report.nodes,
            time_ms: whole_ms(report.elapsed),
            nps: per_second(report.nodes, report.elapsed),
            reason: answer.reason.name(),
            source: answer.source.name(),
            age_ms: match answer.source {
                Source::Cache { age } => Some(whole_ms(age)),
                Source::Search => None,
            },
            memory: answer.cache_verdict.name(),
            shared: answer.shared,
            clamped,
        }
    }
}

fn time_ms() -> ObjectBuilder {
    varying("How long the search took, in milliseconds.")
}

fn nps() -> ObjectBuilder {
    varying("Nodes a second.")
}

fn age_ms() -> ObjectBuilder {
    varying("With memory, how long it is known, in milliseconds.")
}

/// Why a search stopped.
pub(crate) fn stop_reasons() -> ObjectBuilder {
    let all = [
        CompletionReason::Depth,
        CompletionReason::Nodes,
        CompletionReason::Time,
        CompletionReason::Mate,
        CompletionReason::Terminal,
        CompletionReason::Stopped,
        CompletionReason::Replaced,
        CompletionReason::Shutdown,
    ];
    string_enum(
        "Why the search stopped; from memory, the asked limit that the entry satisfies.",
        all.map(CompletionReason::name),
    )
}

/// Where an answer comes from.
pub(crate) fn sources() -> ObjectBuilder {
    string_enum("Where the answer comes from.", ["search", "memory"])
}

/// What memory said.
pub(crate) fn memory_verdicts() -> ObjectBuilder {
    let all = [
        CacheVerdict::Hit,
        CacheVerdict::Unknown,
        CacheVerdict::Shallow,
        CacheVerdict::History,
        CacheVerdict::FiftyMoves,
        CacheVerdict::NotAsked,
    ];
    string_enum("Why memory did or did not answer.", all.map(CacheVerdict::name))
}
