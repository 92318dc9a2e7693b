//! The shared jobs behave as those in the file of one server.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kibitzer::chess::pgn::{GameResult, Headers};
use kibitzer::chess::{Game, Move, Position};
use kibitzer::cluster::{ClusterOptions, RedisJobs};
use kibitzer::engine::Score;
use kibitzer::store::StoreError;
use kibitzer::store::jobs::{
    AppendError, Changes, Claim, EncodedGame, GameRecord, InsertError, JobBook, JobChange, JobEnd,
    JobFile, JobId, JobRecord, LogPosition, NewJob, ParsedGame, PositionEval, PositionLimits,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::{Builder, Runtime};

use crate::redis_server::RedisServer;

/// A runtime for connections whose users block.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME
        .get_or_init(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap())
}

fn connect(server: &RedisServer, prefix: &str, replicas: u32) -> RedisJobs {
    let options = ClusterOptions::new(&server.url(), "", prefix).unwrap();
    let options = options.with_jobs("", replicas).unwrap();
    runtime().block_on(RedisJobs::connect(&options)).unwrap()
}

fn start_server() -> RedisServer {
    runtime().block_on(RedisServer::start())
}

fn record(number: u8, games: usize) -> JobRecord {
    JobRecord {
        id: JobId::random().unwrap(),
        client: format!("client {number}"),
        limits: PositionLimits {
            depth: Some(number),
            nodes: None,
            movetime: Some(Duration::from_millis(number.into())),
            multipv: 2,
        },
        created_ms: u64::from(number),
        end: None,
        reserved_bytes: 1_000,
        idempotency_key: number.is_multiple_of(2).then_some([number; 32]),
        plies: vec![100; games],
        positions_done: 0,
    }
}

fn game(number: u8) -> GameRecord {
    let mut headers = Headers::new();
    headers.set("White", &format!("Player {number}"));
    let mut game = Game::new(Position::startpos());
    for _ in 0..2 {
        let moves: Vec<Move> = game.position().legal_moves().to_vec();
        game.play(moves[usize::from(number) % moves.len()]);
    }
    let parsed = Ok(ParsedGame { start: game.start().clone(), moves: game.moves().to_vec() });
    GameRecord { headers, result: GameResult::Draw, parsed }
}

fn eval(number: u64) -> PositionEval {
    PositionEval { score: Score::Cp(number as i32), pv: game(number as u8).parsed.unwrap().moves }
}

/// Inserts a job, with the version that the book has.
fn insert(book: &dyn JobBook, record: &JobRecord, evicted: &[JobId]) -> Result<(), InsertError> {
    let games: Vec<_> = (0..record.plies.len()).map(|number| game(number as u8).encode()).collect();
    let games: Vec<_> =
        games.iter().map(|record| EncodedGame { record, text: Some("1. e4 e5 1/2-1/2") }).collect();
    let job = NewJob { record, request_digest: [5; 32], games };
    book.upload_games(&job)?;
    book.insert(&job, evicted, book.snapshot()?.position)
}

/// A step of the comparison. Jobs are chosen by their number among those so far.
#[derive(Clone, Debug)]
enum Step {
    Insert { number: u8, games: usize, evicts: Option<usize> },
    Append { job: usize, count: u64, ends: bool },
    Remove { job: usize },
    Release { job: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let job = 0_usize..8;
    let step = prop_oneof![
        (any::<u8>(), 1_usize..4, prop::option::weighted(0.3, job.clone()))
            .prop_map(|(number, games, evicts)| Step::Insert { number, games, evicts }),
        (job.clone(), 0_u64..4, prop::bool::weighted(0.2))
            .prop_map(|(job, count, ends)| Step::Append { job, count, ends }),
        job.clone().prop_map(|job| Step::Remove { job }),
        job.prop_map(|job| Step::Release { job }),
    ];
    prop::collection::vec(step, 1..25)
}

/// A job that was inserted into both books, with the claim of the shared one.
struct Inserted {
    id: JobId,
    claim: Option<Claim>,
    stored: u64,
}

/// Takes a step with both books and compares what they answer.
fn take(step: &Step, books: [&dyn JobBook; 2], jobs: &mut Vec<Inserted>) {
    let [file, shared] = books;
    let chosen = |jobs: &[Inserted], number: usize| (!jobs.is_empty()).then(|| number % jobs.len());
    match step {
        Step::Insert { number, games, evicts } => {
            let record = record(*number, *games);
            if let Some(key) = &record.idempotency_key
                && file.find_by_idempotency_key(key).unwrap().is_some()
            {
                assert!(matches!(insert(shared, &record, &[]), Err(InsertError::Stale)));
                return;
            }
            let evicted: Vec<_> = evicts
                .and_then(|job| chosen(jobs, job))
                .map(|job| jobs[job].id)
                .into_iter()
                .collect();
            books.iter().for_each(|book| insert(*book, &record, &evicted).unwrap());
            jobs.push(Inserted { id: record.id, claim: None, stored: 0 });
        }
        Step::Append { job, count, ends } => {
            let Some(index) = chosen(jobs, *job) else { return };
            let Inserted { id, claim, stored } = &mut jobs[index];
            let (id, is_ended) = (*id, file.job(*id).unwrap().is_some_and(|job| job.end.is_some()));
            if claim.is_none() {
                *claim = shared.claim(id).unwrap();
            }
            let exists = file.job(id).unwrap().is_some();
            let Some(claim) = *claim else { return assert!(is_ended || !exists) };
            if is_ended {
                return;
            }
            let evals: Vec<_> = (*stored..*stored + count).map(eval).collect();
            let end = ends.then_some(JobEnd { at_ms: 17, failed: *count == 0 });
            let results = books.map(|book| book.append(claim, *stored, &evals, end));
            assert_eq!(results.each_ref().map(|result| result.is_ok()), [exists; 2]);
            if exists {
                *stored += count;
                // A repeated write changes nothing.
                shared.append(claim, *stored - count, &evals, end).unwrap();
            }
        }
        Step::Remove { job } => {
            let Some(index) = chosen(jobs, *job) else { return };
            books.iter().for_each(|book| book.remove(&[jobs[index].id]).unwrap());
        }
        Step::Release { job } => {
            let Some(index) = chosen(jobs, *job) else { return };
            if let Some(claim) = jobs[index].claim.take() {
                shared.release(claim).unwrap();
            }
        }
    }
}

/// Compares everything that both books can tell.
fn compare([file, shared]: [&dyn JobBook; 2], jobs: &[Inserted]) {
    let sorted = |book: &dyn JobBook| {
        let mut jobs = book.snapshot().unwrap().jobs;
        jobs.sort_by_key(|job| job.id);
        jobs
    };
    assert_eq!(sorted(file), sorted(shared));
    assert_eq!(file.snapshot().unwrap().tombstones, shared.snapshot().unwrap().tombstones);
    for Inserted { id, .. } in jobs {
        assert_eq!(file.job(*id).unwrap(), shared.job(*id).unwrap());
        for number in 0..4 {
            assert_eq!(
                file.game_record(*id, number).unwrap(),
                shared.game_record(*id, number).unwrap()
            );
            assert_eq!(file.text(*id, number).unwrap(), shared.text(*id, number).unwrap());
        }
        for (first, count) in [(0, 100), (1, 2), (3, 0)] {
            let evals = |book: &dyn JobBook| book.evals(*id, first, count).unwrap();
            assert_eq!(evals(file), evals(shared));
        }
    }
    for number in 0..=255 {
        let found = |book: &dyn JobBook| book.find_by_idempotency_key(&[number; 32]).unwrap();
        assert_eq!(found(file), found(shared));
    }
}

/// Replays the log from its beginning, and compares the result with a snapshot.
fn compare_log(book: &dyn JobBook) {
    let Changes::Next(entries) = book.changes(LogPosition::default(), Duration::ZERO).unwrap()
    else {
        panic!("the log is lost");
    };
    let mut ids = HashSet::new();
    for entry in entries {
        match entry.change {
            Some(JobChange::Added(record)) => assert!(ids.insert(record.id)),
            Some(JobChange::Removed(id)) => drop(ids.remove(&id)),
            _ => {}
        }
    }
    let stored: HashSet<_> = book.snapshot().unwrap().jobs.iter().map(|job| job.id).collect();
    assert_eq!(ids, stored);
}

#[test]
fn the_shared_jobs_behave_as_those_of_one_server() {
    let server = start_server();
    let mut runner = TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
    let number = AtomicUsize::new(0);
    runner
        .run(&steps(), |steps| {
            let number = number.fetch_add(1, Ordering::Relaxed);
            let shared = connect(&server, &format!("{number}:"), 0);
            // The first reads establish their connections.
            let _ = shared.changes(LogPosition::default(), Duration::ZERO);
            let file = JobFile::in_memory().unwrap();
            let (books, mut jobs): ([&dyn JobBook; 2], _) = ([&file, &shared], Vec::new());
            steps.iter().for_each(|step| take(step, books, &mut jobs));
            compare(books, &jobs);
            compare_log(&shared);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_claim_fences_off_the_one_before() {
    let server = start_server();
    let (first, second) = (connect(&server, "", 0), connect(&server, "", 0));
    let record = record(1, 2);
    insert(&first, &record, &[]).unwrap();
    let old = first.claim(record.id).unwrap().expect("nobody has it");
    assert_eq!(second.claim(record.id).unwrap(), None);
    assert_eq!(second.unclaimed(&[record.id]).unwrap(), []);
    first.append(old, 0, &[eval(0)], None).unwrap();
    first.release(old).unwrap();
    assert_eq!(first.unclaimed(&[record.id]).unwrap(), [record.id]);
    let new = second.claim(record.id).unwrap().expect("it was released");
    assert!(new.fence > old.fence);
    let refused = first.append(old, 1, &[eval(1)], None);
    assert!(matches!(refused, Err(AppendError::ClaimLost)));
    first.renew(old).unwrap();
    first.release(old).unwrap();
    assert_eq!(first.claim(record.id).unwrap(), None, "neither has an effect");
    second.append(new, 1, &[eval(1)], None).unwrap();
    // A command that was long on its way takes nothing back.
    second.append(new, 0, &[eval(0)], None).unwrap();
    assert_eq!(second.job(record.id).unwrap().unwrap().positions_done, 2);
    let gap = second.append(new, 3, &[eval(3)], None);
    assert!(matches!(gap, Err(AppendError::ClaimLost)), "no gap is written");
    assert_eq!(first.evals(record.id, 0, 9).unwrap(), [eval(0), eval(1)]);
    second.remove(&[record.id]).unwrap();
    let gone = second.append(new, 2, &[eval(2)], None);
    assert!(matches!(gone, Err(AppendError::Gone)));
}

#[test]
fn an_insertion_after_another_change_is_stale() {
    let server = start_server();
    let book = connect(&server, "", 0);
    let before = book.snapshot().unwrap().position;
    insert(&book, &record(1, 1), &[]).unwrap();
    let late = record(3, 1);
    let games = [game(0).encode()];
    let job = NewJob {
        record: &late,
        request_digest: [0; 32],
        games: vec![EncodedGame { record: &games[0], text: None }],
    };
    book.upload_games(&job).unwrap();
    assert!(matches!(book.insert(&job, &[], before), Err(InsertError::Stale)));
    assert_eq!(book.job(late.id).unwrap(), None);
    book.insert(&job, &[], book.snapshot().unwrap().position).unwrap();
}

#[test]
fn the_log_has_no_gaps_and_waits_for_changes() {
    let server = start_server();
    let book = Arc::new(connect(&server, "", 0));
    let start = book.snapshot().unwrap().position;
    let wait = Duration::from_secs(10);
    assert!(matches!(book.changes(start, wait).unwrap(), Changes::Lost), "a new connection");
    let follower = {
        let book = book.clone();
        std::thread::spawn(move || book.changes(start, wait).unwrap())
    };
    let record = record(1, 1);
    insert(&*book, &record, &[]).unwrap();
    let Changes::Next(entries) = follower.join().unwrap() else { panic!("one entry is added") };
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].change, Some(JobChange::Added(Box::new(record.clone()))));
    assert!(start.is_followed_by(entries[0].position));
    let elsewhere = LogPosition { version: 7, sequence: 3 };
    let _ = book.changes(elsewhere, Duration::ZERO);
    assert!(matches!(book.changes(elsewhere, Duration::ZERO).unwrap(), Changes::Lost));
}

#[test]
fn a_write_needs_the_replicas() {
    let server = start_server();
    let primary = server.address().replace(':', " ");
    let arguments = ["--replicaof", &primary];
    let mut replica = runtime().block_on(RedisServer::start_with(&arguments));
    let book = connect(&server, "", 1);
    let is_written = |record: &JobRecord| insert(&book, record, &[]).is_ok();
    let started = std::time::Instant::now();
    while !is_written(&record(1, 1)) {
        assert!(started.elapsed() < Duration::from_secs(30), "the replica follows");
    }
    replica.kill();
    let keyed = record(2, 1);
    let refused = insert(&book, &keyed, &[]);
    assert!(
        matches!(&refused, Err(InsertError::Store(StoreError::Unreachable(reason)))
            if reason.contains("0 replicas")),
        "{refused:?}"
    );
    let key = keyed.idempotency_key.unwrap();
    assert!(book.find_by_idempotency_key(&key).is_err(), "its answer would say that it is durable");
    runtime().block_on(replica.restart());
    let started = std::time::Instant::now();
    while book.find_by_idempotency_key(&key).is_err() {
        assert!(started.elapsed() < Duration::from_secs(30), "the replica follows again");
    }
    assert_eq!(book.find_by_idempotency_key(&key).unwrap().unwrap().1, keyed.id);
}
