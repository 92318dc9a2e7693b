//! Membership: the live nodes, as each of them sees them.

use std::time::Duration;

use redis::AsyncTypedCommands;
use serde_json::json;

use crate::node::Node;
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// What a busy machine may add to a time that docs/cluster.md promises.
const BUSY: Duration = Duration::from_millis(500);

#[tokio::test]
async fn nodes_know_each_other_and_notice_the_end_of_one() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let mut second = Node::start_named(&server.url(), "b", 2).await;
    let mut third = Node::start_named(&server.url(), "c", 3).await;
    first.wait_for_nodes(3).await;
    assert_eq!(
        first.get_json("/v1/limits").await["cluster"],
        json!({ "nodes": 3, "workers": 3, "free": 3 })
    );
    assert_eq!(first.metric("kibitzer_cluster_nodes").await, 3.0);
    assert_eq!(first.metric("kibitzer_cluster_unreachable").await, 0.0);
    until("both starts are logged", LONG, async || {
        first.logged("a node joined the cluster").len() >= 2
    })
    .await;

    third.kill();
    let until_noticed = until("2 nodes", LONG, async || first.nodes().await == 2).await;
    assert!(until_noticed > Duration::from_millis(500), "a node that is killed tells nobody");
    assert!(until_noticed < Duration::from_secs(4) + BUSY, "{until_noticed:?}");
    second.signal("-TERM");
    let until_known = until("1 node", LONG, async || first.nodes().await == 1).await;
    assert!(until_known < Duration::from_secs(1) + BUSY, "{until_known:?}");
    second.wait_for_end();
    until("both ends are logged", LONG, async || {
        first.logged("a node left the cluster").len() >= 2
    })
    .await;
}

#[tokio::test]
async fn nodes_with_one_name_are_two_nodes_and_both_warn() {
    let server = RedisServer::start().await;
    let first = Node::start_named(&server.url(), "a", 1).await;
    let second = Node::start_named(&server.url(), "a", 2).await;
    for node in [&first, &second] {
        node.wait_for_log("another node has this node's name; set cluster.node").await;
        node.wait_for_nodes(2).await;
    }
}

#[tokio::test]
async fn clusters_with_different_prefixes_share_a_server_and_nothing_else() {
    let server = RedisServer::start().await;
    let first = Node::start(&server.url(), &[("KIBITZER__CLUSTER__PREFIX", "one:")]);
    let second = Node::start(&server.url(), &[("KIBITZER__CLUSTER__PREFIX", "two:")]);
    first.wait_until_degraded(false).await;
    second.wait_until_degraded(false).await;
    let keys = server.connect().await.keys("*").await.unwrap();
    assert!(keys.iter().all(|key| key.starts_with("one:k1:") || key.starts_with("two:k1:")));
    // Longer than it takes to hear of another node.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!((first.nodes().await, second.nodes().await), (1, 1));
}

#[tokio::test]
async fn nodes_with_another_engine_or_an_unknown_version_do_not_count() {
    let server = RedisServer::start().await;
    let node = Node::start_named(&server.url(), "a", 1).await;
    let mut connection = server.connect().await;
    let too_short = [1; 5].to_vec();
    // Version 1, another group of nodes, 4 workers, 4 free, 0 waiting.
    let foreign = [&[1][..], &[9; 8], &[4, 4, 0]].concat();
    let of_version_2 = [&[2][..], &[9; 8], &[4, 4, 0]].concat();
    let heartbeats = [
        ("b-00000001", foreign),
        ("c-00000002", of_version_2),
        ("d-00000003", too_short),
        ("no id", vec![1]),
    ];
    for (id, heartbeat) in &heartbeats {
        let (seconds, _) = connection_time(&mut connection).await;
        connection.set(format!("k1:n:{id}"), heartbeat.as_slice()).await.unwrap();
        connection.zadd("k1:nodes", *id, (seconds + 3_600) * 1_000).await.unwrap();
    }
    node.wait_for_log(
        "a node joined the cluster with another engine, network or set of tablebases; it shares \
         no searches and no analyses with this one",
    )
    .await;
    assert_eq!(node.nodes().await, 1);
    assert!(!node.is_degraded().await);
}

/// The time of the server, in seconds and microseconds.
async fn connection_time(connection: &mut redis::aio::MultiplexedConnection) -> (u64, u64) {
    redis::cmd("TIME").query_async(connection).await.unwrap()
}
