//! Nodes that are killed again and again under load: no accepted job and no shown finding is lost,
//! and the depth of a resumed analysis does not fall.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::findings::{ShownFindings, assert_complete};
use crate::full_run::is_full_run;
use crate::jobs::GAME;
use crate::node::Node;
use crate::redis_server::{RedisServer, free_port};
use crate::wait::LONG;

/// Kills of nodes; 50 with `KIBITZER_FULL=1`.
const KILLS: usize = 6;

/// The jobs that are looked at again and again. Those before them have ended.
const WATCHED: usize = 30;

/// What was shown so long before the end of a connection is on the server.
const SETTLED: Duration = Duration::from_millis(500);

/// Submits jobs until `stop`, each until it is accepted, and notes their paths.
async fn submit(client: &Client, accepted: &RefCell<Vec<String>>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let number = accepted.borrow().len();
        // More nodes than before, so that what the nodes know already does not answer.
        let nodes = if number.is_multiple_of(4) { 40_000 + 50 * number as u64 } else { 5_000 };
        match client.submit(GAME, nodes, &format!("job-{number}")).await {
            Some((202, job)) => {
                let id = job["id"].as_str().unwrap();
                accepted.borrow_mut().push(format!("/v1/games/{id}"));
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            Some((503, _)) => tokio::time::sleep(Duration::from_millis(50)).await,
            None => client.next(),
            Some((status, answer)) => panic!("{status}: {answer}"),
        }
    }
}

/// Looks at a job, and notes its findings. Returns the job if a node has answered.
async fn look(client: &Client, path: &str, shown: &mut ShownFindings) -> Option<Value> {
    match client.ask(Method::GET, path).await {
        Some((200, job)) => {
            shown.note(path, &job);
            Some(job)
        }
        Some((503, _)) | None => {
            client.next();
            None
        }
        Some((status, answer)) => panic!("{path}: {status}: {answer}"),
    }
}

/// Looks at the newest accepted jobs by one node after the other until `stop`. Returns what was
/// shown, and how often a job had some of its findings.
async fn watch(
    client: &Client,
    accepted: &RefCell<Vec<String>>,
    stop: &AtomicBool,
) -> (ShownFindings, usize) {
    let (mut shown, mut unfinished) = (ShownFindings::default(), 0);
    while !stop.load(Ordering::Relaxed) {
        let newest: Vec<_> = accepted.borrow().iter().rev().take(WATCHED).cloned().collect();
        for path in &newest {
            let job = look(client, path, &mut shown).await;
            let is_unfinished = job.is_some_and(|job| job["status"] != "done");
            unfinished += usize::from(is_unfinished && shown.count(path) > 0);
        }
        client.next();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (shown, unfinished)
}

/// Follows an endless analysis, and goes on with it elsewhere when its node is killed. Returns how
/// often it did.
async fn analyse(client: &Client, fen: &str, stop: &AtomicBool) -> usize {
    let body = json!({ "fen": fen, "infinite": true });
    let (mut settled, mut resumed) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        // A read of the shared cache may be late on a busy machine: then another try finds more.
        let mut depths = Vec::new();
        for _ in 0..5 {
            depths = client.depths(&body, stop, settled).await;
            if depths.first().is_none_or(|&(depth, _)| depth >= settled) {
                break;
            }
        }
        let first = depths.first().map_or(settled, |&(depth, _)| depth);
        assert!(first >= settled, "the depth falls from {settled} to {first}");
        assert!(depths.is_sorted_by(|one, other| one.0 < other.0), "{depths:?}");
        let end = Instant::now();
        let is_settled = |time: Instant| end.duration_since(time) >= SETTLED;
        let shown = depths.iter().filter(|(_, time)| is_settled(*time));
        settled = shown.map(|&(depth, _)| depth).max().unwrap_or(0).max(settled);
        resumed += usize::from(!depths.is_empty());
        client.next();
    }
    resumed
}

/// Asks for best moves until `stop`, and returns how many answers there were.
async fn ask(client: &Client, stop: &AtomicBool) -> usize {
    let mut answers = 0;
    while !stop.load(Ordering::Relaxed) {
        let body = json!({ "fen": "startpos", "nodes": 30_000 + answers });
        match client.post("/v1/best-move", &body).await {
            Some((200, answer)) => {
                assert!(answer["best_move"].is_string(), "{answer}");
                answers += 1;
            }
            Some((503, _)) | None => client.next(),
            Some((status, answer)) => panic!("{status}: {answer}"),
        }
    }
    answers
}

#[tokio::test]
async fn nothing_is_lost_when_nodes_are_killed_again_and_again() {
    let (fast, jobs) = (RedisServer::start().await, RedisServer::start_durable().await);
    let ports = [(); 3].map(|()| free_port());
    let jobs_url = jobs.url();
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", jobs_url.as_str())];
    let start = |port: u16| Node::start_at(port, &fast.url(), &settings);
    let mut nodes = ports.map(start);
    for node in &nodes {
        node.wait_for_nodes(3).await;
    }
    let kills = if is_full_run() { 50 } else { KILLS };
    let (stop, first) = (AtomicBool::new(false), AtomicUsize::new(0));
    let client = || Client::new(&ports, first.fetch_add(1, Ordering::Relaxed));
    let clients = [(); 4].map(|()| client());
    let accepted = RefCell::default();
    let kill = async {
        for number in 0..kills {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            let node = &mut nodes[number % 3];
            node.kill();
            tokio::time::sleep(Duration::from_millis(300)).await;
            *node = start(ports[number % 3]);
        }
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        stop.store(true, Ordering::Relaxed);
    };
    let fen = "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6";
    let ((), resumed, answers, (mut shown, unfinished), ()) = tokio::join!(
        submit(&clients[0], &accepted, &stop),
        analyse(&clients[1], fen, &stop),
        ask(&clients[2], &stop),
        watch(&clients[3], &accepted, &stop),
        kill
    );
    let accepted = accepted.into_inner();
    println!(
        "{kills} kills: {} jobs, seen {unfinished} times with some findings, {answers} answers, \
         {resumed} streams",
        accepted.len()
    );
    assert!(accepted.len() >= kills && unfinished >= kills);
    assert!(answers >= kills && resumed > kills / 6);
    let distinct: HashSet<&String> = accepted.iter().collect();
    assert_eq!(distinct.len(), accepted.len());
    let started = Instant::now();
    for path in &accepted {
        let mut job = Value::Null;
        while job["status"] != "done" {
            assert!(started.elapsed() < 4 * LONG, "the jobs end");
            job = look(&clients[3], path, &mut shown).await.unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_complete(&job, 1, 10);
    }
}
