//! Rate limits and tickets of all nodes together.

use std::time::{Duration, Instant};

use redis::cmd;
use reqwest::{Method, Response};

use crate::node::Node;
use crate::redis_server::RedisServer;

pub(crate) const TEN_PER_HOUR: [(&str, &str); 2] =
    [("KIBITZER__RATE__REQUESTS", "10"), ("KIBITZER__RATE__WINDOW_MS", "3600000")];

/// The requests that a client may still make, as a response says.
fn remaining(response: &Response) -> u32 {
    let header = response.headers()["ratelimit"].to_str().unwrap();
    let rest = header.split(';').find_map(|part| part.strip_prefix("r=")).unwrap();
    rest.parse().unwrap()
}

pub(crate) async fn limits(node: &Node) -> Response {
    node.send(Method::GET, "/v1/limits").await
}

/// The nodes of a cluster whose clients may make ten requests in an hour.
async fn start_nodes(server: &RedisServer) -> [Node; 2] {
    let nodes = [(); 2].map(|()| Node::start(&server.url(), &TEN_PER_HOUR));
    for node in &nodes {
        node.wait_until_degraded(false).await;
    }
    nodes
}

#[tokio::test]
async fn requests_count_for_all_nodes_together() {
    let server = RedisServer::start().await;
    let nodes = start_nodes(&server).await;
    for used in 0..10 {
        let node = &nodes[used % 2];
        let peeked = node.send(Method::GET, "/livez").await;
        assert_eq!(remaining(&peeked), 10 - used as u32, "a probe does not count");
        let response = limits(node).await;
        assert_eq!((response.status().as_u16(), remaining(&response)), (200, 9 - used as u32));
    }
    for node in &nodes {
        let refused = limits(node).await;
        assert_eq!((refused.status().as_u16(), remaining(&refused)), (429, 0));
        let retry_after: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((350..=360).contains(&retry_after), "{retry_after} s: one tenth of the window");
        assert_eq!(node.send(Method::GET, "/livez").await.status(), 200);
    }
}

#[tokio::test]
async fn an_allowance_grows_again_with_time() {
    let server = RedisServer::start().await;
    let settings = [("KIBITZER__RATE__REQUESTS", "2"), ("KIBITZER__RATE__WINDOW_MS", "2000")];
    let nodes = [(); 2].map(|()| Node::start(&server.url(), &settings));
    for node in &nodes {
        assert_eq!(limits(node).await.status(), 200);
    }
    assert_eq!(limits(&nodes[0]).await.status(), 429);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(limits(&nodes[1]).await.status(), 200);
    assert_eq!(limits(&nodes[0]).await.status(), 429);
}

#[tokio::test]
async fn without_the_server_each_node_counts_alone() {
    let mut server = RedisServer::start().await;
    let nodes = start_nodes(&server).await;
    for _ in 0..10 {
        assert_eq!(limits(&nodes[0]).await.status(), 200);
    }
    assert_eq!(limits(&nodes[1]).await.status(), 429);
    server.kill();
    for node in &nodes {
        for _ in 0..10 {
            assert_eq!(limits(node).await.status(), 200);
        }
        assert_eq!(limits(node).await.status(), 429);
    }
}

#[tokio::test]
async fn a_server_that_hangs_delays_few_requests_by_milliseconds() {
    let server = RedisServer::start().await;
    let settings = [("KIBITZER__RATE__REQUESTS", "1000000")];
    let node = Node::start(&server.url(), &settings);
    node.wait_until_degraded(false).await;
    server.freeze();
    let started = Instant::now();
    for _ in 0..200 {
        assert_eq!(limits(&node).await.status(), 200);
    }
    let took = started.elapsed();
    assert!(took < Duration::from_millis(200 * 20 / 2), "{took:?} for 200 requests");
    server.thaw();
}

/// A ticket that this node has issued.
pub(crate) async fn ticket(node: &Node) -> String {
    let (status, ticket) = node.ask(Method::POST, "/v1/tickets").await;
    assert_eq!(status, 200, "{ticket}");
    ticket["ticket"].as_str().unwrap().to_owned()
}

/// The status of a request with a ticket.
pub(crate) async fn redeem(node: &Node, ticket: &str) -> u16 {
    let path = format!("/v1/analysis?fen=startpos&depth=1&ticket={ticket}");
    node.send(Method::GET, &path).await.status().as_u16()
}

#[tokio::test]
async fn a_ticket_of_one_node_is_redeemed_once_by_any() {
    let server = RedisServer::start().await;
    let [first, second] = [(); 2].map(|()| Node::start(&server.url(), &[]));
    first.wait_until_degraded(false).await;
    second.wait_until_degraded(false).await;
    let issued = ticket(&first).await;
    let mut connection = server.connect().await;
    let names: Vec<Vec<u8>> = cmd("KEYS").arg("k1:t:*").query_async(&mut connection).await.unwrap();
    let token = u128::from_str_radix(&issued, 16).unwrap().to_be_bytes();
    let tells = |name: &Vec<u8>| name.ends_with(&token) || name.ends_with(issued.as_bytes());
    assert_eq!(names.len(), 1);
    assert!(!tells(&names[0]), "the key tells no ticket");
    assert_eq!(redeem(&second, &issued).await, 200);
    for node in [&first, &second] {
        assert_eq!(redeem(node, &issued).await, 401);
    }
    let own = ticket(&first).await;
    assert_eq!(redeem(&first, &own).await, 200);
    for number in 0..64 {
        ticket([&first, &second][number % 2]).await;
    }
    for node in [&first, &second] {
        assert_eq!(node.ask(Method::POST, "/v1/tickets").await.0, 429, "64 of a client are valid");
    }
}

#[tokio::test]
async fn without_the_server_a_node_redeems_its_own_tickets() {
    let mut server = RedisServer::start().await;
    let node = Node::start(&server.url(), &[]);
    node.wait_until_degraded(false).await;
    server.kill();
    let issued = ticket(&node).await;
    assert_eq!((redeem(&node, &issued).await, redeem(&node, &issued).await), (200, 401));
}

#[tokio::test]
async fn forged_tickets_and_counts_are_refused() {
    let server = RedisServer::start().await;
    let node = Node::start(&server.url(), &TEN_PER_HOUR);
    node.wait_until_degraded(false).await;
    let mut connection = server.connect().await;
    for value in
        [&b""[..], b"\x01", b"\x02\x01a\x00", b"\x01\x01a\x0bunknown key", b"\x01\x01\xff\x00"]
    {
        let issued = ticket(&node).await;
        let keys: Vec<Vec<u8>> =
            cmd("KEYS").arg("k1:t:*").query_async(&mut connection).await.unwrap();
        cmd("SET").arg(&keys[0]).arg(value).exec_async(&mut connection).await.unwrap();
        assert_eq!(redeem(&node, &issued).await, 401, "{value:?}");
    }
    let counts: Vec<Vec<u8>> =
        cmd("KEYS").arg("k1:q:*").query_async(&mut connection).await.unwrap();
    for value in ["", "x", "1e300", "-5"] {
        cmd("SET").arg(&counts[0]).arg(value).exec_async(&mut connection).await.unwrap();
        let status = limits(&node).await.status().as_u16();
        assert!(status == 200 || status == 429, "{value}: {status}");
    }
}
