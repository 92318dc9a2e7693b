//! The server process that is killed.

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

use crate::serve::ServeProcess;

/// A server process. Dropping this value kills it.
pub(crate) struct Server {
    child: Arc<Mutex<Child>>,
    /// Whether the next write kills the process.
    kill_on_write: Arc<AtomicBool>,
    client: Client,
    base: String,
    /// Log lines about writes.
    log: mpsc::Receiver<Value>,
    in_flight: u64,
}

impl Server {
    /// Starts a server on the folder and waits until it is ready.
    pub(crate) async fn start(folder: &Path) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).env("KIBITZER__STORE__PATH", folder);
        command.envs([
            ("KIBITZER__LOG__FORMAT", "json"),
            ("KIBITZER__LOG__LEVEL", "info,kibitzer::analysis::jobs=debug"),
            ("KIBITZER__SEARCH__HASH_MB", "8"),
            ("KIBITZER__SEARCH__WORKERS", "2"),
        ]);
        let ServeProcess { child, address, start_log, log: lines } =
            ServeProcess::spawn(&mut command);
        let base = format!("http://{address}");
        let (log_sender, log) = mpsc::channel();
        let (child, kill_on_write) =
            (Arc::new(Mutex::new(child)), Arc::new(AtomicBool::new(false)));
        let (process, kill_flag) = (child.clone(), kill_on_write.clone());
        // The receiver is dropped only at the end of the test.
        let is_about_writes =
            |event: &Value| matches!(event["message"].as_str(), Some("writing" | "written"));
        for event in start_log.into_iter().filter(is_about_writes) {
            let _ = log_sender.send(event);
        }
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                // A write takes milliseconds, so the kill comes first.
                if kill_flag.load(Ordering::Relaxed) && line.contains("\"writing\"") {
                    process.lock().unwrap().kill().expect("a child can be killed");
                    kill_flag.store(false, Ordering::Relaxed);
                }
                let line: Value = serde_json::from_str(&line).unwrap_or_default();
                if is_about_writes(&line) && log_sender.send(line).is_err() {
                    break;
                }
            }
        });
        let client = kibitzer::client::plain_http()
            .expect("a client")
            .no_proxy()
            .timeout(Duration::from_secs(60))
            .build()
            .expect("a client");
        let server = Server { child, kill_on_write, client, base, log, in_flight: 0 };
        server.wait_until_ready().await;
        server
    }

    async fn wait_until_ready(&self) {
        for _ in 0..2_000 {
            if self
                .request(Method::GET, "/readyz")
                .send()
                .await
                .is_ok_and(|answer| answer.status() == 200)
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the server is not ready after 10 s");
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    /// Kills the process at its next logged write; waits up to 2 s for one.
    pub(crate) async fn kill_at_next_write(&self) {
        self.kill_on_write.store(true, Ordering::Relaxed);
        for _ in 0..1_000 {
            if !self.kill_on_write.load(Ordering::Relaxed) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The searches in flight at the start of the last write.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Kills the process, on Unix by SIGKILL. `true` if its last log line about writes was the
    /// start of one.
    pub(crate) fn kill_now(&mut self) -> bool {
        {
            let mut child = self.child.lock().unwrap();
            // The process may have ended already.
            child.kill().expect("a child can be killed");
            child.wait().expect("a child can be waited for");
        }
        // The channel ends after the last line of the log.
        let mut was_writing = false;
        while let Ok(line) = self.log.recv() {
            was_writing = line["message"] == "writing";
            self.in_flight = line["in_flight"].as_u64().unwrap_or(self.in_flight);
        }
        was_writing
    }

    /// Kills the process.
    pub(crate) fn kill(mut self) {
        self.kill_now();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}
