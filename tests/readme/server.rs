//! The real binary, on a port of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kibitzer::client::plain_http;
use serde_json::Value;

/// A running server, ended when it is dropped.
pub(crate) struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts the server with its defaults; it listens, but may not be ready yet.
    pub(crate) fn start() -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_kibitzer"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("KIBITZER__LOG__FORMAT", "json")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut log = BufReader::new(process.stdout.take().expect("the log")).lines();
        let address = log
            .find_map(|line| address(&line.expect("a line of the log")))
            .expect("the server says where it listens");
        // Somebody must go on reading, or the server would wait for its log one day.
        std::thread::spawn(move || log.for_each(drop));
        Server { process, address }
    }

    /// Waits until the server takes traffic.
    pub(crate) async fn wait_until_ready(&self) {
        let client = plain_http().expect("a client").no_proxy().build().expect("a client");
        let url = format!("http://{}/readyz", self.address);
        for _ in 0..200 {
            if client.get(&url).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the server is not ready after ten seconds");
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The address in the log line that says where the server listens.
fn address(line: &str) -> Option<SocketAddr> {
    let line: Value = serde_json::from_str(line).ok()?;
    let address = line.get("address").or_else(|| line.get("fields")?.get("address"))?;
    address.as_str()?.parse().ok()
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
