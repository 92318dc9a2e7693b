//! Settings with which a node does not start.

use std::process::Command;

use crate::node::{Node, command};
use crate::old_server;
use crate::redis_server::{RedisServer, free_port};

/// Runs a node that must end with an error, and returns the error.
async fn error_of(mut command: Command) -> String {
    let run = tokio::task::spawn_blocking(move || command.output().unwrap());
    let output = run.await.unwrap();
    assert!(!output.status.success());
    String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned()
}

#[tokio::test]
async fn a_wrong_password_ends_the_start_and_is_not_printed() {
    let server = RedisServer::start_with(&["--requirepass", "correct-secret"]).await;
    let with_password = |password: &str| server.url().replace("//", &format!("//:{password}@"));
    for url in [server.url(), with_password("wrong-secret")] {
        let error = error_of(command(&url, &[])).await;
        assert!(error.contains("cluster.url: the server refuses this user"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let node = Node::start(&with_password("correct-secret"), &[]);
    node.wait_for_nodes(1).await;
    node.wait_until_degraded(false).await;
}

#[tokio::test]
async fn a_server_that_is_too_old_ends_the_start() {
    let error = error_of(command(&old_server::start().await, &[])).await;
    assert!(error.contains("cluster.url: the server is version 6.2.14"), "{error}");
}

#[tokio::test]
async fn a_server_of_a_redis_cluster_ends_the_start() {
    let port = free_port().to_string();
    let arguments = ["--cluster-enabled", "yes", "--cluster-port", &port];
    let in_cluster = RedisServer::start_with(&arguments).await;
    let error = error_of(command(&in_cluster.url(), &[])).await;
    assert!(error.contains("cluster.url: the server is a part of a Redis Cluster"), "{error}");
    let server = RedisServer::start().await;
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", &in_cluster.url()[..])];
    let error = error_of(command(&server.url(), &settings)).await;
    assert!(error.contains("cluster.jobs_url: the server is a part of a Redis Cluster"), "{error}");
}

#[tokio::test]
async fn settings_of_a_wrong_form_end_the_start() {
    for (setting, value) in [
        ("KIBITZER__CLUSTER__URL", "http://:secret@127.0.0.1"),
        ("KIBITZER__CLUSTER__NODE", "two words"),
        ("KIBITZER__CLUSTER__PREFIX", "two words"),
        ("KIBITZER__CLUSTER__JOBS_URL", "http://:secret@127.0.0.1"),
    ] {
        let error = error_of(command("redis://127.0.0.1:1", &[(setting, value)])).await;
        let key = setting.trim_start_matches("KIBITZER__").replace("__", ".").to_lowercase();
        assert!(error.contains(&format!("{key}: ")), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_may_fill_its_memory_is_warned_about() {
    let server = RedisServer::start_with(&["--maxmemory-policy", "noeviction"]).await;
    let node = Node::start(&server.url(), &[]);
    node.wait_for_log(
        "the server refuses writes when its memory is full: set maxmemory-policy to volatile-lfu",
    )
    .await;
}

#[tokio::test]
async fn a_server_that_may_drop_jobs_ends_the_start() {
    let server = RedisServer::start().await;
    let jobs = RedisServer::start_with(&["--maxmemory-policy", "allkeys-lru"]).await;
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", &jobs.url()[..])];
    let error = error_of(command(&server.url(), &settings)).await;
    assert!(error.contains("cluster.jobs_url: the server may drop jobs"), "{error}");
    assert!(error.contains("allkeys-lru"), "{error}");
}

#[tokio::test]
async fn a_wrong_password_of_the_jobs_server_ends_the_start() {
    let server = RedisServer::start().await;
    let jobs = RedisServer::start_with(&["--requirepass", "correct-secret"]).await;
    let url = jobs.url().replace("//", "//:wrong-secret@");
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", &url[..])];
    let error = error_of(command(&server.url(), &settings)).await;
    assert!(error.contains("cluster.jobs_url: the server refuses this user"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[tokio::test]
async fn a_jobs_server_that_may_lose_jobs_is_warned_about() {
    let server = RedisServer::start().await;
    let node = Node::start(&server.url(), &[]);
    node.wait_for_log(
        "accepted jobs are lost when the server ends: set appendonly to yes, or give jobs a server \
         of their own (cluster.jobs_url)",
    )
    .await;
    let durable = RedisServer::start_durable().await;
    let mut connection = durable.connect().await;
    let everysec = ["SET", "appendfsync", "everysec"];
    redis::cmd("CONFIG").arg(&everysec).exec_async(&mut connection).await.unwrap();
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", &durable.url()[..])];
    let node = Node::start(&server.url(), &settings);
    node.wait_for_log(
        "a crash of the server's machine loses a second or more of accepted jobs: set appendfsync \
         to always",
    )
    .await;
}
