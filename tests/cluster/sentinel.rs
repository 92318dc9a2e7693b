//! Sentinels: nodes find the new primary after the old one is lost.

use std::collections::HashSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use redis::cmd;
use tempfile::TempDir;

use crate::jobs::{GAME, moves, submit_until};
use crate::node::Node;
use crate::redis_server::{RedisServer, free_port, is_answering, program};
use crate::wait::{LONG, until};

/// Three Sentinels, killed when they are dropped.
struct Sentinels {
    children: Vec<Child>,
    ports: Vec<u16>,
    _folder: TempDir,
}

impl Sentinels {
    /// Sentinels that watch the primary at this port.
    async fn start(primary: u16) -> Sentinels {
        let folder = tempfile::tempdir().unwrap();
        let ports: Vec<u16> = (0..3).map(|_| free_port()).collect();
        let start = |port: &u16| {
            let file = folder.path().join(format!("{port}.conf"));
            let settings = format!(
                "port {port}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 {primary} 2\n\
                 sentinel down-after-milliseconds main 1000\nsentinel failover-timeout main 4000\n"
            );
            fs::write(&file, settings).unwrap();
            Command::new(program())
                .arg(&file)
                .arg("--sentinel")
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        let children = ports.iter().map(start).collect();
        let sentinels = Sentinels { children, ports, _folder: folder };
        for port in &sentinels.ports {
            until("a Sentinel answers", LONG, async || is_answering(("127.0.0.1", *port)).await)
                .await;
            until("it knows the others", LONG, async || {
                let state = sentinels.state(*port).await;
                state.contains("slaves=2") && state.contains("sentinels=3")
            })
            .await;
        }
        sentinels
    }

    /// The line of the primary in the description of a Sentinel.
    async fn state(&self, port: u16) -> String {
        let client = redis::Client::open(format!("redis://127.0.0.1:{port}")).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let info: String = cmd("INFO").arg("sentinel").query_async(&mut connection).await.unwrap();
        info.lines().find(|line| line.starts_with("master0:")).unwrap_or_default().to_owned()
    }

    /// The URL of the primary.
    fn url(&self) -> String {
        let hosts: Vec<String> =
            self.ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("redis+sentinel://{}/main", hosts.join(","))
    }
}

impl Drop for Sentinels {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Both calls fail only if the process has ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Settings of a server that takes no write unless a replica has it.
const DURABLE: [&str; 6] =
    ["--appendonly", "yes", "--appendfsync", "always", "--min-replicas-to-write", "1"];

/// A primary, and two replicas that follow it.
async fn start_servers() -> [RedisServer; 3] {
    let primary = RedisServer::start_with(&DURABLE).await;
    let port = primary.port().to_string();
    let replica = [&DURABLE[..], &["--replicaof", "127.0.0.1", &port]].concat();
    let replicas =
        [RedisServer::start_with(&replica).await, RedisServer::start_with(&replica).await];
    let mut connection = primary.connect().await;
    until("both replicas follow", LONG, async || {
        let info: String =
            cmd("INFO").arg("replication").query_async(&mut connection).await.unwrap();
        info.matches("state=online").count() == 2
    })
    .await;
    let [first, second] = replicas;
    [primary, first, second]
}

#[tokio::test]
async fn nodes_find_the_new_primary_and_no_accepted_job_is_lost() {
    let mut servers = start_servers().await;
    let sentinels = Sentinels::start(servers[0].port()).await;
    let settings = [("KIBITZER__CLUSTER__REPLICAS", "1")];
    let nodes = [(); 2].map(|()| Node::start(&sentinels.url(), &settings));
    for node in &nodes {
        node.wait_for_nodes(2).await;
    }
    let stop = AtomicBool::new(false);
    let mut gap = Duration::ZERO;
    let fail_over = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        servers[0].kill();
        let killed = Instant::now();
        until("a node has lost the jobs", LONG, async || !nodes[0].degraded().await.is_null())
            .await;
        nodes[0].wait_until_degraded(false).await;
        gap = killed.elapsed();
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.store(true, Ordering::Relaxed);
    };
    let (accepted, ()) = tokio::join!(submit_until(&nodes, 1, &stop), fail_over);
    assert!(accepted.len() > 20, "{} jobs", accepted.len());
    println!("{} jobs, {gap:?} without service", accepted.len());
    assert!(gap <= Duration::from_secs(10), "{gap:?}");
    let distinct: HashSet<&String> = accepted.iter().collect();
    assert_eq!(distinct.len(), accepted.len());
    for id in &accepted {
        let job = nodes[1].wait_for_job(&format!("/v1/games/{id}")).await;
        assert_eq!(moves(&job).len(), 10);
    }
    for node in &nodes {
        node.wait_for_nodes(2).await;
    }
}

#[tokio::test]
async fn a_node_starts_alone_without_any_sentinel() {
    let node = Node::start(&format!("redis+sentinel://127.0.0.1:{}/main", free_port()), &[]);
    node.wait_until_degraded(true).await;
    assert_eq!(node.best_move("startpos", 3).await["depth"], 3);
}

#[tokio::test]
async fn a_server_that_becomes_a_replica_is_not_used_until_it_is_a_primary_again() {
    let server = RedisServer::start_durable().await;
    let node = Node::start(&server.url(), &[]);
    let path = node.accept(GAME, 1_000).await;
    node.wait_for_job(&path).await;
    let mut connection = server.connect().await;
    let mut replica_of = async |host: &str, port: &str| {
        let mut command = cmd("REPLICAOF");
        command.arg(host).arg(port).exec_async(&mut connection).await.unwrap();
    };
    replica_of("127.0.0.1", "1").await;
    // Reads may go on, and only a write is sure to notice.
    assert_eq!(node.submit(GAME, 1_000, None).await.0, 503);
    until("both parts are missing", LONG, async || {
        node.degraded().await == serde_json::json!(["cluster", "jobs"])
    })
    .await;
    replica_of("NO", "ONE").await;
    node.wait_until_degraded(false).await;
    assert_eq!(moves(&node.wait_for_job(&path).await).len(), 10);
    node.wait_for_job(&node.accept(GAME, 1_000).await).await;
}
