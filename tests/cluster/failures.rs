//! A server that ends, hangs and comes back.

use std::time::Duration;

use redis::cmd;
use serde_json::json;

use crate::lending::{FENS, endless, fill, start_nodes};
use crate::node::Node;
use crate::proxy::{Fault, Proxy};
use crate::redis_server::{RedisServer, free_port};
use crate::wait::{LONG, until};

#[tokio::test]
async fn without_the_server_a_node_goes_on_alone_and_joins_again() {
    let mut server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    server.kill();
    for node in [&first, &second] {
        node.wait_until_degraded(true).await;
        assert_eq!(node.nodes().await, 1);
        assert_eq!(node.metric("kibitzer_ready").await, 1.0);
        assert_eq!(node.metric("kibitzer_cluster_unreachable").await, 1.0);
        node.best_move("startpos", 8).await;
    }
    server.restart().await;
    for node in [&first, &second] {
        node.wait_until_degraded(false).await;
        node.wait_for_nodes(2).await;
    }
    let lost = "the cluster's server cannot be used; this node works alone and keeps trying";
    assert!(!first.logged(lost).is_empty());
    until("the return is logged", LONG, async || first.logged("in the cluster").len() >= 2).await;
}

#[tokio::test]
async fn a_server_that_hangs_delays_a_few_requests_by_milliseconds() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    server.freeze();
    let late = "kibitzer_cluster_cache_reads_total{outcome=\"late\"}";
    let skipped = "kibitzer_cluster_cache_reads_total{outcome=\"skipped\"}";
    // 48 positions, each of which the node would read once.
    for file in 0..8 {
        for rank in 2..8 {
            node.best_move(&with_pawn(file, rank), 1).await;
        }
    }
    let (late, skipped) = (node.metric(late).await, node.metric(skipped).await);
    assert_eq!(late + skipped, 48.0);
    assert!(late >= 1.0 && skipped >= 30.0, "{late} late reads, {skipped} skipped ones");
    node.wait_until_degraded(true).await;
    server.thaw();
    node.wait_until_degraded(false).await;
    let answered = "kibitzer_cluster_cache_reads_total{outcome=\"answered\"}";
    let before = node.metric(answered).await;
    let mut squares = (0..8).flat_map(|file| (2..8).map(move |rank| (file, rank)));
    until("the cache is read again", LONG, async || {
        // A deeper search than before, so that the node's own memory does not answer.
        let (file, rank) = squares.next().unwrap();
        node.best_move(&with_pawn(file, rank), 8).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        node.metric(answered).await > before
    })
    .await;
}

/// White's king on e1 and a pawn, Black's king in the corner that is farther from the pawn.
fn with_pawn(file: usize, rank: usize) -> String {
    let king = if file < 4 { "7k" } else { "k7" };
    let row = |row: usize| {
        let is_pawn = |column: usize| row == rank && column == file;
        (0..8).map(|column| if is_pawn(column) { 'P' } else { '1' }).collect()
    };
    let rows: Vec<String> = (2..8).rev().map(row).collect();
    format!("{king}/{}/4K3 w - - 0 1", rows.join("/"))
}

#[tokio::test]
async fn a_node_starts_without_the_server_and_joins_when_it_comes() {
    let port = free_port();
    let node = Node::start(&format!("redis://127.0.0.1:{port}"), &[]);
    assert!(node.is_degraded().await);
    assert_eq!(node.best_move("startpos", 4).await["depth"], 4);
    let _server = RedisServer::start_at(port, &[]).await;
    node.wait_until_degraded(false).await;
    assert_eq!(node.nodes().await, 1);
}

#[tokio::test]
async fn a_connection_that_is_cut_off_without_a_word_is_replaced() {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.address());
    let node = Node::start_named(&proxy.url(), "a", 1).await;
    proxy.set(Fault::Swallow);
    node.wait_until_degraded(true).await;
    node.best_move("startpos", 8).await;
    // The old connections stay dead: only new ones can be used.
    proxy.set(Fault::None);
    node.wait_until_degraded(false).await;
    let other = Node::start_named(&server.url(), "b", 2).await;
    let body = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    let older = node.start_analysis(&body).await;
    // The node notices within seconds that its subscription is dead.
    until("a newer request ends the older one", LONG, async || {
        let _newer = other.start_analysis(&body).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        older.has_ended()
    })
    .await;
    assert_eq!(older.end().await["reason"], "replaced");
}

#[tokio::test]
async fn answers_that_are_cut_in_the_middle_are_not_used() {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.address());
    let other = Node::start_named(&server.url(), "a", 1).await;
    other.best_move("startpos", 14).await;
    let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
    until("the analysis is shared", LONG, async || other.metric(written).await > 0.0).await;
    let node = Node::start_named(&proxy.url(), "b", 2).await;
    proxy.set(Fault::Cut);
    assert_eq!(node.best_move("startpos", 14).await["source"], "search");
    node.wait_until_degraded(true).await;
    proxy.set(Fault::None);
    node.wait_until_degraded(false).await;
}

#[tokio::test]
async fn a_password_that_changes_while_a_node_runs_is_logged_and_not_printed() {
    let server = RedisServer::start_with(&["--requirepass", "old-secret"]).await;
    let url = server.url().replace("//", "//:old-secret@");
    let node = Node::start_named(&url, "a", 1).await;
    let client = redis::Client::open(url).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let mut set_password = async |password: &str| {
        cmd("CONFIG").arg(&["SET", "requirepass", password]).exec_async(&mut connection).await?;
        cmd("CLIENT").arg(&["KILL", "TYPE", "normal"]).exec_async(&mut connection).await
    };
    set_password("new-secret").await.unwrap();
    node.wait_until_degraded(true).await;
    let lost = "the cluster's server cannot be used; this node works alone and keeps trying";
    until("the reason is logged", LONG, async || {
        let reason = "Password authentication failed";
        let logged = node.logged(lost);
        logged.iter().any(|event| event["error"].as_str().unwrap().contains(reason))
    })
    .await;
    node.best_move("startpos", 8).await;
    assert!(node.logged_with("secret").is_empty());
    set_password("old-secret").await.unwrap();
    node.wait_until_degraded(false).await;
}

#[tokio::test]
async fn what_nodes_find_after_the_server_has_lost_its_data_is_shared() {
    let server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    first.best_move("startpos", 14).await;
    first.wait_until_shared().await;
    cmd("FLUSHALL").exec_async(&mut server.connect().await).await.unwrap();
    let (_third, answer) = Node::start_and_ask(&server.url(), "startpos", 14).await;
    assert_eq!(answer["memory"], "unknown", "it is lost");
    second.best_move(FENS[1], 14).await;
    second.wait_until_shared().await;
    let (_fourth, answer) = Node::start_and_ask(&server.url(), FENS[1], 14).await;
    assert_eq!(answer["memory"], "hit");
    for node in [&first, &second] {
        node.wait_for_nodes(4).await;
    }
    let _own = fill(&first).await;
    let lent = first.start_analysis(&endless(FENS[2])).await;
    until("another node searches", LONG, async || !lent.depths().is_empty()).await;
    assert!(first.metric("kibitzer_cluster_searches_total{role=\"lent\"}").await >= 1.0);
}
