//! Leased searches: equal ones of several nodes run on one of them, and go on when it is lost.

use std::time::{Duration, Instant};

use redis::{AsyncTypedCommands, cmd};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::lending::{assert_rising, is_busy, start_here, start_nodes};
use crate::node::{Node, RunningAnalysis};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// A position that no other test has searched.
const FEN: &str = "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6";

fn endless() -> Value {
    json!({ "fen": FEN, "infinite": true })
}

/// Waits until an analysis has several more updates.
async fn wait_for_updates(analysis: &RunningAnalysis) {
    let before = analysis.depths().len();
    until("it goes on", LONG, async || analysis.depths().len() > before).await;
}

/// An endless analysis on the first node, and equal ones on the others, which follow it.
async fn start_equal(nodes: &[Node]) -> Vec<RunningAnalysis> {
    let mut running = vec![start_here(&nodes[0], &endless()).await];
    for node in &nodes[1..] {
        running.push(node.start_analysis(&endless()).await);
    }
    for analysis in &running {
        until("it has updates", LONG, async || analysis.depths().len() >= 3).await;
    }
    for node in &nodes[1..] {
        assert!(!is_busy(node).await, "the first node searches for all");
    }
    running
}

#[tokio::test]
async fn equal_questions_to_all_nodes_are_one_search() {
    let server = RedisServer::start().await;
    let nodes = start_nodes::<3>(&server).await;
    let body = json!({ "fen": FEN, "nodes": 3_000_000 });
    let mut questions = JoinSet::new();
    for number in 0..60 {
        questions.spawn(nodes[number % 3].ask_best_move(&body));
    }
    let answers = questions.join_all().await;
    for answer in &answers {
        for member in ["best_move", "score", "pv", "depth", "nodes"] {
            assert_eq!(answer[member], answers[0][member], "{member}");
        }
    }
    let (mut searches, mut searched) = (0.0, 0.0);
    for node in &nodes {
        searches += node.metric("kibitzer_searches_total").await;
        searched += node.metric("kibitzer_search_nodes_total").await;
    }
    assert_eq!(searches, 1.0);
    assert_eq!(Some(searched as u64), answers[0]["nodes"].as_u64());
}

#[tokio::test]
async fn an_analysis_goes_on_for_the_other_nodes_when_its_client_leaves() {
    let server = RedisServer::start().await;
    let nodes = start_nodes::<2>(&server).await;
    let mut running = start_equal(&nodes).await;
    drop(running.remove(0));
    wait_for_updates(&running[0]).await;
    assert!(is_busy(&nodes[0]).await && !is_busy(&nodes[1]).await);
    drop(running);
    let freed = until("its worker is free", LONG, async || !is_busy(&nodes[0]).await).await;
    assert!(freed < Duration::from_secs(1), "{freed:?}");
}

#[tokio::test]
async fn one_of_the_other_nodes_goes_on_when_one_is_killed() {
    let server = RedisServer::start().await;
    let mut nodes = start_nodes::<3>(&server).await;
    let running = start_equal(&nodes).await;
    nodes[0].kill();
    let killed = Instant::now();
    until("another node searches", LONG, async || {
        is_busy(&nodes[1]).await || is_busy(&nodes[2]).await
    })
    .await;
    assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
    for analysis in &running[1..] {
        wait_for_updates(analysis).await;
        assert_rising(&analysis.depths());
    }
    let busy = [is_busy(&nodes[1]).await, is_busy(&nodes[2]).await];
    assert_ne!(busy, [true, true], "the third one follows the second");
}

#[tokio::test]
async fn another_node_goes_on_at_once_when_one_shuts_down() {
    let server = RedisServer::start().await;
    let mut nodes = start_nodes::<2>(&server).await;
    let running = start_equal(&nodes).await;
    nodes[0].terminate();
    let gap = until("the other one searches", LONG, async || is_busy(&nodes[1]).await).await;
    assert!(gap < Duration::from_secs(1), "{gap:?}: it is told");
    wait_for_updates(&running[1]).await;
    assert_rising(&running[1].depths());
}

#[tokio::test]
async fn a_client_of_a_killed_node_goes_on_from_where_it_was_on_another() {
    let server = RedisServer::start().await;
    let mut nodes = start_nodes::<2>(&server).await;
    let lost = nodes[0].start_analysis(&endless()).await;
    until("it is deep", LONG, async || lost.depths().last().is_some_and(|&depth| depth >= 16))
        .await;
    let depth = *lost.depths().last().unwrap();
    // It may be on its way to the server, as one that ends meanwhile.
    tokio::time::sleep(Duration::from_millis(500)).await;
    nodes[0].kill();
    let resumed = nodes[1].start_analysis(&endless()).await;
    let gap = until("it is resumed", LONG, async || !resumed.depths().is_empty()).await;
    assert!(gap < Duration::from_secs(5), "{gap:?}");
    assert!(resumed.depths()[0] >= depth, "{:?} after {depth}", resumed.depths());
    wait_for_updates(&resumed).await;
    assert_rising(&resumed.depths());
}

#[tokio::test]
async fn without_the_server_each_node_goes_on_alone() {
    let mut server = RedisServer::start().await;
    let nodes = start_nodes::<2>(&server).await;
    let running = start_equal(&nodes).await;
    server.kill();
    until("both search", LONG, async || is_busy(&nodes[0]).await && is_busy(&nodes[1]).await).await;
    for analysis in &running {
        wait_for_updates(analysis).await;
        assert_rising(&analysis.depths());
    }
}

/// Runs an endless analysis until its search runs here.
async fn search_here(node: &Node) {
    let analysis = start_here(node, &endless()).await;
    drop(analysis);
    until("it has ended", LONG, async || !is_busy(node).await).await;
    // The node keeps what it knows of an ended search for 100 ms.
    tokio::time::sleep(Duration::from_millis(200)).await;
}

#[tokio::test]
async fn leases_of_no_node_and_of_other_types_are_ignored() {
    let server = RedisServer::start().await;
    let nodes = start_nodes::<2>(&server).await;
    let mut connection = server.connect().await;
    let running = nodes[0].start_analysis(&endless()).await;
    let mut keys: Vec<Vec<u8>> = Vec::new();
    until("its lease is there", LONG, async || {
        keys = cmd("KEYS").arg("k1:f:*").query_async(&mut connection).await.unwrap();
        !keys.is_empty()
    })
    .await;
    drop(running);
    let lease = keys.remove(0);
    until("it ends", LONG, async || !connection.exists(&lease).await.unwrap()).await;
    let values = [&b""[..], b"a", b"a-0000000 1", &[0xff; 100], b"a-00000001", b"a-00000001 1"];
    for value in values {
        connection.set(&lease, value).await.unwrap();
        search_here(&nodes[0]).await;
    }
    connection.del(&lease).await.unwrap();
    cmd("RPUSH").arg(&lease).arg("a").exec_async(&mut connection).await.unwrap();
    search_here(&nodes[0]).await;
}

#[tokio::test]
async fn a_node_that_hangs_loses_its_search_to_another_and_comes_back() {
    let server = RedisServer::start().await;
    let nodes = start_nodes::<2>(&server).await;
    let running = start_equal(&nodes).await;
    nodes[0].signal("-STOP");
    let taken = until("the other one searches", LONG, async || is_busy(&nodes[1]).await).await;
    assert!(taken > Duration::from_secs(2), "{taken:?}: its lease was renewed before");
    wait_for_updates(&running[1]).await;
    nodes[0].signal("-CONT");
    for analysis in &running {
        wait_for_updates(analysis).await;
        assert_rising(&analysis.depths());
    }
}
