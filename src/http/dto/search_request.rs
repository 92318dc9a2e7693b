//! How hard a position is to be searched, as every route that searches is asked.

use utoipa::ToSchema;

use super::Clamped;
use crate::analysis::{AnalysisRequest, Client, PriorityClass, Session};
use crate::chess::{Game, excerpt};
use crate::engine::{Limits, SearchScope};
use crate::http::Caps;
use crate::http::json::{FromMembers, Members};
use crate::http::problem::MemberErrorCode;

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
        let mut clamped = Vec::new();
        let limits =
            Clamped::clamp_limits(self.depth, self.nodes, self.movetime_ms, caps, &mut clamped);
        let mate = self.mate.map(|moves| Clamped::clamp("mate", moves, caps.mate, &mut clamped));
        // A proof of a mate is the work of one thread, and has one line.
        let (max_threads, max_lines) =
            if mate.is_some() { (1, 1) } else { (caps.threads, caps.multipv) };
        let threads = self
            .threads
            .map_or(1, |threads| Clamped::clamp("threads", threads, max_threads, &mut clamped));
        let multipv =
            multipv.map_or(1, |lines| Clamped::clamp("multipv", lines, max_lines, &mut clamped));
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
        (
            AnalysisRequest { game, limits, scope, fresh: self.fresh, client, class, session },
            clamped,
        )
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
