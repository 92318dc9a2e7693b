//! The limits of a search, its options, and the stop flag, which also pauses the search and
//! publishes the node count.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::chess::Move;

/// The limits of a search: the first that is reached ends it. Without limits it runs until it is
/// stopped or reaches the largest depth.
///
/// Time limits and the stop flag end a search only after its first iteration, or after 20,000 nodes
/// of its main thread if these come first. The node limit applies from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The depth of the last iteration, in plies.
    pub depth: Option<u8>,
    /// The moves made by all threads, including quiescence, excluding null moves.
    pub nodes: Option<u64>,
    /// The wall time from the start of the search, without pauses.
    pub movetime: Option<Duration>,
    /// The search must prove the shortest mate within this many moves.
    pub mate: Option<u8>,
    /// The clock of the side to move, of which the search takes a share.
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

/// The options of a search: threads, MultiPV lines, root moves and table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchOptions {
    /// The number of search threads; at least one.
    pub threads: usize,
    /// The number of best moves that get a line and an exact score; at least one.
    pub multipv: usize,
    /// The root moves to search; all of them when empty. Illegal moves are ignored.
    pub search_moves: Vec<Move>,
    /// Whether the search has a small table of its own. It then neither profits from other searches
    /// nor helps them.
    pub private_table: bool,
    /// Whether the search may use the engine's endgame tablebases.
    pub use_tablebase: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            multipv: 1,
            search_moves: Vec::new(),
            private_table: false,
            use_tablebase: true,
        }
    }
}

/// A flag that stops or pauses a running search from another thread. A running thread checks it
/// every 256 nodes.
///
/// The search also publishes its node count here.
#[derive(Debug, Default)]
pub struct StopFlag {
    stopped: AtomicBool,
    pondering: AtomicBool,
    nodes: AtomicU64,
    paused: AtomicBool,
    /// The main thread has ended, so its helpers must not wait.
    finished: AtomicBool,
    /// The length of all ended pauses, in nanoseconds.
    paused_nanos: AtomicU64,
    /// The start of the current pause. The condition variable wakes the threads of the search at
    /// its end.
    pause_start: Mutex<Option<Instant>>,
    pause_end: Condvar,
}

impl StopFlag {
    /// A flag for a search on the opponent's time. The time limits apply only after
    /// [`StopFlag::ponder_hit`], but count from the start of the search: as in Stockfish, the time
    /// spent pondering counts.
    pub fn pondering() -> StopFlag {
        StopFlag { pondering: AtomicBool::new(true), ..StopFlag::default() }
    }

    /// Stops the search, after its first iteration: see [`Limits`]. A paused search ends, too.
    pub fn stop(&self) {
        // The lock makes a thread that is about to wait see the flag.
        let _pause_start = self.lock_pause();
        self.stopped.store(true, Ordering::Relaxed);
        self.pause_end.notify_all();
    }

    /// Pauses the search: its threads keep their state and wait, from their next check of the flag
    /// on. The pause counts for no time limit.
    pub fn pause(&self) {
        let mut pause_start = self.lock_pause();
        pause_start.get_or_insert_with(Instant::now);
        self.paused.store(true, Ordering::Relaxed);
    }

    /// Continues a paused search.
    pub fn resume(&self) {
        let mut pause_start = self.lock_pause();
        let pause = pause_start.take().map_or(Duration::ZERO, |start| start.elapsed());
        let nanos = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
        self.paused_nanos.fetch_add(nanos, Ordering::Relaxed);
        self.paused.store(false, Ordering::Relaxed);
        self.pause_end.notify_all();
    }

    /// `true` between [`StopFlag::pause`] and [`StopFlag::resume`].
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// The length of all ended pauses. Needs no lock.
    #[inline]
    pub fn ended_pauses(&self) -> Duration {
        Duration::from_nanos(self.paused_nanos.load(Ordering::Relaxed))
    }

    /// Ends a pause for the helper threads, because the main thread has ended.
    pub(in crate::engine) fn finish(&self) {
        let _pause_start = self.lock_pause();
        self.finished.store(true, Ordering::Relaxed);
        self.pause_end.notify_all();
    }

    /// Blocks while the search is paused and not stopped.
    #[cold]
    pub fn wait_while_paused(&self) {
        let is_waiting = |pause_start: &mut Option<Instant>| {
            pause_start.is_some() && !self.is_stopped() && !self.finished.load(Ordering::Relaxed)
        };
        drop(self.pause_end.wait_while(self.lock_pause(), is_waiting));
    }

    fn lock_pause(&self) -> MutexGuard<'_, Option<Instant>> {
        self.pause_start.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Publishes the number of moves made, which may be in another process.
    pub fn set_nodes(&self, nodes: u64) {
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
