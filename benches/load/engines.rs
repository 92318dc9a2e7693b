//! What the server is compared with: engine processes that do nothing but search.

use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::chess::Position;

use crate::BenchResult;
use crate::uci::Engine;

/// Nodes, and the time from the first request to the last answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchTotals {
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
}

impl SearchTotals {
    pub(crate) fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }

    /// Says what engines have done, and what a server's work comes to beside it.
    pub(crate) fn print_comparison(&self, server: &SearchTotals) {
        println!(
            "two engine processes on the halves: {} nodes in {:.1} s, {:.0} a second",
            self.nodes,
            self.time.as_secs_f64(),
            self.nodes_per_second()
        );
        println!(
            "nodes ÷ time, server ÷ engines: {:.3} (wanted: 0.95 at least)",
            server.nodes_per_second() / self.nodes_per_second()
        );
    }
}

/// The search of positions by two engine processes side by side, each with a list of its own and a
/// table of so many MB.
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
        let begun = Instant::now();
        let searched = engine.and_then(|mut engine| {
            let mut sum = 0;
            for position in positions {
                engine.go(position, &format!("nodes {nodes}"))?;
                sum += engine.finish()?.0.nodes;
            }
            Ok(sum)
        });
        searched.map(|sum| (sum, begun, Instant::now())).map_err(|error| error.to_string())
    };
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| search_all(first));
        let second = search_all(second);
        (first.join().unwrap_or_else(|_| Err("an engine's thread failed".to_owned())), second)
    });
    let ((nodes, begun, ended), (more, also_begun, also_ended)) = (first?, second?);
    Ok(SearchTotals { nodes: nodes + more, time: ended.max(also_ended) - begun.min(also_begun) })
}
