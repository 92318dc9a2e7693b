//! The load generator: child processes of the program `kibitzer-loadtest`.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tokio::process::{Child, Command};

use crate::BenchResult;
use crate::server::Server;

/// The binary of another package, so cargo does not build it for this benchmark.
const PROGRAM: &str = concat!(env!("CARGO_BIN_EXE_kibitzer"), "-loadtest");

/// A running load generator. Dropping it kills the process.
pub(crate) struct LoadGenerator(Child);

impl LoadGenerator {
    /// Starts a load. `arguments` are those of `kibitzer-loadtest`, separated by spaces.
    pub(crate) fn start(
        server: &Server,
        arguments: &str,
        keys: &[String],
    ) -> BenchResult<LoadGenerator> {
        if !Path::new(PROGRAM).exists() {
            let build = "cargo build --locked --release --package kibitzer-loadtest";
            return Err(format!("{PROGRAM} does not exist; build it: {build}").into());
        }
        let mut command = Command::new(PROGRAM);
        command.args([&server.url, "--json"]).args(arguments.split_whitespace());
        for key in keys {
            command.args(["--key", key]);
        }
        Ok(LoadGenerator(
            command.env_remove("KIBITZER_KEY").stdout(Stdio::piped()).kill_on_drop(true).spawn()?,
        ))
    }

    /// Waits for the end of the process. Returns its report.
    pub(crate) async fn finish(self) -> BenchResult<Value> {
        let output = self.0.wait_with_output().await?;
        // A load generator without any answer exits with an error and still prints its report.
        serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("kibitzer-loadtest failed: {}", output.status).into())
    }

    /// Runs a load to its end. Returns its report.
    pub(crate) async fn run(
        server: &Server,
        arguments: &str,
        keys: &[String],
    ) -> BenchResult<Value> {
        LoadGenerator::start(server, arguments, keys)?.finish().await
    }
}

/// A number of a report, by its JSON Pointer.
pub(crate) fn number_at(report: &Value, pointer: &str) -> BenchResult<f64> {
    report
        .pointer(pointer)
        .and_then(Value::as_f64)
        .ok_or_else(|| format!("the report has no number at {pointer}: {report}").into())
}

/// Median, 99th percentile and maximum of the latencies, as text.
pub(crate) fn latency_summary(report: &Value) -> BenchResult<String> {
    let [median, p99, maximum] =
        ["p50", "p99", "max"].map(|name| number_at(report, &format!("/answer_ms/{name}")));
    Ok(format!("median {:.2} ms, p99 {:.2} ms, maximum {:.2} ms", median?, p99?, maximum?))
}
