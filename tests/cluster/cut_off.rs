//! A node that is cut off from both servers while it runs a review.

use reqwest::Method;
use serde_json::json;

use crate::findings::{ShownFindings, assert_complete, stored_evaluations};
use crate::jobs::{Servers, start_job};
use crate::node::Node;
use crate::proxy::{Fault, Proxy};
use crate::wait::{LONG, until};

/// A node behind a proxy before each server.
async fn start_behind_proxies(servers: &Servers) -> (Node, [Proxy; 2]) {
    let fast = Proxy::start(servers.fast.address());
    let jobs = Proxy::start(servers.jobs.address());
    let node = Node::start(&fast.url(), &[("KIBITZER__CLUSTER__JOBS_URL", &jobs.url())]);
    (node, [fast, jobs])
}

/// Checks that a node without the servers answers by itself, and nothing about its job.
async fn assert_works_alone(node: &Node, job: &str) {
    let body = json!({ "fen": "startpos", "nodes": 20_000, "fresh": true });
    let answer = node.best_move_of(&body).await;
    assert_eq!((&answer["source"], answer["best_move"].is_string()), (&json!("search"), true));
    let (status, problem) = node.ask(Method::GET, job).await;
    assert_eq!((status, &problem["code"]), (503, &"not_ready".into()));
}

/// Cuts the node that runs a job off until another one has gone on with it.
async fn cut_the_node_of_a_job_off(fault: Fault) {
    let servers = Servers::start().await;
    let (first, proxies) = start_behind_proxies(&servers).await;
    let job = start_job(&first, 150_000).await;
    // Only now, so that the first node has the job.
    let second = servers.node();
    let mut shown = ShownFindings::default();
    for node in [&first, &second] {
        shown.note(&job, &node.get_json(&job).await);
    }

    proxies.iter().for_each(|proxy| proxy.set(fault));
    until("the node says so", LONG, async || first.degraded().await == json!(["cluster", "jobs"]))
        .await;
    assert_works_alone(&first, &job).await;
    shown.note(&job, &second.get_json(&job).await);
    let before = shown.count(&job);
    until("another node goes on with the job", LONG, async || {
        shown.note(&job, &second.get_json(&job).await);
        shown.count(&job) > before
    })
    .await;
    assert_works_alone(&first, &job).await;

    proxies.iter().for_each(|proxy| proxy.set(Fault::None));
    first.wait_until_degraded(false).await;
    first.wait_for_log("another node runs the job now").await;
    let done = second.wait_for_job(&job).await;
    assert_eq!(first.wait_for_job(&job).await, done);
    shown.note(&job, &done);
    assert_complete(&done, 2, 10);
    assert_eq!(stored_evaluations(&servers.jobs, &job).await, 22);
    first.wait_for_nodes(2).await;
}

#[tokio::test]
async fn a_job_goes_on_elsewhere_when_its_node_gets_no_answers() {
    cut_the_node_of_a_job_off(Fault::Swallow).await;
}

#[tokio::test]
async fn what_a_cut_off_node_has_sent_about_its_job_changes_nothing_when_it_arrives() {
    cut_the_node_of_a_job_off(Fault::Hold).await;
}
