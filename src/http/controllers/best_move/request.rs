//! A best-move request: a position and limits.

use std::time::Duration;

use utoipa::ToSchema;

use crate::analysis::AnalysisRequest;
use crate::chess::Game;
use crate::engine::{Limits, Scope};
use crate::http::Caps;
use crate::http::dto::{Clamped, PositionRequest};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::MemberFault;

/// Whose best move is asked for, and how hard it is to be searched. The search stops at the first limit that is reached; what is
/// beyond a cap of `GET /v1/limits` is clamped. The cap on `movetime_ms` ends a search without `movetime_ms` as well, with the
/// reason `time`.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = BestMoveRequest)]
pub(crate) struct BestMove {
    pub(crate) position: PositionRequest,
    /// Iterations, in plies.
    #[schema(minimum = 1, nullable = false)]
    depth: Option<u64>,
    /// Moves that the search makes.
    #[schema(minimum = 1, nullable = false)]
    nodes: Option<u64>,
    /// Time, in milliseconds.
    #[schema(minimum = 1, nullable = false)]
    movetime_ms: Option<u64>,
    /// Prove a mate in at most so many moves; alone or with `nodes` and `movetime_ms`. Without such a mate the ordinary score
    /// and the reason `depth`.
    #[schema(minimum = 1, nullable = false)]
    mate: Option<u64>,
    /// Threads that search together; each takes a worker, and all of them are waited for. The proof of a mate has use for one.
    #[schema(minimum = 1, nullable = false, default = 1)]
    threads: Option<u64>,
    /// Do not answer from memory. The new answer is remembered all the same.
    #[schema(required = false, default = false)]
    fresh: bool,
}

impl FromMembers for BestMove {
    fn read(members: &mut Members<'_>) -> Option<BestMove> {
        let position = PositionRequest::read(members);
        if members.has("mate") && members.has("depth") {
            members.fault(MemberFault::Conflict, "depth", "mate and depth can't both be given".to_owned());
        }
        let mut limit = |name| members.optional_number(name, 1..=u64::MAX);
        let (depth, nodes, movetime_ms, mate) = (limit("depth"), limit("nodes"), limit("movetime_ms"), limit("mate"));
        let threads = limit("threads");
        let fresh = members.optional("fresh").unwrap_or(false);
        Some(BestMove { position: position?, depth, nodes, movetime_ms, mate, threads, fresh })
    }
}

impl BestMove {
    /// The question within the caps, and what was lowered for that.
    pub(crate) fn clamp(&self, game: Game, caps: &Caps) -> (AnalysisRequest, Vec<Clamped>) {
        let mut clamped = Vec::new();
        let depth = self.depth.map(|depth| Clamped::cap("depth", depth, caps.depth, &mut clamped));
        let nodes = self.nodes.map(|nodes| Clamped::cap("nodes", nodes, caps.nodes, &mut clamped));
        let movetime_cap = super::super::whole_ms(caps.movetime);
        let movetime = self.movetime_ms.map(|ms| Clamped::cap("movetime_ms", ms, movetime_cap, &mut clamped));
        let mate = self.mate.map(|moves| Clamped::cap("mate", moves, caps.mate, &mut clamped));
        // A proof of a mate is the work of one thread.
        let most_threads = if mate.is_some() { 1 } else { caps.threads };
        let threads = self.threads.map_or(1, |threads| Clamped::cap("threads", threads, most_threads, &mut clamped));
        let mut limits = Limits { depth, nodes, movetime: movetime.map(Duration::from_millis), mate, clock: None };
        if limits == Limits::default() {
            limits.movetime = Some(caps.default_movetime);
        }
        let scope = Scope { threads: usize::from(threads), ..Scope::default() };
        (AnalysisRequest { game, limits, scope, fresh: self.fresh, session: None }, clamped)
    }
}
