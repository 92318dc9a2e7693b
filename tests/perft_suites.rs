//! Perft suites: every listed position, to its full depth when `KIBITZER_FULL` is set, else as deep
//! as a node limit allows.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its figures"
)]

#[path = "support/full_run.rs"]
mod full_run;
#[path = "support/suites.rs"]
mod suites;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kibitzer::chess::{Position, perft};
use suites::Suite;

/// The node limit of one position in a short run.
const MAX_NODES: u64 = 3_000_000;

fn main() -> ExitCode {
    let suites = vec![
        Suite { name: "perft_standard", file: "perft/standard.epd", check: perft_suite },
        Suite { name: "perft_chess960", file: "perft/chess960.epd", check: perft_suite },
    ];
    suites::run(suites, Vec::new())
}

/// A position and its perft counts, each with its depth, by rising depth.
struct PerftLine {
    fen: String,
    counts: Vec<(u8, u64)>,
}

impl PerftLine {
    /// Reads `<FEN> ;D1 20 ;D2 400 …`.
    fn read(text: &str) -> Result<PerftLine, String> {
        let mut parts = text.split(';');
        let fen = parts.next().unwrap_or_default().trim().to_owned();
        let count = |part: &str| {
            let (depth, count) = part.trim().strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().ok()?, count.trim().parse().ok()?))
        };
        let counts: Option<Vec<(u8, u64)>> = parts.map(count).collect();
        match counts.filter(|counts| !counts.is_empty() && counts.is_sorted()) {
            Some(counts) => Ok(PerftLine { fen, counts }),
            None => Err(format!("not a perft line: {text}")),
        }
    }

    /// The listed counts that this run checks.
    fn checked_counts(&self) -> &[(u8, u64)] {
        let within = self
            .counts
            .iter()
            .take_while(|(_, count)| full_run::is_full_run() || *count <= MAX_NODES)
            .count();
        &self.counts[..within.max(1)]
    }

    fn node_count(&self) -> u64 {
        self.checked_counts().last().map_or(0, |(_, count)| *count)
    }

    /// Checks the count at the greatest depth. If it is wrong, returns the first depth with a wrong
    /// count.
    fn check(&self) -> Result<(), String> {
        let position = Position::from_fen(&self.fen)
            .map_err(|error| format!("{}: refused: {error:?}", self.fen))?;
        let is_correct = |&(depth, listed): &(u8, u64)| perft::perft(&position, depth) == listed;
        if self.checked_counts().last().is_some_and(is_correct) {
            return Ok(());
        }
        match self.checked_counts().iter().find(|listed| !is_correct(listed)) {
            Some((depth, listed)) => Err(format!("{}: not {listed} at depth {depth}", self.fen)),
            None => Err(format!("{}: two counts differ", self.fen)),
        }
    }
}

/// Checks every line of a file, on all cores, the longest first.
fn perft_suite(text: &str) -> Result<(), String> {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(PerftLine::read)
        .collect::<Result<Vec<_>, _>>()?;
    if lines.is_empty() {
        return Err("the suite is empty".to_owned());
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.node_count()));

    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let errors = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = line.check() {
                        errors.lock().expect("no thread panics with the lock").push(error);
                    }
                }
            });
        }
    });

    let nodes: u64 = lines.iter().map(PerftLine::node_count).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} positions, {nodes} nodes in {seconds:.1} s, \
         {:.0} million per second on {threads} threads",
        lines.len(),
        nodes as f64 / seconds / 1e6
    );
    let errors = errors.into_inner().expect("no thread panics with the lock");
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}
