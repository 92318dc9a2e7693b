//! Tests of the job service with scripted searches.

mod admission;
mod durability;
mod reviewing;
mod shared;
mod shared_book;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::analysis::tests::{Scripted, at_once, options};
use crate::analysis::{Client, Searcher, Service};
use crate::chess::Game;
use crate::engine::{Limits, Report, Score, StopFlag, StopReason};
use crate::store::jobs::JobFile;

const RULES: JobRules = JobRules {
    max_usage: Usage { jobs: 100, bytes: 10_000_000 },
    anonymous_share_permille: 125,
    max_nodes: 1_000_000,
    default_nodes: 100,
    retention: Duration::from_secs(3_600),
};

/// A game of twelve half-moves with a capture and castling.
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n\
                    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 1-0\n\n";

/// A game that ends with checkmate after four half-moves.
const MATE: &str = "1. f3 e5 2. g4 Qh4# 0-1\n\n";

/// A search result that depends only on the Zobrist key of the position.
fn report_from_key(game: &Game, limits: &Limits, stop: &StopFlag) -> Report {
    let position = game.position();
    let moves = position.legal_moves();
    let score = Score::Cp((position.key() % 401) as i32 - 200);
    let pv = vec![moves[position.key() as usize % moves.len()]];
    Report { score, pv, ..at_once(game, limits, stop) }
}

/// Starts an analysis service with this number of workers, and a job service on it.
fn start_jobs(
    searcher: Arc<impl Searcher>,
    workers: usize,
    file: JobFile,
    rules: JobRules,
) -> Jobs {
    let service = Service::start(searcher, options(workers, 64)).expect("threads");
    Jobs::start(service, Arc::new(file), rules).expect("a store")
}

fn jobs_in_memory(searcher: Arc<impl Searcher>) -> Jobs {
    start_jobs(searcher, 2, JobFile::in_memory().expect("memory"), RULES)
}

fn jobs_by_key() -> Jobs {
    jobs_in_memory(Scripted::new(report_from_key))
}

fn submission(client: &str, text: &str) -> Submission {
    let limits = PositionLimits { depth: Some(3), nodes: None, movetime: None, multipv: 1 };
    Submission {
        client: Client::new(client),
        is_anonymous: false,
        text: text.to_owned(),
        limits,
        idempotency_key: None,
    }
}

/// Submits a job and returns its id.
async fn submit(jobs: &Jobs, submission: Submission) -> JobId {
    let (job, _) = jobs.submit(submission).await.expect("the job is accepted");
    job.id()
}

/// Waits for the end of a job.
async fn wait_finished(jobs: &Jobs, id: JobId) -> JobReader {
    let job = jobs.find(id).await.expect("a job");
    let mut progress = job.subscribe();
    let ended = tokio::time::timeout(
        Duration::from_secs(20),
        progress.wait_for(|progress| progress.status.is_finished()),
    );
    drop(ended.await.expect("an end in time"));
    job
}

/// The whole review of a game.
async fn full_page(job: &JobReader, number: u32) -> GamePage {
    job.page(number, job.progress().positions_done, 1, usize::MAX).await.expect("a page")
}

/// Shuts the services down as the server does.
async fn shut_down(jobs: Jobs) {
    jobs.shut_down();
    jobs.service().shut_down();
    jobs.service().drained().await;
    jobs.stopped().await;
}

/// Reopens a file once the previous owner has closed it.
fn reopen(folder: &Path) -> JobFile {
    let started = Instant::now();
    loop {
        match JobFile::open(folder) {
            Ok(file) => return file,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(10), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
