//! The jobs' server ends, hangs, or refuses writes.

use redis::cmd;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::findings::{ShownFindings, assert_complete};
use crate::jobs::{GAME, Servers};
use crate::node::Node;
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// Checks that a response says that the jobs are missing, and when to ask again.
async fn assert_not_ready(response: Response) {
    assert_eq!(response.status(), 503);
    let retry_after = response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
    assert!((1..=60).contains(&retry_after), "{retry_after} s");
    let problem: Value = response.json().await.unwrap();
    assert_eq!((&problem["code"], &problem["reasons"]), (&json!("not_ready"), &json!(["jobs"])));
}

/// Checks that a node answers for no jobs, and goes on with all else. It also asks for the deletion
/// of a job, which may happen when the server goes on.
async fn assert_goes_on_without_jobs(node: &Node, path: &str, deleted: &str) {
    let live = json!({ "fen": "startpos", "nodes": 20_000, "fresh": true });
    let (answer, submitted, read, deletion) = tokio::join!(
        node.best_move_of(&live),
        node.send_games(GAME, 1_000),
        node.send(Method::GET, path),
        node.send(Method::DELETE, deleted),
    );
    assert_eq!(answer["source"], "search");
    for response in [submitted, read, deletion] {
        assert_not_ready(response).await;
    }
    until("it says so", LONG, async || node.degraded().await == json!(["jobs"])).await;
}

/// Checks that both nodes have the jobs again, and one finding for each half-move.
async fn assert_complete_again(nodes: [&Node; 2], path: &str, mut shown: ShownFindings) {
    for node in nodes {
        node.wait_until_degraded(false).await;
        let done = node.wait_for_job(path).await;
        shown.note(path, &done);
        assert_complete(&done, 2, 10);
    }
    nodes[1].wait_for_job(&nodes[1].accept(GAME, 1_000).await).await;
}

/// What a job shows now.
async fn shown_by(node: &Node, path: &str) -> ShownFindings {
    let mut shown = ShownFindings::default();
    shown.note(path, &node.get_json(path).await);
    shown
}

#[tokio::test]
async fn without_the_jobs_server_job_routes_answer_503_and_nothing_is_lost() {
    let mut servers = Servers::start().await;
    let (first, second, path) = servers.start_running_job().await;
    let other = second.accept(GAME, 1_000).await;
    let shown = shown_by(&second, &path).await;
    servers.jobs.kill();
    tokio::join!(
        assert_goes_on_without_jobs(&first, &path, &other),
        assert_goes_on_without_jobs(&second, &path, &other)
    );
    servers.jobs.restart().await;
    assert_complete_again([&first, &second], &path, shown).await;
}

#[tokio::test]
async fn a_jobs_server_that_hangs_is_like_one_that_is_gone() {
    let servers = Servers::start().await;
    let (first, second, path) = servers.start_running_job().await;
    let other = second.accept(GAME, 1_000).await;
    let shown = shown_by(&second, &path).await;
    servers.jobs.freeze();
    tokio::join!(
        assert_goes_on_without_jobs(&first, &path, &other),
        assert_goes_on_without_jobs(&second, &path, &other)
    );
    servers.jobs.thaw();
    assert_complete_again([&first, &second], &path, shown).await;
}

/// Sets the memory of a server that evicts nothing.
async fn set_memory(server: &RedisServer, bytes: &str) {
    let settings = ["SET", "maxmemory", bytes, "maxmemory-policy", "noeviction"];
    cmd("CONFIG").arg(&settings).exec_async(&mut server.connect().await).await.unwrap();
}

#[tokio::test]
async fn a_full_jobs_server_takes_no_jobs_and_loses_none() {
    let servers = Servers::start().await;
    let (first, second, path) = servers.start_running_job().await;
    let mut shown = shown_by(&second, &path).await;
    set_memory(&servers.jobs, "100kb").await;
    for node in [&first, &second] {
        assert_not_ready(node.send_games(GAME, 1_000).await).await;
        until("it says so", LONG, async || node.degraded().await == json!(["jobs"])).await;
        let answer = node.best_move("startpos", 8).await;
        assert!(answer["best_move"].is_string(), "{answer}");
        shown.note(&path, &node.get_json(&path).await);
        let connections = node.logged("connected to the jobs' server").len();
        assert_eq!(connections, 1, "a refusal needs no other connection");
    }
    set_memory(&servers.jobs, "64mb").await;
    assert_complete_again([&first, &second], &path, shown).await;
}

#[tokio::test]
async fn a_jobs_server_that_may_drop_jobs_is_not_used_while_a_node_runs() {
    let servers = Servers::start().await;
    let node = servers.node();
    let path = node.accept(GAME, 1_000).await;
    node.wait_for_job(&path).await;
    let mut connection = servers.jobs.connect().await;
    let mut set_policy = async |policy: &str| {
        let settings = ["SET", "maxmemory-policy", policy];
        cmd("CONFIG").arg(&settings).exec_async(&mut connection).await?;
        cmd("CLIENT").arg(&["KILL", "TYPE", "normal"]).exec_async(&mut connection).await
    };
    set_policy("allkeys-lru").await.unwrap();
    until("it says so", LONG, async || node.degraded().await == json!(["jobs"])).await;
    assert_not_ready(node.send_games(GAME, 1_000).await).await;
    assert_not_ready(node.send(Method::GET, &path).await).await;
    set_policy("volatile-lfu").await.unwrap();
    node.wait_until_degraded(false).await;
    assert_eq!(node.get_json(&path).await["status"], "done");
}

#[tokio::test]
async fn without_its_replica_the_jobs_server_takes_no_changes_and_answers_reads() {
    let servers = Servers::start().await;
    let primary = servers.jobs.address().replace(':', " ");
    let mut replica = RedisServer::start_with(&["--replicaof", &primary]).await;
    let jobs_url = servers.jobs.url();
    let settings =
        [("KIBITZER__CLUSTER__JOBS_URL", &jobs_url[..]), ("KIBITZER__CLUSTER__REPLICAS", "1")];
    let node = Node::start(&servers.fast.url(), &settings);
    let mut accepted = Vec::new();
    for _ in 0..2 {
        until("the replica follows", LONG, async || {
            let (status, job) = node.submit(GAME, 1_000, None).await;
            accepted.extend((status == 202).then(|| job["id"].as_str().unwrap().to_owned()));
            status == 202
        })
        .await;
    }
    let [kept, deleted] = [0, 1].map(|number| format!("/v1/games/{}", accepted[number]));
    let done = node.wait_for_job(&kept).await;
    replica.kill();
    // The first deletion may have been carried out, but the answer must wait until it is durable.
    let (submission, deletion, again) = tokio::join!(
        node.send_games(GAME, 1_000),
        node.send(Method::DELETE, &deleted),
        node.send(Method::DELETE, &deleted)
    );
    for response in [submission, deletion, again] {
        assert_not_ready(response).await;
    }
    assert_eq!(node.degraded().await, json!(["jobs"]));
    assert_eq!(node.get_json(&kept).await, done);
    node.best_move("startpos", 8).await;
    replica.restart().await;
    node.wait_until_degraded(false).await;
    assert_eq!(node.send(Method::DELETE, &deleted).await.status(), 204);
    assert_eq!(node.send(Method::GET, &deleted).await.status(), 410);
    assert_eq!(node.get_json(&kept).await, done);
}
