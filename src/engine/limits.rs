//! How long a search may run, what it looks at, and how it is told to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::chess::Move;

/// What ends a search; the first that is reached. With none it runs until it is stopped or reaches
/// the greatest depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Iterations, in plies.
    pub depth: Option<u8>,
    /// Make-moves of all threads, quiescence included, null moves not.
    pub nodes: Option<u64>,
    /// Wall time from the start of the search. The first iteration is finished all the same, unless
    /// it takes tens of thousands of nodes.
    pub movetime: Option<Duration>,
    /// A mate in at most so many moves is to be proved, with its shortest distance.
    pub mate: Option<u8>,
    /// The clock of the side to move: the search divides the time by itself, and finishes its first
    /// iteration likewise.
    pub clock: Option<GameClock>,
}

/// The clock of the side to move, in a game under time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameClock {
    /// What is left.
    pub remaining: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// Moves until the next time control, this one included; `None` when the time is for the rest
    /// of the game.
    pub moves_to_go: Option<u16>,
    /// What a move loses on its way to the clock.
    pub overhead: Duration,
}

/// How wide a search looks, and with how many hands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchScope {
    /// Threads that search together; at least one.
    pub threads: usize,
    /// How many of the best moves get a line and an exact score; at least one.
    pub multipv: usize,
    /// The root moves to look at; all when empty. Moves that are not legal are passed over.
    pub search_moves: Vec<Move>,
}

impl Default for SearchScope {
    fn default() -> SearchScope {
        SearchScope { threads: 1, multipv: 1, search_moves: Vec::new() }
    }
}

/// The flag that stops a running search from another thread. A thread that has a core looks at it
/// every 256 nodes.
///
/// The search tells through it how far it is.
#[derive(Debug, Default)]
pub struct StopFlag {
    stopped: AtomicBool,
    pondering: AtomicBool,
    nodes: AtomicU64,
}

impl StopFlag {
    /// A flag for a search on the opponent's time: its limits of time and clock wait for
    /// [`StopFlag::ponder_hit`], and count from the start of the search all the same. What was
    /// pondered is thought already, as in Stockfish.
    pub fn pondering() -> StopFlag {
        StopFlag { pondering: AtomicBool::new(true), ..StopFlag::default() }
    }

    /// Tells the search to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// `true` once the search was told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Make-moves of all threads of the search when it last looked at the flag.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Tells how many moves the search has made.
    pub(super) fn set_nodes(&self, nodes: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// The expected move was played: the limits of time and clock hold from now on.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }

    /// `true` while the search runs on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }
}
