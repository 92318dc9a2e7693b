//! Durability of review jobs: a server killed by SIGKILL loses nothing that it has reported.
//!
//! The test follows a job's events, records them and kills the server repeatedly, in most rounds
//! while it writes. After each restart three conditions hold: the review agrees with every recorded
//! move, the events continue after the last one received, and acknowledged submissions and
//! deletions are kept. In the end every job is done.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its progress"
)]

mod evaluation_cache;
#[path = "../support/full_run.rs"]
mod full_run;
mod job_observer;
#[path = "../support/serve.rs"]
mod serve;
mod server;
#[path = "../support/sse.rs"]
mod sse;

use std::time::{Duration, Instant};

use job_observer::JobObserver;
use kibitzer::chess::{Position, SanWriter, splitmix};
use server::Server;

/// A pseudo-random number.
fn random(number: u64) -> u64 {
    splitmix::nth(77, number)
}

/// The PGN of `count` different games.
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

/// The extent of the test.
struct KillPlan {
    /// The number of kills.
    rounds: u64,
    /// The limit of kills, if too few of them were during a write.
    max_rounds: u64,
    /// The least number of kills during a write.
    min_kills_while_writing: usize,
    /// Analyses in the evaluation cache.
    entries: u64,
    /// The limit of the median start time. Other work on the machine delays single starts.
    max_median_start: Duration,
}

impl KillPlan {
    fn from_environment() -> KillPlan {
        if full_run::is_full_run() {
            KillPlan {
                rounds: 50,
                max_rounds: 80,
                min_kills_while_writing: 40,
                entries: 1_000_000,
                max_median_start: Duration::from_secs(2),
            }
        } else {
            // The start time depends on the entries, so a short run does not limit it.
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
    /// Whether the server was writing when it was killed.
    was_writing: bool,
    in_flight: u64,
    events: usize,
    start: Duration,
}

fn kills_while_writing(rounds: &[Round]) -> usize {
    rounds.iter().filter(|round| round.was_writing).count()
}

#[test]
fn reported_job_events_survive_every_kill() {
    let plan = KillPlan::from_environment();
    let folder = tempfile::tempdir().expect("a folder");
    evaluation_cache::fill(folder.path(), plan.entries);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut jobs: Vec<JobObserver> = Vec::new();
        let mut rounds: Vec<Round> = Vec::new();
        for number in 1..=plan.max_rounds {
            if number > plan.rounds && kills_while_writing(&rounds) >= plan.min_kills_while_writing
            {
                break;
            }
            let round = run_round(folder.path(), number, &mut jobs).await;
            println!(
                "round {number}: ready after {:?}, {} events received, {} jobs, \
                 killed {} a write with {} searches in flight",
                round.start,
                round.events,
                jobs.len(),
                if round.was_writing { "during" } else { "outside" },
                round.in_flight
            );
            rounds.push(round);
        }
        let server = Server::start(folder.path()).await;
        for job in &mut jobs {
            job.check(&server).await;
            job.finish(&server).await;
        }
        server.kill();
        check_totals(&plan, &rounds, jobs.len());
    });
}

/// Prints the totals and checks them against the plan.
fn check_totals(plan: &KillPlan, rounds: &[Round], jobs: usize) {
    let (kills, while_writing) = (rounds.len(), kills_while_writing(rounds));
    let events: usize = rounds.iter().map(|round| round.events).sum();
    let mut starts: Vec<Duration> = rounds.iter().map(|round| round.start).collect();
    starts.sort_unstable();
    let (median, slowest) = (starts[kills / 2], starts[kills - 1]);
    println!(
        "{kills} kills, {while_writing} of them during a write; \
         {events} events of {jobs} jobs kept; \
         start with {} analyses {median:?} in the median, {slowest:?} at most",
        plan.entries
    );
    assert!(
        while_writing >= plan.min_kills_while_writing,
        "{while_writing} of {kills} kills were during a write"
    );
    assert!(median < plan.max_median_start, "the median start took {median:?}");
}

/// Starts a server, checks and submits jobs, follows one and kills the server.
async fn run_round(folder: &std::path::Path, round: u64, jobs: &mut Vec<JobObserver>) -> Round {
    let started = Instant::now();
    let mut server = Server::start(folder).await;
    let start = started.elapsed();
    // All unfinished jobs, and some of the finished ones.
    let over = jobs.iter().filter(|job| job.is_finished()).count();
    for (_, job) in
        jobs.iter_mut().enumerate().filter(|(index, job)| !job.is_finished() || index + 4 > over)
    {
        job.check(&server).await;
    }
    // There are always two unfinished jobs. Every fifth round deletes one.
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
    let events = job.event_count() - events_before;
    Round { was_writing, in_flight: server.in_flight(), events, start }
}
