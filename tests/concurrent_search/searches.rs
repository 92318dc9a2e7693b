//! Single and concurrent searches through one transposition table. Every reported line is checked.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kibitzer::chess::Game;
use kibitzer::engine::{Engine, Limits, Report, StopFlag};

const NODES: u64 = 50_000;

/// An engine that counts the lines it reports.
pub(crate) struct SharedEngine {
    engine: Engine,
    lines: AtomicUsize,
}

impl SharedEngine {
    pub(crate) fn new(hash_mb: usize) -> SharedEngine {
        SharedEngine { engine: Engine::new(hash_mb), lines: AtomicUsize::new(0) }
    }

    /// The number of reported lines, all of them legal.
    pub(crate) fn lines(&self) -> usize {
        self.lines.load(Ordering::Relaxed)
    }

    /// Clears the table.
    pub(crate) fn clear(&self) {
        self.engine.clear_tt();
    }

    /// Searches with an empty table.
    pub(crate) fn search_alone(&self, game: &Game) -> Report {
        self.clear();
        self.search(game)
    }

    /// Searches two games at once, starting with an empty table.
    pub(crate) fn search_concurrently(&self, games: [&Game; 2]) -> [Report; 2] {
        self.clear();
        self.search_concurrently_with_table(games)
    }

    /// Searches two games at once with the current table.
    pub(crate) fn search_concurrently_with_table(&self, games: [&Game; 2]) -> [Report; 2] {
        let start = Barrier::new(2);
        thread::scope(|scope| {
            let searches = games.map(|game| {
                scope.spawn(|| {
                    start.wait();
                    self.search(game)
                })
            });
            searches.map(|search| search.join().unwrap())
        })
    }

    fn search(&self, game: &Game) -> Report {
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let report = self.engine.analyse(game, &limits, &StopFlag::default(), &mut |report| {
            self.check_line(game, report)
        });
        self.check_line(game, &report);
        report
    }

    /// Panics unless the line is legal from the game's position on.
    fn check_line(&self, game: &Game, report: &Report) {
        assert!(!report.pv.is_empty(), "{}", game.position().fen());
        let mut position = game.position().clone();
        for &mv in &report.pv {
            assert!(position.is_legal(mv), "{}: {mv:?} in {report:?}", game.position().fen());
            position.play(mv);
        }
        self.lines.fetch_add(1, Ordering::Relaxed);
    }
}
