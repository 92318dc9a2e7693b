//! Lending: searches that wait on one node run on another.

use std::time::{Duration, Instant};

use redis::{AsyncTypedCommands, cmd};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::node::{Node, RunningAnalysis};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

const BUSY: &str = "kibitzer_workers_busy";

/// Positions of no common search.
pub(crate) const FENS: [&str; 4] = [
    "startpos",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "rnbqkb1r/pp1ppppp/5n2/2p5/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq - 2 3",
    "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
];

pub(crate) fn endless(fen: &str) -> Value {
    json!({ "fen": fen, "infinite": true })
}

pub(crate) async fn is_busy(node: &Node) -> bool {
    node.metric(BUSY).await == 1.0
}

/// Nodes of one worker each that know each other.
pub(crate) async fn start_nodes<const N: usize>(server: &RedisServer) -> [Node; N] {
    let nodes = [(); N].map(|()| Node::start(&server.url(), &[]));
    for node in &nodes {
        node.wait_for_nodes(N as u64).await;
    }
    nodes
}

/// Starts an endless analysis that runs on this node. On a busy machine it may wait so long that
/// another node takes it: then it is started again.
pub(crate) async fn start_here(node: &Node, body: &Value) -> RunningAnalysis {
    for _ in 0..10 {
        let analysis = node.start_analysis(body).await;
        let is_here = until("it runs here", LONG, async || is_busy(node).await);
        if timeout(Duration::from_secs(3), is_here).await.is_ok() {
            return analysis;
        }
    }
    panic!("no search runs where it was asked for");
}

/// Keeps the worker of a node busy.
pub(crate) async fn fill(node: &Node) -> RunningAnalysis {
    start_here(node, &endless(FENS[0])).await
}

/// Fills the worker of a node, and starts an endless analysis that another one must run.
async fn lend(node: &Node, others: &[&Node]) -> (RunningAnalysis, RunningAnalysis) {
    let own = fill(node).await;
    let lent = node.start_analysis(&endless(FENS[1])).await;
    until("another node is busy", LONG, async || {
        let mut busy = 0;
        for other in others {
            busy += u8::from(is_busy(other).await);
        }
        busy == 1
    })
    .await;
    until("its updates arrive", LONG, async || lent.depths().len() >= 3).await;
    (own, lent)
}

pub(crate) fn assert_rising(depths: &[u64]) {
    assert!(depths.is_sorted_by(|earlier, later| earlier < later), "{depths:?}");
}

#[tokio::test]
async fn a_search_that_waits_runs_on_another_node() {
    let server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    let (own, lent) = lend(&first, &[&second]).await;
    // Both go on, and neither takes turns with the other on the first node.
    let (before, own_before) = (lent.depths().len(), own.depths().len());
    until("both go on", LONG, async || {
        lent.depths().len() > before && own.depths().len() > own_before
    })
    .await;
    assert_rising(&lent.depths());
    drop(lent);
    let freed = until("the other worker is free", LONG, async || !is_busy(&second).await).await;
    assert!(freed < Duration::from_secs(1), "{freed:?}");
    assert!(is_busy(&first).await);
}

#[tokio::test]
async fn answers_of_lent_searches_are_as_complete_as_others() {
    let server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    let _own = fill(&first).await;
    let body = json!({ "fen": FENS[2], "nodes": 200_000 });
    let lent = first.best_move_of(&body).await;
    assert_eq!((&lent["reason"], &lent["source"]), (&json!("nodes"), &json!("search")), "{lent}");
    assert!(lent["nodes"].as_u64().unwrap() >= 190_000, "{lent}");
    assert_eq!(second.metric("kibitzer_searches_total").await, 1.0);
    let again = first.best_move_of(&body).await;
    assert_eq!(again["memory"], "hit");
    for member in ["best_move", "score", "pv", "depth", "seldepth", "nodes"] {
        assert_eq!(again[member], lent[member], "{member}");
    }
}

#[tokio::test]
async fn a_replaced_request_frees_the_worker_of_the_other_node() {
    let server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    let _own = fill(&first).await;
    let in_session = |fen: &str| json!({ "fen": fen, "infinite": true, "session": "board" });
    let older = first.start_analysis(&in_session(FENS[1])).await;
    until("it is lent", LONG, async || is_busy(&second).await && !older.depths().is_empty()).await;
    let newer = first.start_analysis(&in_session(FENS[2])).await;
    assert_eq!(older.end().await["reason"], "replaced");
    until("the newer one is lent", LONG, async || !newer.depths().is_empty()).await;
}

#[tokio::test]
async fn a_lost_helper_costs_no_answer_and_no_depth() {
    let server = RedisServer::start().await;
    let [first, mut second] = start_nodes(&server).await;
    let (own, lent) = lend(&first, &[&second]).await;
    second.kill();
    drop(own);
    let before = lent.depths().len();
    let gap = until("it goes on here", LONG, async || lent.depths().len() > before).await;
    assert!(gap < Duration::from_secs(8), "{gap:?}");
    assert_rising(&lent.depths());
    assert!(!lent.has_ended());
}

#[tokio::test]
async fn a_third_node_takes_over_from_one_that_hangs() {
    let server = RedisServer::start().await;
    let [first, second, third] = start_nodes(&server).await;
    let (_own, lent) = lend(&first, &[&second, &third]).await;
    let (hanging, idle) =
        if is_busy(&second).await { (&second, &third) } else { (&third, &second) };
    hanging.signal("-STOP");
    let taken = until("the other one takes it", LONG, async || is_busy(idle).await).await;
    assert!(taken < Duration::from_millis(4_400), "{taken:?}: before it goes back");
    let before = lent.depths().len();
    until("it goes on", LONG, async || lent.depths().len() > before).await;
    assert_rising(&lent.depths());
    hanging.signal("-CONT");
    // It is told that nobody needs what it searches.
    until("its worker is free", LONG, async || !is_busy(hanging).await).await;
    assert!(is_busy(idle).await && !lent.has_ended());
}

#[tokio::test]
async fn a_helper_that_shuts_down_gives_its_searches_back() {
    let server = RedisServer::start().await;
    let [first, mut second] = start_nodes(&server).await;
    let (own, lent) = lend(&first, &[&second]).await;
    second.terminate();
    drop(own);
    let before = lent.depths().len();
    let gap = until("it goes on here", LONG, async || lent.depths().len() > before).await;
    assert!(gap < Duration::from_secs(4), "{gap:?}: it is told at once");
    assert_rising(&lent.depths());
}

#[tokio::test]
async fn the_worker_of_a_lost_lender_is_free_within_seconds() {
    let server = RedisServer::start().await;
    let [mut first, second] = start_nodes(&server).await;
    let running = lend(&first, &[&second]).await;
    first.kill();
    let killed = Instant::now();
    until("the other worker is free", LONG, async || !is_busy(&second).await).await;
    assert!(killed.elapsed() < Duration::from_secs(6), "{:?}", killed.elapsed());
    drop(running);
}

#[tokio::test]
async fn without_the_server_lent_searches_go_on_where_they_came_from() {
    let mut server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    let (own, lent) = lend(&first, &[&second]).await;
    server.kill();
    drop(own);
    let before = lent.depths().len();
    until("it goes on here", LONG, async || lent.depths().len() > before).await;
    assert_rising(&lent.depths());
    until("the other worker is free", LONG, async || !is_busy(&second).await).await;
}

#[tokio::test]
async fn offers_and_messages_that_make_no_sense_are_ignored() {
    let server = RedisServer::start().await;
    let [first, second] = start_nodes(&server).await;
    let mut connection = server.connect().await;
    let streams = connection.keys("k1:w:*").await.unwrap();
    assert_eq!(streams.len(), 2);
    for stream in &streams {
        for search in [&b""[..], b"\x01", b"\x02\x00", &[1; 40], &[0xff; 5_000]] {
            cmd("XADD")
                .arg(stream)
                .arg("*")
                .arg("search")
                .arg(search)
                .exec_async(&mut connection)
                .await
                .unwrap();
        }
        let two_fields = ["*", "search", "a", "more", "b"];
        cmd("XADD").arg(stream).arg(&two_fields).exec_async(&mut connection).await.unwrap();
    }
    for stream in &streams {
        until("they are removed", LONG, async || {
            let length: u64 = cmd("XLEN").arg(stream).query_async(&mut connection).await.unwrap();
            length == 0
        })
        .await;
    }
    let channels: Vec<String> =
        cmd("PUBSUB").arg("CHANNELS").arg("k1:to:*").query_async(&mut connection).await.unwrap();
    assert_eq!(channels.len(), 2);
    for channel in channels {
        for message in [&b""[..], b"\x01\x01", &[1; 100], &[0; 100_000]] {
            cmd("PUBLISH").arg(&channel).arg(message).exec_async(&mut connection).await.unwrap();
        }
    }
    let (_own, lent) = lend(&first, &[&second]).await;
    assert_rising(&lent.depths());
}

#[tokio::test]
async fn one_job_and_one_batch_use_the_workers_of_all_nodes() {
    let server = RedisServer::start().await;
    let nodes = start_nodes::<3>(&server).await;
    let job = nodes[0].accept(&"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n".repeat(8), 60_000).await;
    until("all are busy with the job", LONG, async || {
        let mut busy = true;
        for node in &nodes {
            busy &= is_busy(node).await;
        }
        busy
    })
    .await;
    assert_eq!(nodes[0].ask(reqwest::Method::DELETE, &job).await.0, 204);
    let lines: Vec<String> = (0..60)
        .map(|number| json!({ "fen": FENS[number % 4], "nodes": 30_000 + number }).to_string())
        .collect();
    let batch = nodes[1].start_batch(lines.join("\n")).await;
    until("all are busy with the batch", LONG, async || {
        let mut busy = true;
        for node in &nodes {
            busy &= is_busy(node).await;
        }
        busy
    })
    .await;
    let end = batch.end().await;
    assert_eq!((&end["reason"], &end["answered"]), (&json!("done"), &json!(60)));
}
