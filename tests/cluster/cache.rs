//! Analyses that one node finds and another shows.

use std::time::Duration;

use kibitzer::chess::encodings::PackedPosition;
use kibitzer::chess::{Position, splitmix};
use kibitzer::store::{EntryKey, Record};
use redis::aio::MultiplexedConnection;
use redis::{AsyncTypedCommands, cmd};

use crate::node::Node;
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// A depth whose search takes more nodes than the least for sharing.
const DEPTH: u8 = 14;

/// The name of the position's key, which must be the only one of an analysis.
async fn key_of_analysis(connection: &mut MultiplexedConnection) -> Vec<u8> {
    let mut keys: Vec<Vec<u8>> = cmd("KEYS").arg("k1:d:*").query_async(connection).await.unwrap();
    assert_eq!(keys.len(), 1);
    keys.remove(0)
}

async fn fields(connection: &mut MultiplexedConnection, key: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    cmd("HGETALL").arg(key).query_async(connection).await.unwrap()
}

async fn wait_for_written(node: &Node) -> Duration {
    let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
    until("the analysis is shared", LONG, async || node.metric(written).await > 0.0).await
}

#[tokio::test]
async fn what_one_node_found_is_memory_on_the_others() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    let searched = first.best_move("startpos", DEPTH).await;
    assert_eq!(searched["memory"], "unknown");
    wait_for_written(&first).await;
    let shared = second.best_move("startpos", DEPTH).await;
    assert_eq!(shared["memory"], "hit");
    for member in ["best_move", "score", "pv", "depth", "nodes"] {
        assert_eq!(shared[member], searched[member], "{member}");
    }
    let hits = "kibitzer_dictionary_hits_total{tier=\"cluster\"}";
    assert_eq!(second.metric(hits).await, 1.0);
    assert_eq!(second.metric("kibitzer_searches_total").await, 0.0);
    let again = second.best_move("startpos", DEPTH).await;
    assert_eq!(again["memory"], "hit");
    assert_eq!(second.metric(hits).await, 1.0, "now the node's own memory answers");
}

#[tokio::test]
async fn a_deeper_analysis_is_not_replaced_and_begins_a_deeper_search() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    first.best_move("startpos", DEPTH + 1).await;
    wait_for_written(&first).await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let deep = fields(&mut connection, &key).await;
    // A request that ignores what is known.
    let shallow = format!("/v1/best-move?fen=startpos&depth={DEPTH}&fresh=true");
    second.get(&shallow).await;
    wait_for_written(&second).await;
    assert_eq!(fields(&mut connection, &key).await, deep);
    let deeper = second.best_move("startpos", DEPTH + 2).await;
    assert_eq!(deeper["memory"], "shallow");
}

#[tokio::test]
async fn short_searches_are_not_shared() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    node.best_move("startpos", 4).await;
    node.best_move("startpos", DEPTH).await;
    wait_for_written(&node).await;
    let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
    assert_eq!(node.metric(written).await, 1.0);
}

/// Damage of a value that the checksum must reveal: changed bits, a missing end, more bytes. Near
/// numbers give different values.
fn damaged(value: &[u8], number: u64) -> Vec<u8> {
    let random = |index: u64, below: usize| splitmix::nth(number, index) as usize % below;
    let mut bytes = value.to_vec();
    match number % 4 {
        0 | 1 => bytes[number as usize / 4 % value.len()] ^= 1 << random(0, 8),
        2 => bytes.truncate(number as usize / 4 % value.len()),
        _ => bytes.extend((0..=random(0, 5_000)).map(|_| number as u8)),
    }
    bytes
}

#[tokio::test]
async fn damaged_analyses_are_not_shown_and_are_removed() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    node.best_move("startpos", DEPTH).await;
    wait_for_written(&node).await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let (context, value) = fields(&mut connection, &key).await.remove(0);
    let reader = Node::start_named(&server.url(), "b", 2).await;
    for round in 0..160 {
        let mut write = cmd("HSET");
        write.arg(&key).arg(&context).arg(damaged(&value, 64 * round));
        // Contexts that no game has, beside the true one.
        for number in 1..64 {
            write.arg(number).arg(damaged(&value, 64 * round + number));
        }
        write.exec_async(&mut connection).await.unwrap();
        // More nodes than the node's own memory has, and too few to be shared.
        let path = format!("/v1/best-move?fen=startpos&nodes={}", 100 * (round + 1));
        let shown = reader.get_json(&path).await;
        assert_eq!(shown["source"], "search", "{shown}");
    }
    let hits = "kibitzer_dictionary_hits_total{tier=\"cluster\"}";
    assert_eq!(reader.metric(hits).await, 0.0);
    let invalid = reader.metric("kibitzer_cluster_cache_invalid_total").await;
    assert_eq!(invalid, 160.0 * 64.0, "each of them is a miss");
    until("they are removed", LONG, async || !connection.exists(key.as_slice()).await.unwrap())
        .await;
}

/// A record of the start position as `node` has stored it.
async fn stored_record(connection: &mut MultiplexedConnection) -> (Vec<u8>, Record) {
    let key = key_of_analysis(connection).await;
    let (context, value) = fields(connection, &key).await.remove(0);
    let start = Position::startpos();
    let position = EntryKey::position_bytes(start.key(), &PackedPosition::from_position(&start));
    assert!(key.ends_with(&position));
    (key, Record::from_bytes(&position, &context, &value[2..]).unwrap())
}

#[tokio::test]
async fn forged_analyses_with_moves_that_are_not_legal_are_not_shown() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    first.best_move("startpos", DEPTH).await;
    wait_for_written(&first).await;
    let mut connection = server.connect().await;
    let (key, record) = stored_record(&mut connection).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    let forge = |change: &dyn Fn(&mut Record)| {
        let mut forged = record.clone();
        change(&mut forged);
        [&[1, forged.report.depth][..], &forged.to_bytes()].concat()
    };
    let forgeries: [&dyn Fn(&mut Record); 5] = [
        &|record| std::sync::Arc::make_mut(&mut record.report).pv.reverse(),
        &|record| std::sync::Arc::make_mut(&mut record.report).pv.clear(),
        &|record| std::sync::Arc::make_mut(&mut record.report).depth = 0,
        &|record| {
            let report = std::sync::Arc::make_mut(&mut record.report);
            report.score = kibitzer::engine::Score::Mate(0);
        },
        &|record| {
            let report = std::sync::Arc::make_mut(&mut record.report);
            report.pv = report.pv.repeat(40);
        },
    ];
    for (count, change) in (1..).zip(forgeries) {
        let mut write = cmd("HSET");
        write.arg(&key).arg(record.key.context_bytes()).arg(forge(change));
        write.exec_async(&mut connection).await.unwrap();
        // Deeper than the node's own memory.
        let answer = second.best_move("startpos", count).await;
        assert!(answer["depth"].as_u64() < Some(DEPTH.into()), "forgery {count}: {answer}");
        let invalid = second.metric("kibitzer_cluster_cache_invalid_total").await;
        assert_eq!(invalid, f64::from(count));
    }
}
