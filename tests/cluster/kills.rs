//! Nodes that are killed again and again under load: no accepted job and no shown finding is lost,
//! and the depth of a resumed analysis does not fall.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;
use crate::jobs::{GAME, moves};
use crate::node::Node;
use crate::redis_server::{RedisServer, free_port};
use crate::wait::LONG;

/// Kills of nodes; 50 with `KIBITZER_FULL=1`.
const KILLS: usize = 6;

/// What was shown so long before the end of a connection is on the server.
const SETTLED: Duration = Duration::from_millis(500);

/// The record of the clients.
#[derive(Debug, Default)]
struct Record {
    accepted: Vec<String>,
    resumed: usize,
    /// Findings that were shown, by job and half-move.
    shown: HashMap<(String, u64), Value>,
    answers: usize,
}

/// Submits jobs until `stop`, each until it is accepted.
async fn submit(client: &Client, stop: &AtomicBool) -> Vec<String> {
    let mut accepted = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let key = format!("job-{}", accepted.len());
        loop {
            match client.submit(GAME, 5_000, &key).await {
                Some((202, job)) => {
                    accepted.push(job["id"].as_str().unwrap().to_owned());
                    break;
                }
                Some((503, _)) => tokio::time::sleep(Duration::from_millis(50)).await,
                None => client.next(),
                Some((status, answer)) => panic!("{status}: {answer}"),
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    accepted
}

/// Notes the findings of jobs that are shown, and that none changes.
async fn watch_jobs(client: &Client, jobs: &[String], shown: &mut HashMap<(String, u64), Value>) {
    for id in jobs {
        let Some((200, job)) = client.ask(Method::GET, &format!("/v1/games/{id}")).await else {
            client.next();
            continue;
        };
        for finding in moves(&job) {
            let ply = finding["ply"].as_u64().unwrap();
            let before = shown.entry((id.clone(), ply)).or_insert_with(|| finding.clone());
            assert_eq!(before, finding, "a finding that was shown has changed");
        }
    }
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
    let kills = if std::env::var_os("KIBITZER_FULL").is_some() { 50 } else { KILLS };
    let (stop, first) = (AtomicBool::new(false), AtomicUsize::new(0));
    let client = || Client::new(&ports, first.fetch_add(1, Ordering::Relaxed));
    let clients = [(); 4].map(|()| client());
    let mut record = Record::default();
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
    (record.accepted, record.resumed, record.answers, ()) = tokio::join!(
        submit(&clients[0], &stop),
        analyse(&clients[1], fen, &stop),
        ask(&clients[2], &stop),
        kill
    );
    let Record { accepted, mut shown, resumed, answers } = record;
    watch_jobs(&clients[3], &accepted, &mut shown).await;
    println!("{kills} kills: {} jobs, {answers} answers, {resumed} streams", accepted.len());
    assert!(accepted.len() >= kills && answers >= kills && resumed > kills / 6);
    let distinct: HashSet<&String> = accepted.iter().collect();
    assert_eq!(distinct.len(), accepted.len());
    let started = Instant::now();
    for id in &accepted {
        let path = format!("/v1/games/{id}");
        let mut job = Value::Null;
        while job["status"] != "done" {
            assert!(started.elapsed() < 4 * LONG, "the jobs end");
            if let Some((200, answer)) = clients[3].ask(Method::GET, &path).await {
                job = answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let plies: Vec<u64> =
            moves(&job).iter().map(|finding| finding["ply"].as_u64().unwrap()).collect();
        assert_eq!(plies, (1..=10).collect::<Vec<u64>>(), "one finding for each half-move");
        watch_jobs(&clients[3], std::slice::from_ref(id), &mut shown).await;
    }
}
