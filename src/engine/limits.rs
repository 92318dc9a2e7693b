//! The limits of a search, its options, and the stop flag, which also publishes the node count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::chess::Move;

/// The limits of a search: the first that is reached ends it. Without limits it runs until it is
/// stopped or reaches the largest depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The depth of the last iteration, in plies.
    pub depth: Option<u8>,
    /// The moves made by all threads, including quiescence, excluding null moves.
    pub nodes: Option<u64>,
    /// The wall time from the start of the search. The first iteration is completed nevertheless,
    /// unless it takes tens of thousands of nodes.
    pub movetime: Option<Duration>,
    /// The search must prove the shortest mate within this many moves.
    pub mate: Option<u8>,
    /// The clock of the side to move, of which the search takes a share. It also completes its
    /// first iteration.
    pub clock: Option<GameClock>,
}

/// The clock of the side to move, in a game under time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameClock {
    /// The time left on the clock.
    pub remaining: Duration,
    /// The time that each move adds.
    pub increment: Duration,
    /// The number of moves to the next time control, including this one. `None` when the time is
    /// for the rest of the game.
    pub moves_to_go: Option<u16>,
    /// The time that a move loses between the engine and the clock.
    pub overhead: Duration,
}

/// The options of a search: threads, MultiPV lines and root moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchOptions {
    /// The number of search threads; at least one.
    pub threads: usize,
    /// The number of best moves that get a line and an exact score; at least one.
    pub multipv: usize,
    /// The root moves to search; all of them when empty. Illegal moves are ignored.
    pub search_moves: Vec<Move>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions { threads: 1, multipv: 1, search_moves: Vec::new() }
    }
}

/// A flag that stops a running search from another thread. A running thread checks it every 256
/// nodes.
///
/// The search also publishes its node count here.
#[derive(Debug, Default)]
pub struct StopFlag {
    stopped: AtomicBool,
    pondering: AtomicBool,
    nodes: AtomicU64,
}

impl StopFlag {
    /// A flag for a search on the opponent's time. The time limits apply only after
    /// [`StopFlag::ponder_hit`], but count from the start of the search: as in Stockfish, the time
    /// spent pondering counts.
    pub fn pondering() -> StopFlag {
        StopFlag { pondering: AtomicBool::new(true), ..StopFlag::default() }
    }

    /// Stops the search.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// `true` after [`StopFlag::stop`].
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The moves made by all threads of the search at its last check of the flag.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Publishes the number of moves made.
    pub(super) fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Ends pondering because the expected move was played: the time limits apply from now on.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// `true` while the search runs on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }
}
