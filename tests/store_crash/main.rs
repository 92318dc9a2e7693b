//! Durability of the evaluation cache: analyses older than `store.flush_ms` survive a SIGKILL.
//!
//! A child process searches and stores as fast as a busy server. The test kills it repeatedly,
//! always on the same file. The child prints each answer before its next request. Answers printed
//! longer than the flush interval before the kill must come from the store, byte for byte. No
//! answer may ever differ from its search result.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its progress"
)]

mod child;
mod fake_searcher;
#[path = "../support/full_run.rs"]
mod full_run;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitzer::analysis::{Service, Source};
use libtest_mimic::{Arguments, Failed, Trial};

use child::{FLUSH_INTERVAL, options, request, store};
use fake_searcher::{DeterministicSearcher, expected_report, random};

fn main() -> ExitCode {
    match std::env::var_os(child::FOLDER_VARIABLE) {
        Some(folder) => child::run(Path::new(&folder)),
        None => {
            let trials = vec![Trial::test(
                "analyses_older_than_the_flush_interval_survive_every_kill",
                old_analyses_survive_every_kill,
            )];
            libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
        }
    }
}

fn old_analyses_survive_every_kill() -> Result<(), Failed> {
    let (rounds, longest_ms) = if full_run::is_full_run() { (60, 4_000) } else { (3, 900) };
    let folder = tempfile::tempdir()?;
    let mut durable = 0;
    for round in 1..=rounds {
        let lifetime = FLUSH_INTERVAL + Duration::from_millis(100 + random(round) % longest_ms);
        let answered = run_and_kill_child(folder.path(), durable, lifetime)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let started = Instant::now();
        let service = Service::start_with_store(
            Arc::new(DeterministicSearcher),
            options(),
            store(folder.path()),
            FLUSH_INTERVAL,
        )?;
        let opened = started.elapsed();
        let (mut lost, last) = (0, answered.keys().last().copied().unwrap_or(durable));
        for number in 0..=last {
            let answer = runtime.block_on(service.best_move(request(number)))?;
            assert_eq!(*answer.report, expected_report(&request(number).game), "request {number}");
            if answer.source == Source::Search {
                assert!(number >= durable, "round {round}: request {number} was on disk before");
                let age = answered.get(&number).copied().unwrap_or_default();
                assert!(
                    age < FLUSH_INTERVAL,
                    "round {round}: request {number} was answered {age:?} before the kill"
                );
                lost += 1;
            }
        }
        println!(
            "round {round}: {} answers, {lost} lost, {last} on disk, opened in {opened:?}",
            answered.len()
        );
        runtime.block_on(service.flush())?;
        durable = last + 1;
    }
    Ok(())
}

/// Runs a child from request `from` on for `lifetime` and kills it. Returns for each answered
/// request the time between the answer and the kill.
fn run_and_kill_child(
    folder: &Path,
    from: u64,
    lifetime: Duration,
) -> Result<BTreeMap<u64, Duration>, Failed> {
    let mut child = Command::new(std::env::current_exe()?)
        .envs([
            (child::FOLDER_VARIABLE, folder.as_os_str()),
            (child::FIRST_NUMBER_VARIABLE, from.to_string().as_ref()),
        ])
        .stdout(Stdio::piped())
        .spawn()?;
    let lines = BufReader::new(child.stdout.take().ok_or("a piped stdout")?).lines();
    let reader = std::thread::spawn(move || {
        let numbers = lines.map_while(Result::ok).map_while(|line| line.parse::<u64>().ok());
        numbers.map(|number| (number, Instant::now())).collect::<Vec<_>>()
    });
    std::thread::sleep(lifetime);
    let killed = Instant::now();
    // On Unix this is SIGKILL.
    child.kill()?;
    child.wait()?;
    let answered = reader.join().map_err(|_| "the reader panicked")?;
    Ok(answered
        .into_iter()
        .map(|(number, when)| (number, killed.saturating_duration_since(when)))
        .collect())
}
