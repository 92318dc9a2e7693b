//! Durability of game reviews: a server that is killed during writes loses nothing it has reported.
//!
//! The test follows the events of a job, records them, and kills the server with SIGKILL, usually
//! as soon as the log reports a write. After each restart the review must contain every recorded
//! move unchanged. Events must continue behind the last received one. Acknowledged submissions and
//! deletions must persist. In the end every job is done.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and reports by printing"
)]

mod dictionary;
#[path = "../support/full.rs"]
mod full;
mod job_observer;
mod server;

use std::time::{Duration, Instant};

use job_observer::JobObserver;
use kibitzer::chess::{Position, SanWriter, splitmix};
use server::Server;

/// A pseudo-random number.
fn random(number: u64) -> u64 {
    splitmix::nth(77, number)
}

/// The PGN of a job with `count` different games.
fn games(seed: u64, count: u64) -> String {
    (0..count).map(|number| game(seed * 1_000 + number)).collect()
}

fn game(seed: u64) -> String {
    let mut position = Position::startpos();
    let mut text = format!("[Round \"{seed}\"]\n\n");
    for ply in 0..40 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[splitmix::nth(seed, ply) as usize % moves.len()];
        text.push_str(SanWriter::new(&position).write(mv).text.as_str());
        text.push(' ');
        position = position.after(mv);
    }
    text + "*\n\n"
}

/// The size of the test.
struct KillPlan {
    /// Number of kills.
    rounds: u64,
    /// Maximum number of kills. The test goes on while too few of them hit a write.
    max_rounds: u64,
    /// Minimum number of kills during a write.
    min_kills_while_writing: usize,
    /// Number of analyses in the dictionary.
    entries: u64,
    /// Limit of the median start time. Other load on the machine may delay single starts.
    max_median_start: Duration,
}

impl KillPlan {
    fn from_environment() -> KillPlan {
        if full::full() {
            KillPlan {
                rounds: 50,
                max_rounds: 80,
                min_kills_while_writing: 40,
                entries: 1_000_000,
                max_median_start: Duration::from_secs(2),
            }
        } else {
            // With a small dictionary the start time is not meaningful.
            KillPlan {
                rounds: 4,
                max_rounds: 40,
                min_kills_while_writing: 1,
                entries: 1_000,
                max_median_start: Duration::MAX,
            }
        }
    }
}

/// The outcome of a round.
struct Round {
    /// Whether the last log line was the start of a write.
    was_writing: bool,
    in_flight: u64,
    events: usize,
    start: Duration,
}

#[test]
fn reported_job_events_survive_every_kill() {
    let KillPlan { rounds, max_rounds, min_kills_while_writing, entries, max_median_start } =
        KillPlan::from_environment();
    let folder = tempfile::tempdir().expect("a folder");
    dictionary::fill(folder.path(), entries);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut jobs: Vec<JobObserver> = Vec::new();
        let mut done = Vec::new();
        let writing = |done: &[Round]| done.iter().filter(|round| round.was_writing).count();
        for round in 1..=max_rounds {
            if round > rounds && writing(&done) >= min_kills_while_writing {
                break;
            }
            let outcome = run_round(folder.path(), round, &mut jobs).await;
            let Round { was_writing, in_flight, events, start } = outcome;
            println!(
                "round {round}: ready after {start:?}, {events} events received, {} jobs, \
                 killed {} writes with {in_flight} running searches",
                jobs.len(),
                if was_writing { "during" } else { "between" },
            );
            done.push(outcome);
        }
        let server = Server::start(folder.path()).await;
        for job in &mut jobs {
            job.check(&server).await;
            job.finish(&server).await;
        }
        server.kill();
        let (rounds, writing) = (done.len(), writing(&done));
        let events: usize = done.iter().map(|round| round.events).sum();
        let mut starts: Vec<Duration> = done.iter().map(|round| round.start).collect();
        starts.sort_unstable();
        let (median, slowest) = (starts[rounds / 2], starts[rounds - 1]);
        println!(
            "{rounds} kills, {writing} of them during a write; {events} events of {} jobs intact; \
             start with {entries} analyses: median {median:?}, maximum {slowest:?}",
            jobs.len()
        );
        assert!(writing >= min_kills_while_writing, "{writing} of {rounds} kills hit a write");
        assert!(median < max_median_start, "the median start took {median:?}");
    });
}

/// Runs the server until it is killed.
async fn run_round(folder: &std::path::Path, round: u64, jobs: &mut Vec<JobObserver>) -> Round {
    let started = Instant::now();
    let mut server = Server::start(folder).await;
    let start = started.elapsed();
    // All unfinished jobs and the last few finished ones.
    let finished = jobs.iter().filter(|job| job.is_finished()).count();
    for (_, job) in jobs
        .iter_mut()
        .enumerate()
        .filter(|(index, job)| !job.is_finished() || index + 4 > finished)
    {
        job.check(&server).await;
    }
    // There is always something to do, and now and then something is deleted.
    if jobs.iter().filter(|job| !job.is_finished()).count() < 2 {
        jobs.push(JobObserver::submit(&server, round, games(round, 300)).await);
    }
    if round.is_multiple_of(5)
        && let Some(job) = jobs.iter_mut().find(|job| !job.is_finished())
    {
        job.delete(&server).await;
        jobs.push(JobObserver::submit(&server, 100 + round, games(100 + round, 300)).await);
    }
    let job = jobs.iter_mut().find(|job| !job.is_finished()).expect("an unfinished job");
    let events_before = job.event_count();
    let was_writing = job
        .follow_until_killed(&mut server, 3 + (random(round) % 20) as usize, round % 10 != 7)
        .await;
    Round {
        was_writing,
        in_flight: server.in_flight(),
        events: job.event_count() - events_before,
        start,
    }
}
