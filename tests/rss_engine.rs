//! Resident memory of the engine: at most the table, 60 MB, and 25 MB for each thread.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "docs/strength.md reports the figures")]

#[path = "support/full_run.rs"]
mod full_run;
#[path = "support/rss.rs"]
mod rss;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use full_run::is_full_run;

const KIBITZER: &str = env!("CARGO_BIN_EXE_kibitzer");

/// The table of `kibitzer bench`, in MB.
const HASH_MB: u64 = 16;

/// The peak resident memory of a process in MB; `None` once it has ended.
fn peak_rss_mb(pid: u32) -> Option<u64> {
    rss::status_kib(pid, "VmHWM").map(|kib| kib.div_ceil(1_024))
}

fn assert_within_bounds(peak: u64, threads: u64) {
    let bound = HASH_MB + 75 + 25 * threads;
    println!("{threads} threads: {peak} MB of at most {bound}");
    assert!(peak <= bound, "{threads} threads: {peak} MB");
    assert!(peak > HASH_MB, "{peak} MB do not hold the table of {HASH_MB} MB");
}

#[test]
fn the_bench_stays_within_its_memory_bound() {
    let mut bench = Command::new(KIBITZER);
    bench.arg("bench").stdout(Stdio::null());
    if !is_full_run() {
        bench.arg("8");
    }
    let mut bench = bench.spawn().unwrap();
    let mut peak = 0;
    while bench.try_wait().unwrap().is_none() {
        peak = peak.max(peak_rss_mb(bench.id()).unwrap_or(0));
        thread::sleep(Duration::from_millis(5));
    }
    assert_within_bounds(peak, 1);
}

#[test]
fn each_thread_stays_within_its_memory_bound() {
    for threads in [1, 2, 8] {
        let mut engine = Command::new(KIBITZER)
            .arg("uci")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
        let commands = format!(
            "setoption name Hash value {HASH_MB}\nsetoption name Threads value {threads}\n\
             position startpos moves e2e4\ngo nodes 800000\n"
        );
        engine.stdin.as_mut().unwrap().write_all(commands.as_bytes()).unwrap();
        assert!(lines.any(|line| line.unwrap().starts_with("bestmove")), "the search ends");
        let peak = peak_rss_mb(engine.id()).unwrap();
        engine.stdin.take();
        engine.wait().unwrap();
        assert_within_bounds(peak, threads);
    }
}
