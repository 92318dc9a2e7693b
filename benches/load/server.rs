//! The server that is measured.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{interval, sleep};

use crate::BenchResult;

/// So long a server may take to start.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(10);

/// A server of its own process, which ends with this.
pub(crate) struct Server {
    pub(crate) url: String,
    child: Child,
    // Held until the end.
    _folder: TempDir,
}

impl Server {
    /// A server with these settings (TOML, as in `config/default.toml`), in which `$FOLDER` stands
    /// for a folder that ends with it.
    pub(crate) async fn start(settings: &str) -> BenchResult<Server> {
        let folder = TempDir::new()?;
        let file = folder.path().join("kibitzer.toml");
        let settings = settings.replace("$FOLDER", &folder.path().display().to_string());
        // Lines for each request would be measured with it.
        std::fs::write(
            &file,
            format!(
                "log.format = \"json\"\nlog.level = \"error,kibitzer::commands=info\"\n{settings}"
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
        let log = BufReader::new(child.stdout.take().ok_or("no log of the server")?);
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
                return Err(format!("the server has ended: {status}").into());
            }
            let probe = client.get(format!("{}/readyz", self.url)).send().await;
            if probe.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Err("the server does not get ready".into())
    }

    /// Its resident memory, in MB, as Linux tells it.
    pub(crate) fn resident_mb(&self) -> BenchResult<f64> {
        resident_mb(self.child.id())
    }

    /// Looks at its memory ten times a second, from now on.
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
                        // A process that has ended has none.
                        Err(_) => break,
                    },
                }
            }
            samples
        });
        MemorySampler { stop, samples }
    }
}

/// Where the server says that it listens; the rest of its log is read and passed over.
fn read_listen_address(mut log: BufReader<ChildStdout>) -> BenchResult<String> {
    let mut line = String::new();
    log.read_line(&mut line)?;
    let listening: Value = serde_json::from_str(&line).map_err(|_| "the server did not start")?;
    let address =
        listening["address"].as_str().ok_or("the server does not say where it listens")?.to_owned();
    thread::spawn(move || io::copy(&mut log, &mut io::sink()));
    Ok(address)
}

/// The memory of a server over a while.
pub(crate) struct MemorySampler {
    stop: oneshot::Sender<()>,
    samples: JoinHandle<Vec<f64>>,
}

impl MemorySampler {
    /// The least, the mean and the most that was seen, in MB.
    pub(crate) async fn finish(self) -> BenchResult<(f64, f64, f64)> {
        drop(self.stop);
        let samples = self.samples.await?;
        if samples.is_empty() {
            return Err("the server's memory could not be seen".into());
        }
        let [least, most] = [f64::min as fn(f64, f64) -> f64, f64::max]
            .map(|of| samples.iter().copied().reduce(of).unwrap_or_default());
        Ok((least, samples.iter().sum::<f64>() / samples.len() as f64, most))
    }
}

/// Half an hour of looks.
const MAX_SAMPLES: usize = 18_000;

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing else to be done about either.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that keeps its connections and asks no proxy.
pub(crate) fn client() -> reqwest::Result<Client> {
    Client::builder().no_proxy().build()
}

fn resident_mb(process: u32) -> BenchResult<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
