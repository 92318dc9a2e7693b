//! The program as a child process.

use std::io::{BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Client;
use super::serve::ServeProcess;

/// The program with these arguments and without settings in its environment.
pub(crate) fn kibitzer_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KIBITZER__")) {
        command.env_remove(name);
    }
    command
}

/// Lets a server log in JSON and use little memory, and adds these settings to its environment.
pub(crate) fn set_environment(command: &mut Command, settings: &[(&str, &str)]) {
    command.envs([("KIBITZER__LOG__FORMAT", "json"), ("KIBITZER__SEARCH__HASH_MB", "1")]);
    command.envs(settings.iter().copied());
}

/// Sends a signal, `TERM` or `INT`, to a process.
pub(crate) fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(sent.expect("kill is installed").success());
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    kibitzer_command(arguments).output().expect("the program runs")
}

/// A server in its own process. Dropping this value kills it.
pub(crate) struct ServerProcess {
    pub(crate) client: Client,
    pub(crate) address: SocketAddr,
    child: Child,
    log: Option<JoinHandle<Vec<Value>>>,
}

impl ServerProcess {
    /// Starts `kibitzer serve` on a free port, with these settings in its environment.
    pub(crate) async fn start(settings: &[(&str, &str)]) -> ServerProcess {
        ServerProcess::start_at("127.0.0.1:0", settings).await
    }

    /// Starts `kibitzer serve` at an address, with these settings in its environment.
    pub(crate) async fn start_at(address: &str, settings: &[(&str, &str)]) -> ServerProcess {
        ServerProcess::start_command(kibitzer_command(&["serve", "--listen", address]), settings)
            .await
    }

    /// Starts a server with this command.
    async fn start_command(mut command: Command, settings: &[(&str, &str)]) -> ServerProcess {
        set_environment(&mut command, settings);
        let ServeProcess { child, address, start_log, log } = ServeProcess::spawn(&mut command);
        let log = Some(std::thread::spawn(move || [start_log, read_log(log)].concat()));
        let client = Client::new(address);
        client.wait_until_ready().await;
        ServerProcess { client, address, child, log }
    }

    /// Starts a server whose writes beyond the file size limit fail with an error, as on a full
    /// disk.
    pub(crate) async fn start_with_file_size_errors(settings: &[(&str, &str)]) -> ServerProcess {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_kibitzer")]);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        ServerProcess::start_command(command, settings).await
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Limits the size of the process's files, which simulates a full disk.
    pub(crate) fn limit_file_size(&self, bytes: &str) {
        let limit = format!("--fsize={bytes}:unlimited");
        let set = Command::new("prlimit").args(["--pid", &self.pid().to_string(), &limit]).status();
        assert!(set.expect("prlimit is installed").success());
    }

    /// Sends a signal, `TERM` or `INT`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// Shuts the server down by SIGTERM and expects exit status 0; returns its log.
    pub(crate) fn shut_down(self) -> Vec<Value> {
        self.signal("TERM");
        let (status, _, log) = self.wait_for_exit(Duration::from_secs(20));
        assert_eq!(status.code(), Some(0));
        log
    }

    /// Waits for the end of the process: its status, the wait and its log.
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
            .expect("this is the only wait")
            .join()
            .expect("the log reader did not panic");
        (status, took, log)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Both calls fail if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_log(mut lines: BufReader<ChildStdout>) -> Vec<Value> {
    let mut text = String::new();
    lines.read_to_string(&mut text).expect("the log is UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line of the log is JSON"))
        .collect()
}
