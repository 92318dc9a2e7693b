//! The reference of the server: engine processes that only search.

use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::chess::Position;

use crate::BenchResult;
use crate::uci::{Engine, info_number};

/// Nodes of searches, and the time from the first request to the last answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchTotals {
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
}

impl SearchTotals {
    pub(crate) fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }

    /// Prints these totals of the engines, and the ratio of the server's speed to theirs.
    pub(crate) fn print_comparison(&self, server: &SearchTotals) {
        println!(
            "two engine processes, half of the positions each: {} nodes in {:.1} s, \
             {:.0} per second",
            self.nodes,
            self.time.as_secs_f64(),
            self.nodes_per_second()
        );
        println!(
            "nodes per second, server ÷ engines: {:.3} (target: at least 0.95)",
            server.nodes_per_second() / self.nodes_per_second()
        );
    }
}

/// Measures two concurrent engine processes. Each searches its own list of positions with a
/// transposition table of `hash_mb` MB.
pub(crate) fn measure_engines(
    (first, second): (&[Position], &[Position]),
    nodes: u64,
    hash_mb: usize,
) -> BenchResult<SearchTotals> {
    let ready = Barrier::new(2);
    let search_all = |positions: &[Position]| -> Result<(u64, Instant, Instant), String> {
        let program = Path::new(env!("CARGO_BIN_EXE_kibitzer"));
        let engine = Engine::start(program, &["uci"], 1, hash_mb);
        ready.wait();
        let started = Instant::now();
        let searched = engine.and_then(|mut engine| {
            let mut sum = 0;
            for position in positions {
                engine.go(position, &format!("nodes {nodes}"))?;
                let mut searched = 0;
                while let Some(line) = engine.next_line()? {
                    searched = info_number(&line, "nodes").unwrap_or(searched);
                }
                sum += searched;
            }
            Ok(sum)
        });
        searched.map(|sum| (sum, started, Instant::now())).map_err(|error| error.to_string())
    };
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| search_all(first));
        let second = search_all(second);
        (
            first.join().unwrap_or_else(|_| Err("the thread of an engine panicked".to_owned())),
            second,
        )
    });
    let ((nodes_1, start_1, end_1), (nodes_2, start_2, end_2)) = (first?, second?);
    Ok(SearchTotals { nodes: nodes_1 + nodes_2, time: end_1.max(end_2) - start_1.min(start_2) })
}
