//! Nodes that differ: in their network, their version, their clock and their store.

use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::jobs::{GAME, moves};
use crate::node::{Node, command};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// Length of the header of a network file, and of the part of it that the hash covers.
const HEADER_BYTES: usize = 64;
const HASHED_BYTES: usize = 32;

/// A network file that differs from the embedded one in its last byte.
fn other_network(folder: &TempDir) -> String {
    let mut bytes = std::fs::read("src/nnue/kibitzer.nnue").unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let (header, payload) = bytes.split_at_mut(HEADER_BYTES);
    let (hashed, hash) = header.split_at_mut(HASHED_BYTES);
    let digest = Sha256::new().chain_update(&*hashed).chain_update(&*payload).finalize();
    hash.copy_from_slice(&digest);
    let file = folder.path().join("other.nnue");
    std::fs::write(&file, bytes).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Checks that nodes of different engines share jobs and sessions, and neither analyses nor searches.
pub(crate) async fn assert_only_jobs_and_sessions_are_shared(first: &Node, second: &Node) {
    for node in [first, second] {
        node.wait_until_degraded(false).await;
        assert_eq!(node.nodes().await, 1, "it searches for itself alone");
    }
    let job = first.accept(GAME, 1_000).await;
    assert_eq!(moves(&second.wait_for_job(&job).await).len(), 10);
    // Neither its analyses nor its running searches are those of the other one.
    let fen = "rnbqkb1r/pp1ppppp/5n2/2p5/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq - 0 3";
    first.best_move(fen, 14).await;
    let answer = second.best_move(fen, 14).await;
    assert_eq!((&answer["memory"], &answer["shared"]), (&json!("unknown"), &json!(false)));
    let endless = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    let older = first.start_analysis(&endless).await;
    until("it searches", LONG, async || older.depths().len() > 3).await;
    let newer = second.start_analysis(&endless).await;
    assert_eq!(older.end().await["reason"], "replaced");
    until("the newer one searches itself", LONG, async || {
        second.metric("kibitzer_workers_busy").await == 1.0
    })
    .await;
    drop(newer);
    // A search that waits on one is not offered to the other.
    let _own = first.start_analysis(&json!({ "fen": "startpos", "infinite": true })).await;
    let waiting = json!({ "fen": "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "infinite": true });
    let _waiting = first.start_analysis(&waiting).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(second.metric("kibitzer_workers_busy").await, 0.0);
}

#[tokio::test]
async fn nodes_with_different_networks_share_jobs_and_sessions_but_no_searches() {
    let server = RedisServer::start_durable().await;
    let folder = tempfile::tempdir().unwrap();
    let network = other_network(&folder);
    let first = Node::start(&server.url(), &[]);
    let second = Node::start(&server.url(), &[("KIBITZER__SEARCH__NETWORK", &network)]);
    assert_only_jobs_and_sessions_are_shared(&first, &second).await;
}

#[tokio::test]
async fn a_job_of_one_network_goes_on_with_another_when_its_node_is_lost() {
    let server = RedisServer::start_durable().await;
    let folder = tempfile::tempdir().unwrap();
    let network = other_network(&folder);
    let mut first = Node::start(&server.url(), &[]);
    let job = first.accept(&GAME.repeat(2), 60_000).await;
    until("some moves are reviewed", LONG, async || first.moves_done(&job).await >= 2).await;
    let second = Node::start(&server.url(), &[("KIBITZER__SEARCH__NETWORK", &network)]);
    second.wait_until_degraded(false).await;
    let shown = second.ask(reqwest::Method::GET, &job).await.1;
    first.kill();
    let done = second.wait_for_job(&job).await;
    // Moves are reviewed from the last one on.
    let is_kept = moves(&done).ends_with(moves(&shown));
    assert!(is_kept && !moves(&shown).is_empty(), "what was shown stays: {shown} {done}");
}

/// The library that shifts the clock of a process.
fn faketime() -> String {
    let folders = std::fs::read_dir("/usr/lib").unwrap().flatten();
    let mut files = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    let file = files.find(|file| file.exists());
    let file = file.expect("libfaketime; on Debian: apt-get install libfaketime");
    file.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn clocks_30_seconds_apart_change_nothing() {
    let server = RedisServer::start_durable().await;
    let first = Node::start(&server.url(), &[]);
    let library = faketime();
    let shift = [
        ("LD_PRELOAD", library.as_str()),
        ("FAKETIME", "-30s"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let second = Node::start(&server.url(), &shift);
    for node in [&first, &second] {
        node.wait_for_nodes(2).await;
    }
    // Each sees the other alive, and their analyses, jobs and sessions hold.
    let job = second.accept(GAME, 1_000).await;
    assert_eq!(moves(&first.wait_for_job(&job).await).len(), 10);
    let endless = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    for (older_node, newer_node) in [(&first, &second), (&second, &first)] {
        let older = older_node.start_analysis(&endless).await;
        until("it searches", LONG, async || older.depths().len() > 3).await;
        let _newer = newer_node.start_analysis(&endless).await;
        assert_eq!(older.end().await["reason"], "replaced");
    }
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    assert_eq!((first.nodes().await, second.nodes().await), (2, 2), "no heartbeat is too old");
}

#[tokio::test]
async fn a_second_node_on_one_local_store_does_not_start() {
    let server = RedisServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let settings = [("KIBITZER__STORE__PATH", folder.path().to_str().unwrap())];
    let _first = Node::start(&server.url(), &settings);
    let output = command(&server.url(), &settings).output().unwrap();
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("store.path"), "{error}");
}
