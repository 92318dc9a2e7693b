//! The measured server, in its own process.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::client::{RemoteError, plain_http};
use reqwest::Client;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep};

use crate::BenchResult;

/// Longest time until a server is ready.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(10);

/// A server process. Dropping it kills the process.
pub(crate) struct Server {
    pub(crate) url: String,
    child: Child,
    // Kept because dropping it deletes the folder.
    _folder: TempDir,
}

impl Server {
    /// Starts a server with these settings (TOML, as in `config/default.toml`). `$FOLDER` in them
    /// is replaced by the path of a temporary folder.
    pub(crate) async fn start(settings: &str) -> BenchResult<Server> {
        let folder = TempDir::new()?;
        let file = folder.path().join("kibitzer.toml");
        let settings = settings.replace("$FOLDER", &folder.path().display().to_string());
        // A log line per request would be part of the measurement. All clients have one address, so
        // its share of connections and memory is no limit here.
        std::fs::write(
            &file,
            format!(
                "log.format = \"json\"\nlog.level = \"error,kibitzer::app=info\"\n\
                 http.connections_per_client = 2048\nhttp.requests_mb = 256\n{settings}"
            ),
        )?;
        let mut child = Command::new(env!("CARGO_BIN_EXE_kibitzer"))
            .args([
                Path::new("serve"),
                Path::new("--config"),
                file.as_path(),
                Path::new("--listen"),
            ])
            .arg("127.0.0.1:0")
            .stdout(Stdio::piped())
            .spawn()?;
        let log = BufReader::new(child.stdout.take().ok_or("the server has no stdout")?);
        let address = read_listen_address(log)?;
        let mut server = Server { url: format!("http://{address}"), child, _folder: folder };
        server.wait_until_ready().await?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> BenchResult<()> {
        let client = client()?;
        let started = Instant::now();
        while started.elapsed() < STARTUP_TIMEOUT {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the server exited before it was ready: {status}").into());
            }
            let probe = client.get(format!("{}/readyz", self.url)).send().await;
            if probe.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Err(format!("the server was not ready within {} s", STARTUP_TIMEOUT.as_secs()).into())
    }

    /// The resident memory of the process in MB, on Linux.
    pub(crate) fn resident_mb(&self) -> BenchResult<f64> {
        resident_mb(self.child.id())
    }

    /// Starts to read the memory of the process ten times per second.
    pub(crate) fn sample_memory(&self) -> MemorySampler {
        let process = self.child.id();
        let (stop, mut stopped) = oneshot::channel();
        let samples = tokio::spawn(async move {
            let mut samples = Vec::new();
            let mut tick = interval(Duration::from_millis(100));
            while samples.len() < MAX_SAMPLES {
                tokio::select! {
                    _ = &mut stopped => break,
                    _ = tick.tick() => match resident_mb(process) {
                        Ok(mb) => samples.push(mb),
                        // The process has exited.
                        Err(_) => break,
                    },
                }
            }
            samples
        });
        MemorySampler { stop, samples }
    }
}

/// Reads the log up to the line `listening`, and returns the address. A thread discards the rest.
fn read_listen_address(mut log: BufReader<ChildStdout>) -> BenchResult<String> {
    let address = loop {
        let mut line = String::new();
        if log.read_line(&mut line)? == 0 {
            return Err("the server ended before it was ready".into());
        }
        let event: Value =
            serde_json::from_str(&line).map_err(|_| "a log line of the server is not JSON")?;
        if event["message"] == "listening" {
            break event["address"].as_str().ok_or("`listening` has no `address`")?.to_owned();
        }
    };
    thread::spawn(move || io::copy(&mut log, &mut io::sink()));
    Ok(address)
}

/// Samples of the memory of a server.
pub(crate) struct MemorySampler {
    stop: oneshot::Sender<()>,
    samples: JoinHandle<Vec<f64>>,
}

impl MemorySampler {
    /// Stops sampling. Returns the minimum, the mean and the maximum in MB.
    pub(crate) async fn finish(self) -> BenchResult<(f64, f64, f64)> {
        drop(self.stop);
        let samples = self.samples.await?;
        if samples.is_empty() {
            return Err("the memory of the server could not be read".into());
        }
        let [minimum, maximum] = [f64::min as fn(f64, f64) -> f64, f64::max]
            .map(|choose| samples.iter().copied().reduce(choose).unwrap_or_default());
        Ok((minimum, samples.iter().sum::<f64>() / samples.len() as f64, maximum))
    }
}

/// Most samples: half an hour.
const MAX_SAMPLES: usize = 18_000;

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only if the process has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP client that bypasses any proxy.
pub(crate) fn client() -> Result<Client, RemoteError> {
    Ok(plain_http()?.no_proxy().build()?)
}

fn resident_mb(process: u32) -> BenchResult<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("/proc has no VmRSS of the process")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
