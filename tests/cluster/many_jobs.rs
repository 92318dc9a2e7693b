//! Thousands of jobs, which all nodes know.

use reqwest::Method;
use tokio::task::JoinSet;

use crate::full_run::is_full_run;
use crate::node::Node;
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

/// Jobs; with `KIBITZER_FULL=1` five times as many.
const JOBS: usize = 2_000;

/// Concurrent submissions.
const CLIENTS: usize = 64;

#[tokio::test]
async fn all_nodes_know_thousands_of_jobs() {
    let count_of_jobs = if is_full_run() { 5 * JOBS } else { JOBS };
    // The disk is not what is tested.
    let server = RedisServer::start_with(&["--appendonly", "yes"]).await;
    let settings =
        [("KIBITZER__JOBS__MAX", "40000"), ("KIBITZER__JOBS__ANONYMOUS_SHARE_PERMILLE", "500")];
    let nodes = [(); 2].map(|()| Node::start(&server.url(), &settings));
    let mut submissions = JoinSet::new();
    for client in 0..CLIENTS {
        let rest = usize::from(client < count_of_jobs % CLIENTS);
        let count = count_of_jobs / CLIENTS + rest;
        submissions.spawn(nodes[client % 2].submit_many("1. e4 *\n\n", 1_000, count));
    }
    let paths: Vec<String> = submissions.join_all().await.into_iter().flatten().collect();
    assert_eq!(paths.len(), count_of_jobs);
    let late = Node::start(&server.url(), &settings);
    for node in nodes.iter().chain([&late]) {
        for path in paths.iter().step_by(count_of_jobs / 50) {
            until("it is known", LONG, async || node.ask(Method::GET, path).await.0 == 200).await;
        }
    }
    let done = paths.last().unwrap();
    assert_eq!(late.ask(Method::DELETE, done).await.0, 204);
    for node in &nodes {
        until("it is gone", LONG, async || node.ask(Method::GET, done).await.0 == 410).await;
    }
}
