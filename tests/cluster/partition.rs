//! A partition by network namespaces: two nodes and the servers on one side, a third node on the
//! other.
//!
//! The test starts itself again in a network namespace of its own, where it may create a second
//! one. That needs no root if users may create namespaces.

use std::fs::read_link;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use redis::AsyncTypedCommands;
use reqwest::Method;
use serde_json::json;

use crate::findings::{ShownFindings, assert_complete, stored_evaluations};
use crate::full_run::is_full_run;
use crate::jobs::GAME;
use crate::node::{Node, command};
use crate::redis_server::RedisServer;
use crate::wait::{LONG, until};

const TEST: &str = "partition::a_partition_costs_no_finding_and_no_answer";

/// Set in the process that runs in the namespace.
const IS_INSIDE: &str = "KIBITZER_TEST_IN_NAMESPACE";

/// The least time that the partition lasts: longer than a claim of a job. A minute with
/// `KIBITZER_FULL=1`.
const CUT: Duration = Duration::from_secs(10);

/// The fewest best moves of the cut-off node before the partition ends. After each, the test asks
/// for a job, which takes about a second: the time of an attempt to connect to the jobs' server.
const MIN_ANSWERS: u64 = 10;

/// The link that the partition cuts: the address of the servers, and that of the node.
const CLUSTER_LINK: [&str; 2] = ["10.99.0.1", "10.99.0.2"];

/// The link by which the test asks the node.
const CLIENT_LINK: [&str; 2] = ["10.99.1.1", "10.99.1.2"];

/// Runs a program to its end.
fn run(words: &str) {
    let mut words = words.split_whitespace();
    let (program, arguments) = (words.next().unwrap(), words.collect::<Vec<_>>());
    let output = Command::new(program).args(&arguments).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{program}: {error}; on Debian: apt-get install iproute2 util-linux")
    });
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {}: {error}", arguments.join(" "));
}

/// The arguments by which `unshare` may create a network namespace here.
fn arguments_of_unshare() -> &'static [&'static str] {
    let choices: [&[&str]; 2] = [&["--user", "--map-root-user", "--net"], &["--net"]];
    let mut errors = Vec::new();
    for choice in choices {
        match Command::new("unshare").args(choice).arg("true").output() {
            Ok(output) if output.status.success() => return choice,
            Ok(output) => errors.push(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    panic!(
        "unshare cannot create a network namespace; allow users to do so (sysctl \
         kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or run \
         the test as root: {}",
        errors.join("; ")
    );
}

/// Runs the test again in a network namespace.
fn run_inside() {
    let mut command = Command::new("unshare");
    command.args(arguments_of_unshare()).arg("--kill-child").arg(std::env::current_exe().unwrap());
    command.args(["--exact", TEST, "--nocapture"]).env(IS_INSIDE, "1");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "in the namespace:\n{text}");
}

/// The other side: a network namespace with two links to this one.
struct OtherSide {
    /// A process that keeps the namespace.
    holder: Child,
}

impl OtherSide {
    async fn start() -> OtherSide {
        run("ip link set lo up");
        let holder = Command::new("unshare").args(["--net", "sleep", "infinity"]).spawn().unwrap();
        let other = OtherSide { holder };
        let own_namespace = read_link("/proc/self/ns/net").unwrap();
        until("it has a namespace", LONG, async || {
            read_link(other.namespace()).is_ok_and(|namespace| namespace != own_namespace)
        })
        .await;
        let inside = format!("nsenter --net={}", other.namespace());
        for (name, [here, there]) in [("cluster", CLUSTER_LINK), ("client", CLIENT_LINK)] {
            let pid = other.holder.id();
            run(&format!("ip link add {name} type veth peer name {name} netns {pid}"));
            run(&format!("ip addr add {here}/24 dev {name}"));
            run(&format!("ip link set {name} up"));
            run(&format!("{inside} ip addr add {there}/24 dev {name}"));
            run(&format!("{inside} ip link set {name} up"));
        }
        other
    }

    fn namespace(&self) -> String {
        format!("/proc/{}/ns/net", self.holder.id())
    }

    /// Starts a node on this side, which uses these servers.
    fn start_node(&self, servers: &[RedisServer; 2]) -> Node {
        let [fast, jobs] =
            servers.each_ref().map(|server| server.url().replace("127.0.0.1", CLUSTER_LINK[0]));
        let settings =
            [("KIBITZER__CLUSTER__JOBS_URL", jobs.as_str()), ("KIBITZER__CLUSTER__NODE", "c")];
        let node = command(&fast, &settings);
        let mut inside = Command::new("nsenter");
        inside.arg(format!("--net={}", self.namespace())).arg(node.get_program());
        inside.args(node.get_args());
        inside.envs(node.get_envs().filter_map(|(name, value)| Some((name, value?))));
        inside.env("KIBITZER__LISTEN", format!("{}:0", CLIENT_LINK[1]));
        Node::start_command(&mut inside)
    }
}

impl Drop for OtherSide {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Starts servers that the other side reaches: one for jobs, and one for the rest.
async fn start_servers() -> [RedisServer; 2] {
    let reachable = ["--bind", "127.0.0.1", CLUSTER_LINK[0], "--protected-mode", "no"];
    let durable = [&reachable[..], &["--appendonly", "yes", "--appendfsync", "always"]].concat();
    [RedisServer::start_with(&reachable).await, RedisServer::start_with(&durable).await]
}

/// Accepts jobs on a node, and waits until it runs one of them that has shown a finding. Returns
/// their paths.
async fn accept_jobs(node: &Node, jobs: &RedisServer) -> Vec<String> {
    let mut connection = jobs.connect().await;
    let mut paths = Vec::new();
    for _ in 0..8 {
        paths.push(node.accept(GAME, 150_000 + paths.len() as u64).await);
    }
    until("the node runs a job", LONG, async || {
        for path in &paths {
            let lease = path.replace("/v1/games/", "k1:{j}:lease:");
            let holder = connection.get(lease).await.unwrap();
            if holder.is_some_and(|holder| holder.starts_with("c-"))
                && (1..5).contains(&node.moves_done(path).await)
            {
                return true;
            }
        }
        false
    })
    .await;
    paths
}

/// Notes what a node shows of each job.
async fn look(node: &Node, paths: &[String], shown: &mut ShownFindings) {
    for path in paths {
        shown.note(path, &node.get_json(path).await);
    }
}

/// Uses the nodes of both sides while they are apart.
async fn use_both_sides(
    [first, second]: [&Node; 2],
    cut_off: &Node,
    paths: &mut Vec<String>,
    shown: &mut ShownFindings,
) {
    let duration = if is_full_run() { Duration::from_secs(60) } else { CUT };
    let start = Instant::now();
    let mut answers = 0;
    while start.elapsed() < duration || answers < MIN_ANSWERS {
        let elapsed = start.elapsed();
        assert!(elapsed < duration + LONG, "{answers} answers of the cut-off node in {elapsed:?}");
        for node in [first, second] {
            look(node, paths, shown).await;
        }
        let body = json!({ "fen": "startpos", "nodes": 20_000 + answers, "fresh": true });
        let answer = cut_off.best_move_of(&body).await;
        assert!(answer["best_move"].is_string(), "{answer}");
        answers += 1;
        let (status, problem) = cut_off.ask(Method::GET, &paths[0]).await;
        assert_eq!((status, &problem["code"]), (503, &"not_ready".into()));
        if answers % 10 == 3 {
            paths.push(first.accept(GAME, 10_000).await);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!((first.nodes().await, second.nodes().await, cut_off.nodes().await), (2, 2, 1));
    assert_eq!(cut_off.degraded().await, json!(["cluster", "jobs"]));
}

#[tokio::test]
async fn a_partition_costs_no_finding_and_no_answer() {
    if std::env::var_os(IS_INSIDE).is_none() {
        return run_inside();
    }
    let other_side = OtherSide::start().await;
    let servers = start_servers().await;
    let [fast, jobs] = &servers;
    let settings = [("KIBITZER__CLUSTER__JOBS_URL", &jobs.url()[..])];
    let [first, second] = [(); 2].map(|()| Node::start(&fast.url(), &settings));
    let cut_off = other_side.start_node(&servers);
    let nodes = [&first, &second, &cut_off];
    for node in nodes {
        node.wait_for_nodes(3).await;
    }
    let mut paths = accept_jobs(&cut_off, jobs).await;
    let mut shown = ShownFindings::default();
    look(&cut_off, &paths, &mut shown).await;

    run("ip link set cluster down");
    use_both_sides([&first, &second], &cut_off, &mut paths, &mut shown).await;
    run("ip link set cluster up");
    let took = until("it is back", LONG, async || cut_off.degraded().await.is_null()).await;
    assert!(took <= Duration::from_secs(5), "{took:?}");
    for node in nodes {
        node.wait_for_nodes(3).await;
    }
    cut_off.wait_for_log("another node runs the job now").await;
    for path in &paths {
        let done = second.wait_for_job(path).await;
        shown.note(path, &done);
        assert_complete(&done, 1, 10);
        assert_eq!(stored_evaluations(jobs, path).await, 11);
        for node in nodes {
            assert_eq!(node.wait_for_job(path).await, done);
        }
    }
}
