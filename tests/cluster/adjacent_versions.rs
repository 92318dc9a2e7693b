//! Two versions of kibitzer side by side, as in an upgrade of one node after the other.
//!
//! `KIBITZER_OTHER_VERSION` is the program of the other version. `tests/cluster/run` builds it.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::findings::{ShownFindings, assert_complete};
use crate::jobs::start_job;
use crate::limits::{TEN_PER_HOUR, limits, redeem, ticket};
use crate::mixed::assert_only_jobs_and_sessions_are_shared;
use crate::node::{Node, command_of};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

const THIS_VERSION: &str = env!("CARGO_BIN_EXE_kibitzer");

/// The program of the other version.
fn other_version() -> String {
    let program = std::env::var("KIBITZER_OTHER_VERSION").expect(
        "KIBITZER_OTHER_VERSION is the path that tests/cluster/other-version prints; \
         tests/cluster/run sets it",
    );
    let version = |program: &str| Command::new(program).arg("--version").output().unwrap().stdout;
    assert_ne!(version(&program), version(THIS_VERSION), "{program} is another version");
    program
}

fn start(program: &str, server: &RedisServer, settings: &[(&str, &str)]) -> Node {
    Node::start_command(&mut command_of(program, &server.url(), settings))
}

#[tokio::test]
async fn two_versions_share_jobs_and_sessions_but_no_searches() {
    let server = RedisServer::start_durable().await;
    let this = start(THIS_VERSION, &server, &[]);
    let other = start(&other_version(), &server, &[]);
    let joined = "a node joined the cluster with another engine, network or set of tablebases; it \
                  shares no searches and no analyses with this one";
    this.wait_for_log(joined).await;
    assert_eq!(
        other
            .logged(
                "nodes with another engine, network or set of tablebases share no searches and no \
                 analyses with this one"
            )
            .len(),
        1,
        "it knows the node that was there before"
    );
    assert_only_jobs_and_sessions_are_shared(&this, &other).await;
    let endless = json!({ "fen": "startpos", "infinite": true, "session": "board" });
    let older = other.start_analysis(&endless).await;
    until("it searches", LONG, async || !older.depths().is_empty()).await;
    let _newer = this.start_analysis(&endless).await;
    assert_eq!(older.end().await["reason"], "replaced");
}

#[tokio::test]
async fn two_versions_count_requests_together_and_redeem_tickets_of_each_other() {
    let server = RedisServer::start().await;
    let program = other_version();
    let nodes = [THIS_VERSION, &program].map(|program| start(program, &server, &TEN_PER_HOUR));
    for node in &nodes {
        node.wait_until_degraded(false).await;
    }
    for (issuer, redeemer) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
        let issued = ticket(issuer).await;
        assert_eq!((redeem(redeemer, &issued).await, redeem(issuer, &issued).await), (200, 401));
    }
    // Each ticket was issued by a request, redeemed by one, and refused to one.
    for request in 6..10 {
        assert_eq!(limits(&nodes[request % 2]).await.status(), 200);
    }
    for node in &nodes {
        assert_eq!(limits(node).await.status(), 429);
    }
}

/// Lets a program accept and begin a job, which the other one finishes once it is killed.
async fn hand_a_job_over(from: &str, to: &str) {
    let server = RedisServer::start_durable().await;
    let (mut first, second) = (start(from, &server, &[]), start(to, &server, &[]));
    // Meanwhile only the first one can begin the job.
    second.signal("-STOP");
    let job = start_job(&first, 15_000).await;
    let mut shown = ShownFindings::default();
    shown.note(&job, &first.get_json(&job).await);
    first.kill();
    let killed = Instant::now();
    second.signal("-CONT");
    shown.note(&job, &second.get_json(&job).await);
    let before = shown.count(&job);
    assert!((2..20).contains(&before), "{before} findings");
    until("it goes on", LONG, async || {
        shown.note(&job, &second.get_json(&job).await);
        shown.count(&job) > before
    })
    .await;
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
    let done = second.wait_for_job(&job).await;
    shown.note(&job, &done);
    assert_complete(&done, 2, 10);
    let third = start(from, &server, &[]);
    assert_eq!(third.wait_for_job(&job).await, done);
}

#[tokio::test]
async fn a_job_of_one_version_goes_on_with_the_next_one_when_its_node_is_killed() {
    hand_a_job_over(THIS_VERSION, &other_version()).await;
}

#[tokio::test]
async fn a_job_of_one_version_goes_on_with_the_one_before_when_its_node_is_killed() {
    hand_a_job_over(&other_version(), THIS_VERSION).await;
}
