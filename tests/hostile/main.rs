//! Clients that try to take the memory of a server: half heads, half bodies, readers that read
//! nothing, over HTTP/1.1 and HTTP/2, and half messages of live boards. They come from 16 loopback
//! addresses, with and without a rate limit.
//! Each attack runs for 10 s against a server of its own; with `KIBITZER_FULL`, for 60 s.
//!
//! The server must keep its stated memory bound and answer an honest client. `make test-hostile`
//! runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its progress"
)]

mod attacks;
#[path = "../support/full_run.rs"]
mod full_run;
mod honest;
#[path = "../support/rss.rs"]
mod rss;
#[path = "../support/serve.rs"]
#[expect(dead_code, reason = "other tests read the log of the start")]
mod serve;

use std::net::SocketAddr;
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;

use attacks::Attack;
use full_run::is_full_run;
use honest::HonestClient;
use rss::status_kib;
use serve::ServeProcess;

/// The addresses of the attackers.
const ATTACKERS: u8 = 16;

/// An honest client waits at most this long for any response. Attackers, server and client share
/// the cores, so a shorter time would measure the machine.
const MAX_LATENCY: Duration = Duration::from_secs(10);

/// A server process, killed when it is dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    fn start(attack: Attack, requests_per_minute: u32) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs([
            ("KIBITZER__LOG__FORMAT", "json"),
            // The refusals of an attack would fill the log.
            ("KIBITZER__LOG__LEVEL", "warn,kibitzer::app=info"),
            ("KIBITZER__SEARCH__WORKERS", "2"),
        ]);
        command.envs(attack.settings().iter().copied());
        command.env("KIBITZER__RATE__REQUESTS", requests_per_minute.to_string());
        let ServeProcess { child, address, log, .. } = ServeProcess::spawn(&mut command);
        // Keeps the pipe empty, so that the server never waits for a reader of its log.
        std::thread::spawn(move || std::io::copy(&mut { log }, &mut std::io::sink()));
        Server { child, address }
    }

    fn rss_mb(&self, field: &str) -> u64 {
        status_kib(self.child.id(), field).expect("the server runs") >> 10
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn memory_bound_mb(address: SocketAddr) -> u64 {
    let client = kibitzer::client::plain_http().unwrap().no_proxy().build().unwrap();
    let limits = client.get(format!("http://{address}/v1/limits")).send().await.unwrap();
    let limits: Value = serde_json::from_slice(&limits.bytes().await.unwrap()).unwrap();
    limits["memory"]["bound_mb"].as_u64().expect("a number")
}

/// Runs one attack and prints what it did. Returns the violations.
async fn run(attack: Attack, requests_per_minute: u32, duration: Duration) -> Vec<String> {
    let name = attack.name();
    let server = Server::start(attack, requests_per_minute);
    let bound = memory_bound_mb(server.address).await;
    let before = server.rss_mb("VmRSS");
    let mut attackers = JoinSet::new();
    for number in 1..=ATTACKERS {
        attackers.spawn(attacks::run(attack, server.address, [127, 0, 2, number].into()));
    }
    let (http1, http2) = (HonestClient::http1(server.address), HonestClient::http2(server.address));
    let (http1, http2) = tokio::join!(http1.run(duration), http2.run(duration));
    attackers.shutdown().await;
    let peak = server.rss_mb("VmHWM");
    let rate = if requests_per_minute > 0 { "rate limit" } else { "no rate limit" };
    println!("{name}, {rate}: {before} MB before, {peak} MB at most, bound {bound} MB");
    let mut violations = Vec::new();
    if peak > bound {
        violations.push(format!("{name}, {rate}: {peak} MB is above the bound of {bound} MB"));
    }
    for (protocol, honest) in [("HTTP/1.1", http1), ("HTTP/2", http2)] {
        println!("  an honest client over {protocol}: {honest}");
        let who = format!("{name}, {rate}: an honest client over {protocol}");
        if honest.refused() > 0 {
            violations.push(format!("{who} was refused: {honest}"));
        }
        if honest.slowest() > MAX_LATENCY {
            violations.push(format!("{who} waited: {honest}"));
        }
    }
    violations
}

fn main() {
    let duration = Duration::from_secs(if is_full_run() { 60 } else { 10 });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let only: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let mut violations = Vec::new();
    for attack in Attack::ALL {
        if !only.is_empty() && !only.iter().any(|only| attack.name().contains(only.as_str())) {
            continue;
        }
        for requests_per_minute in [0, 12_000] {
            violations.extend(runtime.block_on(run(attack, requests_per_minute, duration)));
        }
    }
    for violation in &violations {
        println!("FAILED: {violation}");
    }
    std::process::exit(i32::from(!violations.is_empty()));
}
