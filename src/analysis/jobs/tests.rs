//! What the service promises of jobs, asked of it with scripted searches.

mod durability;
mod reviewing;
mod taking;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::analysis::tests::{Scripted, at_once, options};
use crate::analysis::{Client, Searcher, Service};
use crate::chess::Game;
use crate::engine::{Limits, Report, Score, StopFlag, StopReason};
use crate::store::jobs::JobFile;

const RULES: JobRules =
    JobRules { room: Room { jobs: 100, bytes: 10_000_000 }, keep: Duration::from_secs(3_600) };

/// Twelve half-moves, among them a capture and castling.
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 1-0\n\n";

/// A mate on the board after four half-moves.
const MATE: &str = "1. f3 e5 2. g4 Qh4# 0-1\n\n";

/// What is found of a position follows from its key alone.
fn by_key(game: &Game, limits: &Limits, stop: &StopFlag) -> Report {
    let position = game.position();
    let moves = position.legal_moves();
    let score = Score::Cp((position.key() % 401) as i32 - 200);
    let pv = vec![moves[position.key() as usize % moves.len()]];
    Report { score, pv, ..at_once(game, limits, stop) }
}

/// A service and its jobs, with so many workers.
fn jobs(searcher: Arc<impl Searcher>, workers: usize, file: JobFile, rules: JobRules) -> Jobs {
    let service = Service::start(searcher, options(workers, 64)).expect("threads");
    Jobs::start(service, file, rules).expect("a store")
}

fn in_memory(searcher: Arc<impl Searcher>) -> Jobs {
    jobs(searcher, 2, JobFile::in_memory().expect("memory"), RULES)
}

fn by_keys() -> Jobs {
    in_memory(Scripted::new(by_key))
}

fn submission(client: &str, text: &str) -> Submission {
    let asked = Asked { depth: Some(3), nodes: None, movetime: None, multipv: 1 };
    Submission { client: Client::new(client), text: text.to_owned(), asked, key: None }
}

/// The job, once it is over.
async fn over(jobs: &Jobs, id: JobId) -> Job {
    let job = jobs.find(id).await.expect("a job");
    let mut progress = job.follow();
    let ended = tokio::time::timeout(
        Duration::from_secs(20),
        progress.wait_for(|progress| progress.status.is_over()),
    );
    drop(ended.await.expect("an end in time"));
    job
}

/// Everything that is said of a game.
async fn whole(job: &Job, number: u32) -> GamePage {
    job.page(number, job.progress().found, 1, usize::MAX).await.expect("a page")
}

/// Ends a service as the program does, and waits until its file is free.
async fn end(jobs: Jobs) {
    jobs.shut_down();
    jobs.service().shut_down();
    jobs.service().drained().await;
    jobs.stopped().await;
}

/// Opens the file again that others have had, once they have let it go.
fn reopened(folder: &Path) -> JobFile {
    let begun = Instant::now();
    loop {
        match JobFile::open(folder) {
            Ok(file) => return file,
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(10), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
