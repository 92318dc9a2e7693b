//! A server that ends, hangs and comes back.

use std::time::Duration;

use crate::node::Node;
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
    let lost = "the cluster's server cannot be reached; this node goes on alone and keeps trying";
    assert_eq!(first.logged(lost).len(), 1, "a change is logged once");
    assert_eq!(first.logged("in the cluster").len(), 2);
}

#[tokio::test]
async fn a_server_that_hangs_delays_a_few_requests_by_milliseconds() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    server.freeze();
    let missed = "kibitzer_cluster_cache_reads_total{outcome=\"missed\"}";
    let fens = (1..=40).map(|clock| format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {clock}"));
    for (number, fen) in (1..).zip(fens) {
        let fen = fen.replace("4P3", ["4P3", "3P4", "2P5", "1P6"][number % 4]);
        node.best_move(&fen, 1).await;
    }
    assert!(node.metric(missed).await >= 4.0);
    node.wait_until_degraded(true).await;
    server.thaw();
    node.wait_until_degraded(false).await;
    let answered = "kibitzer_cluster_cache_reads_total{outcome=\"answered\"}";
    let before = node.metric(answered).await;
    until("the cache is read again", LONG, async || {
        node.best_move("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", 2).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        node.best_move("8/8/8/4k3/8/8/3P4/4K3 w - - 0 1", 40).await;
        node.metric(answered).await > before
    })
    .await;
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
