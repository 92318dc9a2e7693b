//! A server that is far away. Nodes share with it all but what needs a fast answer.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::jobs::{GAME, moves};
use crate::lending::{FENS, endless, fill, is_busy, start_here};
use crate::limits::{TEN_PER_HOUR, limits, redeem, ticket};
use crate::node::{ANSWERED, Node};
use crate::proxy::{Fault, Proxy};
use crate::redis_server::{RedisServer, listeners};
use crate::wait::{LONG, until};

/// More than the 50 ms of docs/cluster.md, which is also how long a node waits for the cache before
/// a long search: on a busy machine it would sometimes have the answer.
const FAR: Duration = Duration::from_millis(80);

/// Reads of the shared cache whose answer came too late.
const LATE: &str = "kibitzer_cluster_cache_reads_total{outcome=\"late\"}";

/// Two nodes with the server so far away.
async fn start_nodes(server: &RedisServer, distance: Duration) -> (Proxy, [Node; 2]) {
    let proxy = Proxy::start(server.address());
    proxy.set(Fault::Delay(distance));
    let nodes = [(); 2].map(|()| Node::start(&proxy.url(), &[]));
    for node in &nodes {
        node.wait_for_nodes(2).await;
    }
    until("both listen", LONG, async || listeners(server).await == 2).await;
    (proxy, nodes)
}

#[tokio::test]
async fn from_far_away_sessions_jobs_and_lent_searches_work() {
    let server = RedisServer::start().await;
    let (_proxy, [first, second]) = start_nodes(&server, FAR).await;
    let in_session = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    for (older_node, newer_node) in [(&first, &second), (&second, &first)] {
        let older = older_node.start_analysis(&in_session).await;
        until("it searches", LONG, async || older.depths().len() >= 3).await;
        let _newer = newer_node.start_analysis(&in_session).await;
        assert_eq!(older.end().await["reason"], "replaced");
    }
    let job = first.accept(GAME, 1_000).await;
    assert_eq!(moves(&second.wait_for_job(&job).await).len(), 10);
    assert_eq!(moves(&first.wait_for_job(&job).await).len(), 10);
    let _own = fill(&first).await;
    let lent = first.start_analysis(&endless(FENS[1])).await;
    until("the other node searches", LONG, async || is_busy(&second).await).await;
    until("its updates arrive", LONG, async || lent.depths().len() >= 3).await;
    // The heartbeats are answered in time.
    assert!(!first.is_degraded().await && !second.is_degraded().await);
}

#[tokio::test]
async fn from_far_away_each_node_searches_what_the_others_have_found() {
    let server = RedisServer::start().await;
    let (_proxy, [first, second]) = start_nodes(&server, FAR).await;
    first.best_move("startpos", 14).await;
    let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
    until("the analysis is shared", LONG, async || first.metric(written).await > 0.0).await;
    assert_eq!(second.best_move("startpos", 14).await["memory"], "unknown");
    assert!(second.metric(LATE).await >= 1.0);
    for node in [&first, &second] {
        assert_eq!(node.metric(ANSWERED).await, 0.0);
    }
    let _running = start_here(&first, &endless(FENS[1])).await;
    let _equal = start_here(&second, &endless(FENS[1])).await;
    assert!(is_busy(&first).await, "both search");
}

#[tokio::test]
async fn from_far_away_each_node_counts_requests_and_redeems_its_own_tickets() {
    let server = RedisServer::start().await;
    let proxy = Proxy::start(server.address());
    proxy.set(Fault::Delay(FAR));
    let nodes = [(); 2].map(|()| Node::start(&proxy.url(), &TEN_PER_HOUR));
    for node in &nodes {
        node.wait_until_degraded(false).await;
    }
    let issued = ticket(&nodes[0]).await;
    assert_eq!((redeem(&nodes[1], &issued).await, redeem(&nodes[0], &issued).await), (401, 200));
    for (node, used) in nodes.iter().zip([2, 1]) {
        for _ in used..10 {
            assert_eq!(limits(node).await.status(), 200);
        }
        assert_eq!(limits(node).await.status(), 429);
    }
}

#[tokio::test]
async fn a_server_that_is_half_a_second_away_delays_no_answer_by_as_much() {
    let server = RedisServer::start().await;
    let distance = Duration::from_millis(500);
    let (_proxy, [first, second]) = start_nodes(&server, distance).await;
    let mut slow = Vec::new();
    for depth in 1..=10 {
        for node in [&first, &second] {
            let started = Instant::now();
            assert_eq!(node.best_move("startpos", depth).await["depth"], depth);
            slow.extend(Some(started.elapsed()).filter(|&took| took >= distance));
        }
    }
    assert!(slow.len() <= 1, "a machine may be busy once: {slow:?} of 20 answers");
    let issued = ticket(&first).await;
    assert_eq!((redeem(&second, &issued).await, redeem(&first, &issued).await), (401, 200));
}
