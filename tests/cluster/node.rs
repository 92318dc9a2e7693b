//! A node of the cluster.

use std::io::BufRead;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::lines::{Lines, depth_of};
use crate::serve::ServeProcess;
use crate::wait::{LONG, until};

/// A process of `kibitzer serve`, killed when it is dropped.
pub(crate) struct Node {
    child: Child,
    client: Client,
    base: String,
    log: Arc<Mutex<Vec<Value>>>,
}

/// Reads of the shared cache that were answered in time.
pub(crate) const ANSWERED: &str = "kibitzer_cluster_cache_reads_total{outcome=\"answered\"}";

/// An analysis in progress. Dropping it leaves the analysis.
pub(crate) struct RunningAnalysis(JoinHandle<Value>, Arc<Mutex<Vec<u64>>>);

impl RunningAnalysis {
    /// The last line, once the analysis has ended.
    pub(crate) async fn end(mut self) -> Value {
        timeout(LONG, &mut self.0).await.expect("it ends").unwrap()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.is_finished()
    }

    /// The depths of all updates so far.
    pub(crate) fn depths(&self) -> Vec<u64> {
        self.1.lock().unwrap().clone()
    }
}

impl Drop for RunningAnalysis {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The command of a node with one worker.
pub(crate) fn command(url: &str, settings: &[(&str, &str)]) -> Command {
    command_of(env!("CARGO_BIN_EXE_kibitzer"), url, settings)
}

/// The command of a node with one worker, which runs this program.
pub(crate) fn command_of(program: &str, url: &str, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command.arg("serve").envs([
        ("KIBITZER__LISTEN", "127.0.0.1:0"),
        ("KIBITZER__CLUSTER__URL", url),
        ("KIBITZER__LOG__FORMAT", "json"),
        ("KIBITZER__SEARCH__HASH_MB", "8"),
        ("KIBITZER__SEARCH__WORKERS", "1"),
        ("KIBITZER__IDLE__POSITIONS", "0"),
        ("KIBITZER__SHUTDOWN__DRAIN_MS", "0"),
    ]);
    command.envs(settings.iter().copied());
    command
}

impl Node {
    /// Starts a node and waits until it listens.
    pub(crate) fn start(url: &str, settings: &[(&str, &str)]) -> Node {
        Node::start_command(&mut command(url, settings))
    }

    /// Starts a node at a port.
    pub(crate) fn start_at(port: u16, url: &str, settings: &[(&str, &str)]) -> Node {
        let mut command = command(url, settings);
        command.env("KIBITZER__LISTEN", format!("127.0.0.1:{port}"));
        Node::start_command(&mut command)
    }

    /// Starts a node by a command and waits until it listens.
    pub(crate) fn start_command(command: &mut Command) -> Node {
        let ServeProcess { child, address, start_log, log: lines } = ServeProcess::spawn(command);
        let log = Arc::new(Mutex::new(start_log));
        let shared = log.clone();
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                shared.lock().unwrap().push(serde_json::from_str(&line).unwrap_or_default());
            }
        });
        let client = kibitzer::client::plain_http().unwrap().no_proxy().build().unwrap();
        Node { child, client, base: format!("http://{address}"), log }
    }

    /// Starts a node with the name and waits until it knows of so many nodes.
    pub(crate) async fn start_named(url: &str, name: &str, nodes: u64) -> Node {
        let node = Node::start(url, &[("KIBITZER__CLUSTER__NODE", name)]);
        node.wait_for_nodes(nodes).await;
        node
    }

    /// Starts a node whose memory is empty and returns it with its first answer. On a busy machine
    /// its read of the shared cache may be late: then another node is started.
    pub(crate) async fn start_and_ask(url: &str, fen: &str, depth: u8) -> (Node, Value) {
        for _ in 0..10 {
            let node = Node::start(url, &[]);
            node.wait_until_degraded(false).await;
            let answer = node.best_move(fen, depth).await;
            if node.metric(ANSWERED).await == 1.0 {
                return (node, answer);
            }
        }
        panic!("no node has read the shared cache in time");
    }

    /// The body of a response with status 200.
    pub(crate) async fn get(&self, path: &str) -> String {
        let response = self.client.get(format!("{}{path}", self.base)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        response.text().await.unwrap()
    }

    pub(crate) async fn get_json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path).await).unwrap()
    }

    /// The best move of a position.
    pub(crate) async fn best_move(&self, fen: &str, depth: u8) -> Value {
        self.best_move_of(&json!({ "fen": fen, "depth": depth })).await
    }

    /// The answer to a request for a best move.
    pub(crate) async fn best_move_of(&self, body: &Value) -> Value {
        self.ask_best_move(body).await
    }

    /// As [`Node::best_move_of`], for a task of its own.
    pub(crate) fn ask_best_move(&self, body: &Value) -> impl Future<Output = Value> + use<> {
        let request = self.client.post(format!("{}/v1/best-move", self.base)).json(body);
        async {
            let response = request.send().await.unwrap();
            let status = response.status();
            let answer: Value = response.json().await.unwrap();
            assert_eq!(status, 200, "{answer}");
            answer
        }
    }

    /// Starts an analysis whose updates are read as they come.
    pub(crate) async fn start_analysis(&self, body: &Value) -> RunningAnalysis {
        let request = self.client.post(format!("{}/v1/analysis", self.base)).json(body);
        read_lines(request.header("accept", "application/x-ndjson")).await
    }

    /// Starts a batch of these lines.
    pub(crate) async fn start_batch(&self, lines: String) -> RunningAnalysis {
        let request = self.client.post(format!("{}/v1/batch", self.base)).body(lines);
        read_lines(request.header("content-type", "application/x-ndjson")).await
    }

    /// Sends a request without a body.
    pub(crate) async fn send(&self, method: Method, path: &str) -> Response {
        self.client.request(method, format!("{}{path}", self.base)).send().await.unwrap()
    }

    /// Sends a request without a body and returns its status and its body.
    pub(crate) async fn ask(&self, method: Method, path: &str) -> (u16, Value) {
        let response = self.send(method, path).await;
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }

    /// The request that submits games to review.
    fn submission(&self, pgn: &str, nodes: u64) -> RequestBuilder {
        let request = self.client.post(format!("{}/v1/games?nodes={nodes}", self.base));
        request.header("content-type", "application/x-chess-pgn").body(pgn.to_owned())
    }

    /// Submits games to review.
    pub(crate) async fn send_games(&self, pgn: &str, nodes: u64) -> Response {
        self.submission(pgn, nodes).send().await.unwrap()
    }

    /// Submits games to review, and returns status and body.
    pub(crate) async fn submit(&self, pgn: &str, nodes: u64, key: Option<&str>) -> (u16, Value) {
        let request = self.submission(pgn, nodes);
        let request =
            key.into_iter().fold(request, |request, key| request.header("idempotency-key", key));
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap())
    }

    /// Submits the same games to review again and again, in a task of its own. Returns the paths of
    /// the jobs.
    pub(crate) fn submit_many(
        &self,
        pgn: &str,
        nodes: u64,
        count: usize,
    ) -> impl Future<Output = Vec<String>> + use<> {
        let request = self.submission(pgn, nodes);
        async move {
            let mut paths = Vec::new();
            for _ in 0..count {
                let response = request.try_clone().unwrap().send().await.unwrap();
                let status = response.status();
                let job: Value = response.json().await.unwrap();
                assert_eq!(status, 202, "{job}");
                paths.push(format!("/v1/games/{}", job["id"].as_str().unwrap()));
            }
            paths
        }
    }

    /// Submits games to review, and returns the path of the job.
    pub(crate) async fn accept(&self, pgn: &str, nodes: u64) -> String {
        let (status, job) = self.submit(pgn, nodes, None).await;
        assert_eq!(status, 202, "{job}");
        format!("/v1/games/{}", job["id"].as_str().unwrap())
    }

    /// Waits for the end of a job, and returns it.
    pub(crate) async fn wait_for_job(&self, path: &str) -> Value {
        let mut job = Value::Null;
        until("the job ends", LONG, async || {
            job = self.ask(Method::GET, path).await.1;
            job["status"] == "done"
        })
        .await;
        job
    }

    /// Number of reviewed moves of a job.
    pub(crate) async fn moves_done(&self, path: &str) -> u64 {
        let (_, job) = self.ask(Method::GET, path).await;
        job["progress"]["moves_done"].as_u64().unwrap_or(0)
    }

    /// Waits until the analyses of this node are in the shared cache: some, and no more follow.
    pub(crate) async fn wait_until_shared(&self) {
        let written = "kibitzer_cluster_cache_writes_total{outcome=\"written\"}";
        until("the analyses are shared", LONG, async || {
            let before = self.metric(written).await;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            before > 0.0 && self.metric(written).await == before
        })
        .await;
    }

    /// The value of a metric with these labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("no metric {name}")).parse().unwrap()
    }

    /// The nodes that this one knows of, itself included.
    pub(crate) async fn nodes(&self) -> u64 {
        self.get_json("/v1/limits").await["cluster"]["nodes"].as_u64().unwrap()
    }

    pub(crate) async fn wait_for_nodes(&self, nodes: u64) {
        until(&format!("{nodes} nodes"), LONG, async || self.nodes().await == nodes).await;
    }

    /// The parts that the node says are missing.
    pub(crate) async fn degraded(&self) -> Value {
        let ready = self.get_json("/readyz").await;
        assert_eq!(ready["status"], "ready");
        ready["degraded"].clone()
    }

    /// `true` if the node says that it has lost the cluster.
    pub(crate) async fn is_degraded(&self) -> bool {
        let degraded = self.degraded().await;
        degraded.as_array().is_some_and(|parts| parts.contains(&"cluster".into()))
    }

    /// Waits until the node has lost the cluster, or until nothing is missing.
    pub(crate) async fn wait_until_degraded(&self, is_degraded: bool) {
        until(&format!("degraded: {is_degraded}"), LONG, async || {
            if is_degraded { self.is_degraded().await } else { self.degraded().await.is_null() }
        })
        .await;
    }

    /// The events of the log with this message.
    pub(crate) fn logged(&self, message: &str) -> Vec<Value> {
        let log = self.log.lock().unwrap();
        log.iter().filter(|event| event["message"] == message).cloned().collect()
    }

    /// The events of the log with this text in their message or their error.
    pub(crate) fn logged_with(&self, text: &str) -> Vec<Value> {
        let log = self.log.lock().unwrap();
        let has = |event: &Value, member: &str| {
            event[member].as_str().is_some_and(|value| value.contains(text))
        };
        let events = log.iter().filter(|event| has(event, "message") || has(event, "error"));
        events.cloned().collect()
    }

    pub(crate) async fn wait_for_log(&self, message: &str) {
        until(message, LONG, async || !self.logged(message).is_empty()).await;
    }

    /// Stops the process where it is, or lets it go on.
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills the process by SIGKILL.
    pub(crate) fn kill(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks the process to end and waits for it.
    pub(crate) fn terminate(&mut self) {
        self.signal("-TERM");
        self.wait_for_end();
    }

    /// Waits for the end of the process after [`Node::signal`].
    pub(crate) fn wait_for_end(&mut self) {
        assert!(self.child.wait().unwrap().success());
    }
}

/// Sends a request, and reads the lines of its response as they come.
async fn read_lines(request: RequestBuilder) -> RunningAnalysis {
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let depths = Arc::<Mutex<Vec<u64>>>::default();
    let seen = depths.clone();
    let reading = tokio::spawn(async move {
        let (mut lines, mut last) = (Lines::new(response), Value::Null);
        while let Some(line) = lines.next().await.unwrap() {
            seen.lock().unwrap().extend(depth_of(&line));
            last = line;
        }
        last
    });
    RunningAnalysis(reading, depths)
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}
