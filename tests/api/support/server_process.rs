//! The program itself, as a child process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Client;

/// The program with these arguments, and an environment without settings.
pub(crate) fn kibitzer_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KIBITZER__")) {
        command.env_remove(name);
    }
    command
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    kibitzer_command(arguments).output().expect("the program runs")
}

/// A server that is a process of its own; it ends with this at the latest.
pub(crate) struct ServerProcess {
    pub(crate) client: Client,
    pub(crate) address: SocketAddr,
    child: Child,
    log: Option<JoinHandle<Vec<Value>>>,
}

impl ServerProcess {
    /// Starts `kibitzer serve` on a free port, with these settings in its environment.
    pub(crate) async fn start(settings: &[(&str, &str)]) -> ServerProcess {
        ServerProcess::start_command(
            kibitzer_command(&["serve", "--listen", "127.0.0.1:0"]),
            settings,
        )
        .await
    }

    /// Starts a server by a command of this kind.
    async fn start_command(mut command: Command, settings: &[(&str, &str)]) -> ServerProcess {
        command.envs([("KIBITZER__LOG__FORMAT", "json"), ("KIBITZER__SEARCH__HASH_MB", "1")]);
        command.envs(settings.iter().copied());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a piped stdout"));
        let listening = next_line(&mut lines);
        let address = listening["address"]
            .as_str()
            .expect("it says where it listens")
            .parse()
            .expect("an address");
        let log = Some(std::thread::spawn(move || read_log(lines)));
        let client = Client::new(address);
        client.wait_until_ready().await;
        ServerProcess { client, address, child, log }
    }

    /// Starts a server that is told by an error when a file may not grow, as a full disk tells it.
    pub(crate) async fn start_with_file_size_errors(settings: &[(&str, &str)]) -> ServerProcess {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_kibitzer")]);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        ServerProcess::start_command(command, settings).await
    }

    /// The number of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets the process write its files up to this length only, as a full disk does to what is new.
    pub(crate) fn limit_file_size(&self, bytes: &str) {
        let limit = format!("--fsize={bytes}:unlimited");
        let set = Command::new("prlimit").args(["--pid", &self.pid().to_string(), &limit]).status();
        assert!(set.expect("prlimit is there").success());
    }

    /// Sends a signal, `TERM` or `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status();
        assert!(sent.expect("kill is there").success());
    }

    /// Waits for the end of the process: its status, how long it took, and its log.
    pub(crate) fn wait_for_exit(mut self, timeout: Duration) -> (ExitStatus, Duration, Vec<Value>) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if started.elapsed() > timeout {
                self.child.kill().expect("a child can be killed");
                panic!("the server still runs after {timeout:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let took = started.elapsed();
        let log = self
            .log
            .take()
            .expect("nobody has waited before")
            .join()
            .expect("the log is read to its end");
        (status, took, log)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // One that has been waited for is no more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next_line(lines: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn read_log(mut lines: BufReader<ChildStdout>) -> Vec<Value> {
    let mut text = String::new();
    lines.read_to_string(&mut text).expect("a log is text");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line of the log is JSON"))
        .collect()
}
