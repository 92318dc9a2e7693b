//! A server that reviews games is killed by SIGKILL again and again, most often while it writes,
//! and loses nothing that it has told.
//!
//! The checker follows the job's events, writes down what it hears, and kills the server: as a rule
//! at once when the log says that it writes. After each restart the review must say of every move
//! what was written down, events must go on behind the last one heard, and what was acknowledged (a
//! new job, a deletion) must hold. In the end every job is done.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and tells by printing"
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

/// A number that looks like chance.
fn random(number: u64) -> u64 {
    splitmix::nth(77, number)
}

/// The games of a job: so many, each of its own moves.
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

/// How much is done.
struct KillPlan {
    /// Kills.
    rounds: u64,
    /// Where too few of them came in mid-write it goes on, up to so many.
    max_rounds: u64,
    /// Kills that come while the server writes, at least.
    min_kills_while_writing: usize,
    /// Analyses in the dictionary.
    entries: u64,
    /// The median of the starts is shorter. Other work on the machine stretches single ones.
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
            // A short start says nothing of a long one, and is not measured.
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

/// What happened in a round.
struct Round {
    /// The log said last that it writes.
    was_writing: bool,
    in_flight: u64,
    events: usize,
    start: Duration,
}

#[test]
fn reported_job_events_survive_every_kill() {
    let KillPlan {
        rounds,
        max_rounds: most_rounds,
        min_kills_while_writing: in_mid_write,
        entries,
        max_median_start: start,
    } = KillPlan::from_environment();
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
        for round in 1..=most_rounds {
            if round > rounds && writing(&done) >= in_mid_write {
                break;
            }
            let outcome = run_round(folder.path(), round, &mut jobs).await;
            let Round { was_writing, in_flight, events: heard, start } = outcome;
            println!(
                "round {round}: up after {start:?}, {heard} events heard, {} jobs, killed {} with {in_flight} searches in flight",
                jobs.len(),
                if was_writing { "while it wrote," } else { "between two writes," },
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
        let heard: usize = done.iter().map(|round| round.events).sum();
        let mut starts: Vec<Duration> = done.iter().map(|round| round.start).collect();
        starts.sort_unstable();
        let (median, slowest) = (starts[rounds / 2], starts[rounds - 1]);
        println!(
            "{rounds} kills, {writing} of them in mid-write; {heard} events, {} jobs, all as they were told; start with {entries} analyses \
             {median:?} in the median, {slowest:?} at most",
            jobs.len()
        );
        assert!(writing >= in_mid_write, "{writing} of {rounds} kills came while it wrote");
        assert!(median < start, "a start with {entries} analyses took {median:?} in the median");
    });
}

/// One life of the server.
async fn run_round(folder: &std::path::Path, round: u64, jobs: &mut Vec<JobObserver>) -> Round {
    let started = Instant::now();
    let mut server = Server::start(folder).await;
    let start = started.elapsed();
    // The last few that are over, and all that are not.
    let over = jobs.iter().filter(|job| job.is_finished()).count();
    for (_, job) in
        jobs.iter_mut().enumerate().filter(|(index, job)| !job.is_finished() || index + 4 > over)
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
    let job = jobs.iter_mut().find(|job| !job.is_finished()).expect("a job that is not done");
    let heard = job.event_count();
    let was_writing = job
        .follow_until_killed(&mut server, 3 + (random(round) % 20) as usize, round % 10 != 7)
        .await;
    Round { was_writing, in_flight: server.in_flight(), events: job.event_count() - heard, start }
}
