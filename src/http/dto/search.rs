//! The limits of a search in a request, and the statistics of a search in a response.

use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::{per_second, whole_ms};
use crate::analysis::{
    AnalysisRequest, Answer, CacheVerdict, Client, CompletionReason, PriorityClass, Session, Source,
};
use crate::chess::{Game, excerpt};
use crate::engine::{Limits, SearchScope};
use crate::http::Caps;
use crate::http::json::{FromMembers, Members};
use crate::http::problem::MemberErrorCode;
use crate::http::schema::{string_enum, varying};

/// A session's name has so many letters at most.
const MAX_SESSION_LENGTH: usize = 64;

/// The members of a request that say how hard it is to be searched. The search stops at the first
/// limit that is reached; what is beyond a cap of `GET /v1/limits` is clamped.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(as = SearchMembers)]
pub(crate) struct SearchRequest {
    /// Iterations, in plies.
    #[schema(minimum = 1, nullable = false)]
    depth: Option<u64>,
    /// Moves that the search makes.
    #[schema(minimum = 1, nullable = false)]
    nodes: Option<u64>,
    /// Time, in milliseconds; the first iteration is finished all the same.
    #[schema(minimum = 1, nullable = false)]
    movetime_ms: Option<u64>,
    /// Prove a mate in at most so many moves; alone or with `nodes` and `movetime_ms`. Without such
    /// a mate the ordinary score and the reason `depth`.
    #[schema(minimum = 1, nullable = false)]
    mate: Option<u64>,
    /// Threads that search together; each takes a worker, and the search begins when as many are
    /// free. The proof of a mate has use for one.
    #[schema(minimum = 1, nullable = false, default = 1)]
    threads: Option<u64>,
    /// A name of the client's choice: a newer request of the session ends its older one, which
    /// answers with what it has and the reason `replaced`.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    session: Option<String>,
    /// Do not answer from memory. The new answer is remembered all the same.
    #[schema(required = false, default = false)]
    fresh: bool,
}

impl FromMembers for SearchRequest {
    fn read(members: &mut Members<'_>) -> Option<SearchRequest> {
        if members.has("mate") && members.has("depth") {
            members.add_error(
                MemberErrorCode::Conflict,
                "depth",
                "mate and depth can't both be given".to_owned(),
            );
        }
        let mut limit = |name| members.optional_number(name, 1..=u64::MAX);
        let (depth, nodes, movetime_ms, mate) =
            (limit("depth"), limit("nodes"), limit("movetime_ms"), limit("mate"));
        let threads = limit("threads");
        let session = members
            .optional::<String>("session")
            .filter(|session| is_valid_session(session, members));
        let fresh = members.optional("fresh").unwrap_or(false);
        Some(SearchRequest { depth, nodes, movetime_ms, mate, threads, session, fresh })
    }
}

fn is_valid_session(text: &str, members: &mut Members<'_>) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_valid = (1..=MAX_SESSION_LENGTH).contains(&text.len()) && text.bytes().all(is_allowed);
    if !is_valid {
        let detail =
            format!("session is {:?}, but must be 1 to 64 of A–Z a–z 0–9 _ -", excerpt(text));
        members.add_error(MemberErrorCode::UnknownValue, "session", detail);
    }
    is_valid
}

impl SearchRequest {
    /// The question within the caps, with so many lines, and what was lowered for that. Without any
    /// limit it is searched for the usual time.
    pub(crate) fn clamp(
        self,
        multipv: Option<u64>,
        game: Game,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, Vec<Clamped>) {
        let mut clamper = Clamper::default();
        let limits = clamper.clamp_limits(self.depth, self.nodes, self.movetime_ms, caps);
        let mate = self.mate.map(|moves| clamper.clamp("mate", moves, caps.mate));
        // A proof of a mate is the work of one thread, and has one line.
        let (max_threads, max_lines) =
            if mate.is_some() { (1, 1) } else { (caps.threads, caps.multipv) };
        let threads =
            self.threads.map_or(1, |threads| clamper.clamp("threads", threads, max_threads));
        let multipv = multipv.map_or(1, |lines| clamper.clamp("multipv", lines, max_lines));
        let mut limits = Limits { mate, ..limits };
        if limits == Limits::default() {
            limits.movetime = Some(caps.default_movetime);
        }
        let scope = SearchScope {
            threads: usize::from(threads),
            multipv: usize::from(multipv),
            ..SearchScope::default()
        };
        let session = self.session.map(|name| Session::new(client.clone(), &name));
        let (client, class) = (client.clone(), PriorityClass::Interactive);
        let request =
            AnalysisRequest { game, limits, scope, fresh: self.fresh, client, class, session };
        (request, clamper.into_clamped())
    }

    /// The same to this depth, whatever its limits were.
    pub(crate) fn with_depth(self, depth: u64) -> SearchRequest {
        SearchRequest { depth: Some(depth), nodes: None, movetime_ms: None, mate: None, ..self }
    }

    /// `true` when any limit was asked for.
    pub(crate) fn has_limits(&self) -> bool {
        [self.depth, self.nodes, self.movetime_ms, self.mate].iter().any(Option::is_some)
    }
}

/// A number that was asked beyond a cap, and what it was lowered to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Clamped {
    /// The request's member.
    member: &'static str,
    /// What was asked; 2⁶⁴ − 1 for anything greater.
    asked: u64,
    /// What was given: the cap.
    given: u64,
}

/// Lowers numbers of a request to their caps and notes which were lowered.
#[derive(Debug, Default)]
pub(crate) struct Clamper(Vec<Clamped>);

impl Clamper {
    /// The number asked or, with a note, the cap.
    pub(crate) fn clamp<T>(&mut self, member: &'static str, requested: u64, cap: T) -> T
    where
        T: Copy + Into<u64> + TryFrom<u64>,
    {
        match T::try_from(requested) {
            Ok(number) if requested <= cap.into() => number,
            _ => {
                self.0.push(Clamped { member, asked: requested, given: cap.into() });
                cap
            }
        }
    }

    /// The depth, nodes and milliseconds asked of a search, each within its cap.
    pub(crate) fn clamp_limits(
        &mut self,
        depth: Option<u64>,
        nodes: Option<u64>,
        movetime_ms: Option<u64>,
        caps: &Caps,
    ) -> Limits {
        let depth = depth.map(|depth| self.clamp("depth", depth, caps.depth));
        let nodes = nodes.map(|nodes| self.clamp("nodes", nodes, caps.nodes));
        let movetime = movetime_ms.map(|ms| self.clamp("movetime_ms", ms, whole_ms(caps.movetime)));
        Limits { depth, nodes, movetime: movetime.map(Duration::from_millis), ..Limits::default() }
    }

    /// The numbers that were lowered.
    pub(crate) fn into_clamped(self) -> Vec<Clamped> {
        self.0
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_above_the_cap_are_clamped_and_recorded() {
        let mut clamper = Clamper::default();
        assert_eq!(clamper.clamp("depth", 60, 60_u8), 60);
        assert!(clamper.0.is_empty());
        assert_eq!(clamper.clamp("depth", 300, 60_u8), 60);
        let [only] = clamper.0.as_slice() else { panic!("one note") };
        assert_eq!((only.member, only.asked, only.given), ("depth", 300, 60));
    }
}
