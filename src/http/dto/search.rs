//! The limits of a search in a request, and the statistics of a search in a response.

use std::num::NonZeroU64;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, Type};

use super::score::Pov;
use super::tablebase::{TablebaseEntry, tablebase_entry_or_null};
use super::{per_second, whole_ms};
use crate::analysis::{
    AnalysisRequest, Answer, CacheVerdict, Client, CompletionReason, PriorityClass, Session, Source,
};
use crate::chess::{Game, excerpt};
use crate::engine::{Limits, SearchOptions};
use crate::http::Caps;
use crate::http::json::{FromValue, JsonPath, JsonValue, Members, request};
use crate::http::problem::{InvalidMember, MemberErrorCode};
use crate::http::schema::{string_enum, varying};

/// Maximum length of a session name, in characters.
const MAX_SESSION_LENGTH: usize = 64;

request! {
    /// The limits of a search. The search stops at the first limit that it reaches. Values above a
    /// cap of `GET /v1/limits` are clamped.
    #[derive(Clone, Debug, Default)]
    #[check(check_limits)]
    pub(crate) struct SearchRequest as "SearchMembers" {
        /// Maximum depth of the iterative deepening, in plies.
        optional depth: NonZeroU64,
        /// Maximum number of nodes: moves that the search makes.
        optional nodes: NonZeroU64,
        /// Maximum time, in milliseconds. The first iteration always completes.
        optional movetime_ms: NonZeroU64,
        /// Prove a mate in at most this many moves. It can be combined with `nodes` and
        /// `movetime_ms`. Without such a mate the response has an ordinary score and the reason
        /// `depth`.
        optional pub(crate) mate: NonZeroU64,
        /// Threads of the search. Each needs a worker; the search starts when enough workers are
        /// free. A mate proof uses one thread.
        optional threads: NonZeroU64 = 1,
        /// A name chosen by the client. A newer request of the session ends the older one, which
        /// returns its best result so far with the reason `replaced`.
        optional session: SessionName,
        /// Search even if the evaluation cache has an answer. The new result is cached.
        defaulted pub(crate) fresh: bool,
        /// The point of view of `score` and `wdl`: the side to move or White.
        defaulted pub(crate) pov: Pov,
    }
}

fn check_limits(members: &mut Members<'_>) {
    if members.has("mate") && members.has("depth") {
        members.add_error(
            MemberErrorCode::Conflict,
            "depth",
            "mate and depth can't both be given".to_owned(),
        );
    }
}

/// The name of a session: 1 to 64 letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionName(String);

impl<'a> FromValue<'a> for SessionName {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<SessionName> {
        let name = String::read(value, path, errors)?;
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=MAX_SESSION_LENGTH).contains(&name.len()) && name.bytes().all(is_allowed) {
            return Some(SessionName(name));
        }
        let detail =
            format!("{path} is {:?}; it must be 1 to 64 of A–Z a–z 0–9 _ -", excerpt(&name));
        path.add_error(errors, MemberErrorCode::UnknownValue, detail);
        None
    }

    fn schema() -> Schema {
        let pattern = Some("^[A-Za-z0-9_-]{1,64}$");
        ObjectBuilder::new().schema_type(Type::String).pattern(pattern).into()
    }
}

impl SearchRequest {
    /// Converts the request, clamps its limits to the caps and lists the clamped members. Without
    /// any limit the search gets the default time.
    pub(crate) fn clamp(
        self,
        multipv: Option<NonZeroU64>,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let mut clamper = Clamper::default();
        let limits = clamper.clamp_limits(self.depth, self.nodes, self.movetime_ms, caps);
        let mate = self.mate.map(|moves| clamper.clamp("mate", moves, caps.mate));
        // A mate proof uses one thread and has one line.
        let (max_threads, max_lines) =
            if mate.is_some() { (1, 1) } else { (caps.threads, caps.multipv) };
        let threads =
            self.threads.map_or(1, |threads| clamper.clamp("threads", threads, max_threads));
        let multipv = multipv.map_or(1, |lines| clamper.clamp("multipv", lines, max_lines));
        let mut limits = Limits { mate, ..limits };
        if limits == Limits::default() {
            limits.movetime = Some(caps.default_movetime);
        }
        let options = SearchOptions {
            threads: usize::from(threads),
            multipv: usize::from(multipv),
            ..SearchOptions::default()
        };
        let session = self.session.map(|name| Session::new(client.clone(), &name.0));
        let (client, class) = (client.clone(), PriorityClass::Interactive);
        let (fresh, strength) = (self.fresh, None);
        let request =
            AnalysisRequest { game, limits, options, fresh, client, class, session, strength };
        (request, clamper.into_clamped())
    }

    /// Whether the request has any limit.
    pub(crate) fn has_limits(&self) -> bool {
        [self.depth, self.nodes, self.movetime_ms, self.mate].iter().any(Option::is_some)
    }

    /// Replaces all limits by this depth.
    pub(crate) fn with_depth(self, depth: NonZeroU64) -> SearchRequest {
        SearchRequest { depth: Some(depth), nodes: None, movetime_ms: None, mate: None, ..self }
    }
}

/// A member above its cap, with the value used instead.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Clamped {
    /// The name of the member.
    member: &'static str,
    /// The requested value; 2⁶⁴ − 1 stands for any greater value.
    asked: u64,
    /// The value used: the cap.
    given: u64,
}

/// Lowers numbers of a request to their caps and records which ones.
#[derive(Debug, Default)]
pub(crate) struct Clamper(Vec<Clamped>);

impl Clamper {
    /// Returns the requested number, or records it and returns the cap.
    pub(crate) fn clamp<T>(&mut self, member: &'static str, requested: impl Into<u64>, cap: T) -> T
    where
        T: Copy + Into<u64> + TryFrom<u64>,
    {
        let requested = requested.into();
        match T::try_from(requested) {
            Ok(number) if requested <= cap.into() => number,
            _ => {
                self.0.push(Clamped { member, asked: requested, given: cap.into() });
                cap
            }
        }
    }

    /// Clamps the depth, nodes and milliseconds of a search to their caps.
    pub(crate) fn clamp_limits(
        &mut self,
        depth: Option<NonZeroU64>,
        nodes: Option<NonZeroU64>,
        movetime_ms: Option<NonZeroU64>,
        caps: &Caps,
    ) -> Limits {
        let depth = depth.map(|depth| self.clamp("depth", depth, caps.depth));
        let nodes = nodes.map(|nodes| self.clamp("nodes", nodes, caps.nodes));
        let movetime = movetime_ms.map(|ms| self.clamp("movetime_ms", ms, whole_ms(caps.movetime)));
        Limits { depth, nodes, movetime: movetime.map(Duration::from_millis), ..Limits::default() }
    }

    /// The clamped members.
    pub(crate) fn into_clamped(self) -> Vec<Clamped> {
        self.0
    }
}

/// The effort and the source of a search result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SearchStats {
    /// Completed iterations of the search, in plies.
    depth: u8,
    /// Maximum depth that the search reached, in plies.
    seldepth: u8,
    /// Nodes: moves that the search made.
    nodes: u64,
    /// Duration of the search, in milliseconds.
    #[schema(schema_with = time_ms)]
    time_ms: u64,
    /// Nodes per second.
    #[schema(schema_with = nps)]
    nps: u64,
    /// Why the search stopped. For a cached result: the requested limit that the entry satisfies.
    #[schema(schema_with = stop_reasons)]
    reason: &'static str,
    /// The source of the result: a search, the tablebases alone, or the evaluation cache
    /// (`memory`).
    #[schema(schema_with = sources)]
    source: &'static str,
    /// Age of a cached result, in milliseconds. Only with the source `memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = age_ms, required = false)]
    age_ms: Option<u64>,
    /// Why the evaluation cache did or did not answer.
    #[schema(schema_with = memory_verdicts)]
    memory: &'static str,
    /// The probes of tablebases with a result, by this search. 0 for a result from the evaluation
    /// cache.
    tb_hits: u64,
    /// The outcome of the position by tablebase.
    #[schema(required, schema_with = tablebase_entry_or_null)]
    tablebase: Option<TablebaseEntry>,
    /// The result comes from a search that another request started.
    shared: bool,
    /// The members that were clamped to a cap.
    clamped: Vec<Clamped>,
}

impl SearchStats {
    pub(crate) fn new(
        answer: &Answer,
        tablebase: Option<TablebaseEntry>,
        clamped: Vec<Clamped>,
    ) -> SearchStats {
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
                Source::Search | Source::Tablebase => None,
            },
            memory: answer.cache_verdict.name(),
            tb_hits: match answer.source {
                Source::Cache { .. } => 0,
                Source::Search | Source::Tablebase => report.tb_hits,
            },
            tablebase,
            shared: answer.shared,
            clamped,
        }
    }
}

fn time_ms() -> ObjectBuilder {
    varying("Duration of the search, in milliseconds.")
}

fn nps() -> ObjectBuilder {
    varying("Nodes per second.")
}

fn age_ms() -> ObjectBuilder {
    varying("Age of a cached result, in milliseconds. Only with the source `memory`.")
}

/// The schema of the reasons why a search stopped.
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
        "Why the search stopped. For a cached result: the requested limit that the entry \
            satisfies.",
        all.map(CompletionReason::name),
    )
}

/// The schema of the sources of a result.
pub(crate) fn sources() -> ObjectBuilder {
    string_enum(
        "The source of the result: a `search`, the evaluation cache (`memory`), or the tables \
            alone (`tablebase`), where the outcome is a draw and one move is best by them.",
        ["search", "memory", "tablebase"],
    )
}

/// The schema of the verdicts of the evaluation cache.
pub(crate) fn memory_verdicts() -> ObjectBuilder {
    let all = [
        CacheVerdict::Hit,
        CacheVerdict::Unknown,
        CacheVerdict::Shallow,
        CacheVerdict::History,
        CacheVerdict::FiftyMoves,
        CacheVerdict::NotAsked,
    ];
    string_enum("Why the evaluation cache did or did not answer.", all.map(CacheVerdict::name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_above_the_cap_are_clamped_and_recorded() {
        let mut clamper = Clamper::default();
        assert_eq!(clamper.clamp("depth", 60_u64, 60_u8), 60);
        assert!(clamper.0.is_empty());
        assert_eq!(clamper.clamp("depth", 300_u64, 60_u8), 60);
        let [only] = clamper.0.as_slice() else { panic!("one clamped member") };
        assert_eq!((only.member, only.asked, only.given), ("depth", 300, 60));
    }
}
