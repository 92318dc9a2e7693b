//! Searches alone and in company, all through one table. Every line that one tells of is looked at.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kibitzer::chess::Game;
use kibitzer::engine::{Engine, Limits, Report, StopFlag};

const NODES: u64 = 50_000;

/// An engine, and the count of the lines it has told of.
pub(crate) struct SharedEngine {
    engine: Engine,
    lines: AtomicUsize,
}

impl SharedEngine {
    pub(crate) fn new(hash_mb: usize) -> SharedEngine {
        SharedEngine { engine: Engine::new(hash_mb), lines: AtomicUsize::new(0) }
    }

    /// Lines so far, each of them legal.
    pub(crate) fn lines(&self) -> usize {
        self.lines.load(Ordering::Relaxed)
    }

    /// Empties the table.
    pub(crate) fn clear(&self) {
        self.engine.clear_tt();
    }

    /// A search with an empty table.
    pub(crate) fn search_alone(&self, game: &Game) -> Report {
        self.clear();
        self.search(game)
    }

    /// Two searches at once that begin with an empty table.
    pub(crate) fn search_concurrently(&self, games: [&Game; 2]) -> [Report; 2] {
        self.clear();
        self.search_concurrently_with_table(games)
    }

    /// Two searches at once, with the table as it is.
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
