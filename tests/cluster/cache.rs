//! Analyses that one node finds and another shows.

use kibitzer::chess::encodings::PackedPosition;
use kibitzer::chess::{Position, splitmix};
use kibitzer::store::{EntryKey, Record};
use redis::aio::MultiplexedConnection;
use redis::{AsyncTypedCommands, cmd};

use crate::node::{ANSWERED, Node};
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

#[tokio::test]
async fn what_one_node_found_is_memory_on_the_others() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let searched = first.best_move("startpos", DEPTH).await;
    assert_eq!(searched["memory"], "unknown");
    first.wait_until_shared().await;
    let (second, shared) = Node::start_and_ask(&server.url(), "startpos", DEPTH).await;
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
    first.wait_until_shared().await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let deep = fields(&mut connection, &key).await;
    // A request that ignores what is known.
    second.get(&format!("/v1/best-move?fen=startpos&depth={DEPTH}&fresh=true")).await;
    // The changes of a node are sent in their order.
    second.best_move("8/8/8/4k3/8/8/3P4/4K3 w - - 0 1", 30).await;
    second.wait_until_shared().await;
    assert_eq!(fields(&mut connection, &key).await, deep);
    let (_third, deeper) = Node::start_and_ask(&server.url(), "startpos", DEPTH + 2).await;
    assert_eq!(deeper["memory"], "shallow", "the shared analysis is known");
}

#[tokio::test]
async fn short_searches_are_not_shared() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    node.best_move("startpos", 4).await;
    node.best_move("startpos", DEPTH).await;
    node.wait_until_shared().await;
    let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
    assert_eq!(node.metric(written).await, 1.0);
}

/// Damage of a value that the checksum must reveal: changed bits, a missing end, more bytes. Near
/// numbers give different values.
fn damaged(value: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = value.to_vec();
    let place = number as usize / 4 % (value.len() - 1);
    match number % 4 {
        // The first byte is the version of the layout: another one is none of this node's business.
        0 | 1 => bytes[1 + place] ^= 1 << (splitmix::nth(number, 0) % 8),
        2 => bytes.truncate(place),
        _ => bytes.extend((0..=splitmix::nth(number, 1) % 5_000).map(|_| number as u8)),
    }
    bytes
}

/// A position after three random moves.
fn position(number: u64) -> Position {
    (0..3).fold(Position::startpos(), |position, ply| {
        let moves = position.legal_moves();
        position.after(moves[splitmix::nth(number, ply) as usize % moves.len()])
    })
}

fn position_bytes(position: &Position) -> Vec<u8> {
    EntryKey::position_bytes(position.key(), &PackedPosition::from_position(position))
}

const INVALID: &str = "kibitzer_cluster_cache_invalid_total";

#[tokio::test]
async fn of_ten_thousand_damaged_analyses_none_is_shown_and_all_are_removed() {
    let server = RedisServer::start().await;
    let writer = Node::start_named(&server.url(), "a", 1).await;
    writer.best_move("startpos", DEPTH).await;
    writer.wait_until_shared().await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let (_, value) = fields(&mut connection, &key).await.remove(0);
    let prefix = &key[..key.len() - position_bytes(&Position::startpos()).len()];
    let reader = Node::start_named(&server.url(), "b", 2).await;
    let positions: std::collections::BTreeMap<u64, Position> =
        (0..4_000).map(position).map(|position| (position.key(), position)).collect();
    assert!(positions.len() > 2_000, "{}", positions.len());
    for (number, position) in (0..).zip(positions.values().take(2_000)) {
        let mut write = cmd("HSET");
        write.arg([prefix, &position_bytes(position)].concat());
        for lines in 1..=5_u8 {
            write.arg(&[0, lines]).arg(damaged(&value, 5 * number + u64::from(lines)));
        }
        write.exec_async(&mut connection).await.unwrap();
        let shown = reader.best_move(&position.fen(), 1).await;
        assert_eq!(shown["source"], "search", "{shown}");
    }
    // On a busy machine some reads are late.
    let answered = reader.metric(ANSWERED).await;
    assert!(answered > 1_000.0, "{answered}");
    assert_eq!(reader.metric(INVALID).await, 5.0 * answered, "each of them is found");
    until("they are removed", LONG, async || {
        let left: Vec<Vec<u8>> =
            cmd("KEYS").arg("k1:d:*").query_async(&mut connection).await.unwrap();
        left.len() as f64 == 2_001.0 - answered
    })
    .await;
}

#[tokio::test]
async fn values_of_another_layout_stay_and_a_key_of_another_type_goes() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    node.best_move("startpos", DEPTH).await;
    node.wait_until_shared().await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let (context, value) = fields(&mut connection, &key).await.remove(0);
    let of_next_layout = [&[2][..], &value[1..]].concat();
    let mut write = cmd("HSET");
    write.arg(&key).arg(&context).arg(&of_next_layout).exec_async(&mut connection).await.unwrap();
    let prefix = &key[..key.len() - position_bytes(&Position::startpos()).len()];
    let other = Position::startpos().after(Position::startpos().legal_moves()[0]);
    let text = [prefix, &position_bytes(&other)].concat();
    cmd("SET").arg(&text).arg("text").exec_async(&mut connection).await.unwrap();

    let (second, answer) = Node::start_and_ask(&server.url(), "startpos", DEPTH).await;
    assert_eq!(answer["source"], "search");
    assert_eq!(second.metric(INVALID).await, 0.0);
    // The server answers with an error here, which is no read.
    let mut clocks = 0..50;
    until("the text is found", LONG, async || {
        let fen = other.fen().replace(" 0 1", &format!(" {} 1", clocks.next().unwrap()));
        second.best_move(&fen, 1).await;
        second.metric(INVALID).await > 0.0
    })
    .await;
    until("the text is removed", LONG, async || !connection.exists(text.as_slice()).await.unwrap())
        .await;
    let kept = fields(&mut connection, &key).await;
    assert_eq!(kept, [(context, of_next_layout)], "an older layout does not replace a newer one");
}

#[tokio::test]
async fn many_histories_of_a_position_leave_a_place_for_the_bare_position() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    node.best_move("startpos", DEPTH).await;
    node.wait_until_shared().await;
    let mut connection = server.connect().await;
    let key = key_of_analysis(&mut connection).await;
    let (context, value) = fields(&mut connection, &key).await.remove(0);
    cmd("HDEL").arg(&key).arg(&context).exec_async(&mut connection).await.unwrap();
    for history in 0..64_u8 {
        let mut write = cmd("HSET");
        write.arg(&key).arg(&[1, history]).arg(&value).exec_async(&mut connection).await.unwrap();
    }
    let second = Node::start_named(&server.url(), "b", 2).await;
    second.best_move("startpos", DEPTH).await;
    second.wait_until_shared().await;
    assert!(fields(&mut connection, &key).await.iter().any(|(field, _)| *field == context));
}

/// A record of the start position as `node` has stored it.
async fn stored_record(connection: &mut MultiplexedConnection) -> (Vec<u8>, Record) {
    let key = key_of_analysis(connection).await;
    let (context, value) = fields(connection, &key).await.remove(0);
    let position = position_bytes(&Position::startpos());
    assert!(key.ends_with(&position));
    (key, Record::from_bytes(&position, &context, &value[2..]).unwrap())
}

#[tokio::test]
async fn forged_analyses_with_moves_that_are_not_legal_are_not_shown() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    first.best_move("startpos", DEPTH).await;
    first.wait_until_shared().await;
    let mut connection = server.connect().await;
    let (key, record) = stored_record(&mut connection).await;
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
    for (number, change) in forgeries.into_iter().enumerate() {
        let mut write = cmd("HSET");
        write.arg(&key).arg(record.key.context_bytes()).arg(forge(change));
        write.exec_async(&mut connection).await.unwrap();
        let (second, answer) = Node::start_and_ask(&server.url(), "startpos", 2).await;
        assert_eq!(answer["source"], "search", "forgery {number}: {answer}");
        assert_eq!(second.metric(INVALID).await, 1.0, "forgery {number}");
    }
}
