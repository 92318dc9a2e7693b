//! The user of docs/cluster.md: what it may do is what the nodes need.

use std::collections::BTreeSet;
use std::path::Path;

use redis::aio::MultiplexedConnection;
use redis::{AsyncTypedCommands, cmd};
use reqwest::Method;
use serde_json::json;

use crate::lending::{is_busy, start_here};
use crate::node::{Node, RunningAnalysis};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// The permissions that docs/cluster.md gives a node, each with a plus.
fn permissions_of_the_docs() -> Vec<&'static str> {
    let page = include_str!("../../docs/cluster.md");
    let line = page.lines().find(|line| line.contains("ACL SETUSER kibitzer")).unwrap();
    line.split_whitespace().filter(|word| word.starts_with('+')).collect()
}

async fn acl(connection: &mut MultiplexedConnection, arguments: &[&str]) {
    cmd("ACL").arg(arguments).exec_async(connection).await.unwrap();
}

/// Creates the user of docs/cluster.md. Returns the URL of the server for it.
async fn create_user(server: &RedisServer) -> String {
    let user = ["SETUSER", "kibitzer", "on", ">secret", "~k1:*", "&k1:*"];
    let arguments = [&user[..], &permissions_of_the_docs()].concat();
    acl(&mut server.connect().await, &arguments).await;
    server.url().replace("//", "//kibitzer:secret@")
}

/// Checks that the server has refused nothing that the node has asked.
fn assert_nothing_refused(node: &Node) {
    for text in ["refuse", "NOPERM", "permission"] {
        assert_eq!(node.logged_with(text), Vec::<serde_json::Value>::new());
    }
}

/// Uses tickets, the shared cache and jobs.
async fn use_what_is_shared(node: &Node) {
    let (issued, ticket) = node.ask(Method::POST, "/v1/tickets").await;
    assert_eq!(issued, 200);
    let ticket = ticket["ticket"].as_str().unwrap();
    node.get(&format!("/v1/analysis?fen=startpos&depth=1&ticket={ticket}")).await;
    node.best_move("startpos", 14).await;
    node.wait_until_shared().await;
    let job = node.accept("1. e4 e5 2. Nf3 Nc6 *", 1_000).await;
    node.wait_for_job(&job).await;
    node.get(&format!("{job}/pgn")).await;
    assert_eq!(node.ask(Method::DELETE, &job).await.0, 204);
}

/// Asks a busy node until a search of it runs on another one.
async fn lend(node: &Node) {
    let lent = "kibitzer_cluster_searches_total{role=\"lent\"}";
    let mut nodes = 50_000;
    until("a search is lent", LONG, async || {
        nodes += 1_000;
        let body = json!({ "fen": "startpos", "nodes": nodes });
        let _answer = node.best_move_of(&body).await;
        node.metric(lent).await > 0.0
    })
    .await;
}

/// Follows the endless search of another node. A node searches itself if it hears too late of that
/// one, and is asked again.
async fn follow(node: &Node) -> RunningAnalysis {
    for _ in 0..10 {
        let body = json!({ "fen": "startpos", "infinite": true });
        let following = node.start_analysis(&body).await;
        until("it has updates", LONG, async || following.depths().len() >= 3).await;
        if !is_busy(node).await {
            return following;
        }
    }
    panic!("the node searches itself");
}

#[tokio::test]
async fn the_user_of_the_docs_may_do_what_nodes_do() {
    let server = RedisServer::start().await;
    let url = create_user(&server).await;
    let mut first = Node::start(&url, &[("KIBITZER__RATE__REQUESTS", "10000")]);
    first.wait_until_degraded(false).await;
    use_what_is_shared(&first).await;
    let second = Node::start_named(&url, "b", 2).await;
    first.wait_for_nodes(2).await;
    let body = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    let running = start_here(&first, &body).await;
    lend(&first).await;

    // The second node follows the search of the first one, and takes its lease over.
    let _following = follow(&second).await;
    assert!(!running.has_ended());
    assert_nothing_refused(&first);
    first.kill();
    let mut connection = server.connect().await;
    until("the second node has the lease", LONG, async || {
        let leases: Vec<Vec<u8>> =
            cmd("KEYS").arg("k1:f:*").query_async(&mut connection).await.unwrap();
        let [lease] = &leases[..] else { return false };
        connection.get(lease).await.unwrap().is_some_and(|holder| holder.starts_with("b-"))
    })
    .await;
    until("it searches", LONG, async || is_busy(&second).await).await;
    assert_nothing_refused(&second);
}

#[tokio::test]
async fn a_user_that_is_gone_and_comes_back_is_accepted_again() {
    let server = RedisServer::start().await;
    let url = create_user(&server).await;
    let node = Node::start(&url, &[]);
    node.wait_until_degraded(false).await;
    acl(&mut server.connect().await, &["DELUSER", "kibitzer"]).await;
    node.wait_until_degraded(true).await;
    create_user(&server).await;
    node.wait_until_degraded(false).await;
    let job = node.accept("1. e4 e5 2. Nf3 Nc6 *", 1_000).await;
    node.wait_for_job(&job).await;
}

#[tokio::test]
async fn the_user_of_the_docs_may_not_do_more() {
    let server = RedisServer::start().await;
    let client = redis::Client::open(create_user(&server).await).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    for refused in ["FLUSHALL", "KEYS *", "CONFIG SET maxmemory 1", "GET other", "SUBSCRIBE other"]
    {
        let mut words = refused.split(' ');
        let mut command = cmd(words.next().unwrap());
        let answer = command.arg(words.collect::<Vec<_>>()).exec_async(&mut connection).await;
        assert_eq!(answer.unwrap_err().code(), Some("NOPERM"), "{refused}");
    }
}

/// The texts between `start` and the next quote.
fn quoted<'a>(source: &'a str, start: &str) -> impl Iterator<Item = &'a str> {
    source.split(start).skip(1).map(|rest| rest.split(['\'', '"']).next().unwrap())
}

/// The commands that a source file names: in scripts, by name, and as a method of a pipeline.
fn commands_of(source: &str) -> BTreeSet<String> {
    let named = ["redis.call('", "redis.pcall('", "cmd(\""].into_iter();
    let mut commands: BTreeSet<String> =
        named.flat_map(|start| quoted(source, start)).map(str::to_lowercase).collect();
    let statements = source.split(';').map(str::trim).filter(|text| text.ends_with(".ignore()"));
    let methods = statements.filter_map(|text| {
        let first_line = text.lines().last().unwrap().trim();
        first_line.split_once('.')?.1.split_once('(').map(|(method, _)| method.to_owned())
    });
    let builders = ["add_command", "cmd", "arg"];
    commands.extend(methods.filter(|method| !builders.contains(&&method[..])));
    commands
}

fn add_commands_below(folder: &Path, commands: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_commands_below(&path, commands);
        } else {
            commands.append(&mut commands_of(&std::fs::read_to_string(path).unwrap()));
        }
    }
}

#[test]
fn the_docs_name_the_commands_of_the_source() {
    let mut commands = BTreeSet::new();
    add_commands_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cluster"), &mut commands);
    for expected in ["zrevrange", "xautoclaim", "hset", "zrem"] {
        assert!(commands.contains(expected), "{expected} is not found in {commands:?}");
    }
    // Sentinels get this one, and have users of their own.
    assert!(commands.remove("sentinel"));
    // The library sends these: for the database of a URL, and for subscriptions.
    commands.extend(["select", "ping", "subscribe"].map(str::to_owned));
    let documented = permissions_of_the_docs().into_iter();
    let documented: BTreeSet<String> = documented
        .map(|permission| permission[1..].split('|').next().unwrap().to_owned())
        .collect();
    assert_eq!(documented, commands);
}
