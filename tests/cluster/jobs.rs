//! Review jobs: any node answers for any job, and none is lost.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use redis::{AsyncTypedCommands, cmd};
use reqwest::Method;
use serde_json::Value;

use crate::node::Node;
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// A game of ten half-moves.
pub(crate) const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n\n";

/// Nodes of a position whose search takes some tenths of a second.
const SLOW: u64 = 60_000;

/// The servers of a cluster: one for jobs, and one for the rest.
pub(crate) struct Servers {
    pub(crate) fast: RedisServer,
    pub(crate) jobs: RedisServer,
}

impl Servers {
    pub(crate) async fn start() -> Servers {
        Servers { fast: RedisServer::start().await, jobs: RedisServer::start_durable().await }
    }

    pub(crate) fn node(&self) -> Node {
        Node::start(&self.fast.url(), &[("KIBITZER__CLUSTER__JOBS_URL", &self.jobs.url())])
    }

    /// Starts two nodes, of which the first runs a job with this path. It has 20 moves, some of
    /// which are reviewed.
    pub(crate) async fn start_running_job(&self) -> (Node, Node, String) {
        let first = self.node();
        let path = start_job(&first, SLOW).await;
        (first, self.node(), path)
    }
}

/// Starts a job of two games with ten half-moves each, some of which are reviewed. Its searches
/// have so many nodes. Returns its path.
pub(crate) async fn start_job(node: &Node, nodes: u64) -> String {
    let path = node.accept(&GAME.repeat(2), nodes).await;
    until("some moves are reviewed", LONG, async || node.moves_done(&path).await >= 2).await;
    path
}

/// The moves of the first game of a job.
pub(crate) fn moves(job: &Value) -> &Vec<Value> {
    job["games"][0]["moves"].as_array().unwrap()
}

#[tokio::test]
async fn any_node_answers_for_any_job() {
    let servers = Servers::start().await;
    let (first, second) = (servers.node(), servers.node());
    let path = first.accept(GAME, 1_000).await;
    let (status, _) = second.ask(Method::GET, &path).await;
    assert_eq!(status, 200, "known at once");
    let job = second.wait_for_job(&path).await;
    assert_eq!(moves(&job).len(), 10);
    assert_eq!(first.wait_for_job(&path).await, job);
    for suffix in ["/events", "/pgn"] {
        let path = format!("{path}{suffix}");
        assert_eq!(first.get(&path).await, second.get(&path).await);
    }
    assert_eq!(second.ask(Method::DELETE, &path).await.0, 204);
    for node in [&first, &second] {
        assert_eq!(node.ask(Method::GET, &path).await.0, 410);
    }
    let unknown = format!("/v1/games/{}", "0".repeat(32));
    assert_eq!(second.ask(Method::GET, &unknown).await.0, 404);
}

#[tokio::test]
async fn an_idempotency_key_and_the_limits_hold_for_all_nodes() {
    let server = RedisServer::start().await;
    let settings = [("KIBITZER__JOBS__MAX", "2")];
    let nodes = [(); 2].map(|()| Node::start(&server.url(), &settings));
    let (_, first) = nodes[0].submit(GAME, 1_000_000, Some("mine")).await;
    let (status, same) = nodes[1].submit(GAME, 1_000_000, Some("mine")).await;
    assert_eq!((status, &same["id"]), (202, &first["id"]));
    let (status, other) = nodes[1].submit(GAME, 1_000, Some("mine")).await;
    assert_eq!((status, &other["code"]), (409, &"idempotency_conflict".into()));
    for node in &nodes {
        let (status, full) = node.submit(GAME, 1_000_000, None).await;
        assert_eq!((status, &full["code"]), (503, &"queue_full".into()));
    }
}

#[tokio::test]
async fn a_job_of_a_killed_node_goes_on_elsewhere_and_keeps_what_was_shown() {
    let servers = Servers::start().await;
    let (mut first, second, path) = servers.start_running_job().await;
    let shown = second.get_json(&path).await;
    first.kill();
    let killed = Instant::now();
    let before = second.moves_done(&path).await;
    until("it goes on", LONG, async || second.moves_done(&path).await > before).await;
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    let job = second.wait_for_job(&path).await;
    assert_eq!(job["progress"]["moves_done"], 20);
    let (shown, all) = (moves(&shown), moves(&job));
    assert_eq!(shown[..], all[all.len() - shown.len()..], "reviewed from the last move on");
}

#[tokio::test]
async fn a_node_that_hangs_loses_its_claim_and_writes_nothing_more() {
    let servers = Servers::start().await;
    let (first, second, path) = servers.start_running_job().await;
    first.signal("-STOP");
    let before = second.moves_done(&path).await;
    until("it goes on elsewhere", LONG, async || second.moves_done(&path).await > before).await;
    first.signal("-CONT");
    let job = second.wait_for_job(&path).await;
    assert_eq!(job["progress"]["moves_done"], 20);
    assert_eq!(first.wait_for_job(&path).await, job);
    first.wait_for_log("another node runs the job now").await;
}

#[tokio::test]
async fn a_node_that_shuts_down_hands_its_job_over_at_once() {
    let servers = Servers::start().await;
    let (mut first, second, path) = servers.start_running_job().await;
    first.terminate();
    let before = second.moves_done(&path).await;
    let took = until("it goes on", LONG, async || second.moves_done(&path).await > before).await;
    assert!(took < Duration::from_secs(5), "{took:?}: a claim would last longer");
    second.wait_for_job(&path).await;
}

#[tokio::test]
async fn a_node_starts_without_the_jobs_server() {
    let mut servers = Servers::start().await;
    let other = servers.node();
    let path = other.accept(GAME, 1_000).await;
    other.wait_for_job(&path).await;
    servers.jobs.kill();
    let node = servers.node();
    assert_eq!(node.ask(Method::GET, &path).await.0, 503);
    servers.jobs.restart().await;
    node.wait_until_degraded(false).await;
    assert_eq!(node.ask(Method::GET, &path).await.1["status"], "done");
}

#[tokio::test]
async fn damaged_and_newer_values_are_errors_of_their_job_alone() {
    let servers = Servers::start().await;
    let (first, second) = (servers.node(), servers.node());
    let damage = [
        ("record", vec![0xff; 40]),
        ("record", vec![2, 1, 2, 3]),
        ("games", vec![1, 0, 0, 0, 0, 1]),
        ("find", b"x".to_vec()),
        ("done", b"9999999999".to_vec()),
        ("done", b"x".to_vec()),
    ];
    let intact = first.accept(GAME, 1_000).await;
    first.wait_for_job(&intact).await;
    let mut connection = servers.jobs.connect().await;
    for (part, value) in damage {
        let path = first.accept(GAME, 1_000).await;
        first.wait_for_job(&path).await;
        let id = path.rsplit('/').next().unwrap();
        match part {
            "record" | "done" => {
                connection.hset(format!("k1:{{j}}:job:{id}"), part, value).await.map(drop)
            }
            "games" => connection.hset(format!("k1:{{j}}:games:{id}"), 0, value).await.map(drop),
            _ => connection.lset(format!("k1:{{j}}:find:{id}"), 3, value).await.map(drop),
        }
        .unwrap();
        for node in [&first, &second] {
            let (status, problem) = node.ask(Method::GET, &path).await;
            assert_eq!((status, &problem["code"]), (503, &"not_ready".into()), "{part}");
        }
    }
    for node in [&first, &second] {
        assert_eq!(moves(&node.get_json(&intact).await).len(), 10);
    }
    let third = servers.node();
    assert_eq!(moves(&third.get_json(&intact).await).len(), 10);
    third.wait_for_log("ignored a job").await;
}

#[tokio::test]
async fn nodes_agree_again_after_the_jobs_server_has_lost_its_data() {
    let server = RedisServer::start().await;
    let nodes = [(); 2].map(|()| Node::start(&server.url(), &[]));
    let path = nodes[0].accept(GAME, 10_000_000).await;
    assert_eq!(nodes[1].ask(Method::GET, &path).await.0, 200);
    cmd("FLUSHALL").exec_async(&mut server.connect().await).await.unwrap();
    for node in &nodes {
        until("it is unknown", LONG, async || node.ask(Method::GET, &path).await.0 == 404).await;
    }
    let path = nodes[1].accept(GAME, 1_000).await;
    assert_eq!(moves(&nodes[0].wait_for_job(&path).await).len(), 10);
}

/// Submits jobs until `stop`, each until it is accepted. Returns their ids.
pub(crate) async fn submit_until(nodes: &[Node], client: usize, stop: &AtomicBool) -> Vec<String> {
    let mut accepted = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let key = format!("{client}-{}", accepted.len());
        let mut attempt = accepted.len();
        let id = loop {
            let node = &nodes[attempt % nodes.len()];
            attempt += 1;
            let (status, answer) = node.submit(GAME, 1_000, Some(&key)).await;
            match status {
                202 => break answer["id"].as_str().unwrap().to_owned(),
                503 => tokio::time::sleep(Duration::from_millis(50)).await,
                status => panic!("{status}: {answer}"),
            }
        };
        accepted.push(id);
        // So that far fewer are accepted than the server keeps.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    accepted
}

#[tokio::test]
async fn no_accepted_job_is_lost_or_doubled_when_the_jobs_server_is_killed_again_and_again() {
    let mut servers = Servers::start().await;
    let nodes = [servers.node(), servers.node()];
    let stop = AtomicBool::new(false);
    let kill = async {
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_millis(700)).await;
            servers.jobs.restart().await;
        }
        tokio::time::sleep(Duration::from_millis(700)).await;
        stop.store(true, Ordering::Relaxed);
    };
    let (first, second, ()) =
        tokio::join!(submit_until(&nodes, 1, &stop), submit_until(&nodes, 2, &stop), kill);
    let accepted = [first, second].concat();
    assert!(accepted.len() > 20, "{} jobs", accepted.len());
    for id in &accepted {
        let job = nodes[1].wait_for_job(&format!("/v1/games/{id}")).await;
        assert_eq!(moves(&job).len(), 10);
    }
    let stored: Vec<String> = cmd("SMEMBERS")
        .arg("k1:{j}:ids")
        .query_async(&mut servers.jobs.connect().await)
        .await
        .unwrap();
    let (accepted, stored): (HashSet<_>, HashSet<_>) =
        (accepted.into_iter().collect(), stored.into_iter().collect());
    assert_eq!(accepted, stored, "each job is there once");
}
