//! Sessions: a newer request on any node replaces the older one.

use serde_json::json;

use crate::node::Node;
use crate::redis_server::{RedisServer, listeners};
use crate::wait::{LONG, until};

const BUSY: &str = "kibitzer_workers_busy";

/// The body of an endless analysis in a session.
fn endless(session: &str) -> serde_json::Value {
    json!({ "fen": "startpos", "infinite": true, "session": session })
}

#[tokio::test]
async fn a_newer_request_on_one_node_ends_the_older_one_on_another() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    until("both listen", LONG, async || listeners(&server).await == 2).await;
    let older = first.start_analysis(&endless("board")).await;
    let other = second.start_analysis(&endless("other-board")).await;
    until("both search", LONG, async || {
        first.metric(BUSY).await == 1.0 && second.metric(BUSY).await == 1.0
    })
    .await;
    let _newer = second.start_analysis(&endless("board")).await;
    let end = older.end().await;
    assert_eq!(end["reason"], "replaced");
    until("the worker is free", LONG, async || first.metric(BUSY).await == 0.0).await;
    assert!(!other.has_ended(), "another session goes on");
}

#[tokio::test]
async fn without_the_server_sessions_go_on_in_each_node() {
    let mut server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    server.kill();
    node.wait_until_degraded(true).await;
    let older = node.start_analysis(&endless("board")).await;
    until("it searches", LONG, async || node.metric(BUSY).await == 1.0).await;
    let _newer = node.start_analysis(&endless("board")).await;
    assert_eq!(older.end().await["reason"], "replaced");
}

#[tokio::test]
async fn an_older_request_ends_with_its_own_limits_if_the_message_about_a_newer_one_is_lost() {
    let mut server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "b", 2).await;
    until("both listen", LONG, async || listeners(&server).await == 2).await;
    let limited = json!({ "fen": "startpos", "movetime_ms": 4_000, "session": "board" });
    let older = first.start_analysis(&limited).await;
    until("it searches", LONG, async || first.metric(BUSY).await == 1.0).await;
    server.kill();
    let newer = second.start_analysis(&endless("board")).await;
    until("the newer one searches", LONG, async || newer.depths().len() >= 3).await;
    server.restart().await;
    for node in [&first, &second] {
        node.wait_until_degraded(false).await;
    }
    assert_eq!(older.end().await["reason"], "time");
    assert!(!newer.has_ended());
    // From now on messages arrive.
    until("both listen again", LONG, async || listeners(&server).await == 2).await;
    let older = second.start_analysis(&endless("board")).await;
    until("it has begun", LONG, async || !older.depths().is_empty()).await;
    let _newest = first.start_analysis(&endless("board")).await;
    assert_eq!(older.end().await["reason"], "replaced");
}

#[tokio::test]
async fn messages_of_other_versions_and_forged_ones_end_nothing() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    let running = node.start_analysis(&endless("board")).await;
    until("it searches", LONG, async || node.metric(BUSY).await == 1.0).await;
    until("it listens", LONG, async || listeners(&server).await == 1).await;
    let mut connection = server.connect().await;
    let mut keys: Vec<Vec<u8>> = Vec::new();
    until("its entry is known", LONG, async || {
        keys = redis::cmd("KEYS").arg("k1:s:*").query_async(&mut connection).await.unwrap();
        !keys.is_empty()
    })
    .await;
    let [key] = &keys[..] else { panic!("one session, not {}", keys.len()) };
    let id = &key["k1:s:".len()..];
    let newest = b"9000000000000000 b-00000002";
    for message in [
        [&[2][..], id, newest].concat(),
        [&[1][..], id, b"1 b-00000002"].concat(),
        [&[1][..], &[0; 16], newest].concat(),
        [&[1][..], id, b"9000000000000000"].concat(),
        vec![0xff; 200],
        Vec::new(),
    ] {
        let listeners: u64 = redis::cmd("PUBLISH")
            .arg("k1:sessions")
            .arg(message)
            .query_async(&mut connection)
            .await
            .unwrap();
        assert_eq!(listeners, 1);
    }
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!running.has_ended());
    let valid = [&[1][..], id, newest].concat();
    redis::cmd("PUBLISH").arg("k1:sessions").arg(valid).exec_async(&mut connection).await.unwrap();
    assert_eq!(running.end().await["reason"], "replaced");
}
