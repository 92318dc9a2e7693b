//! A scripted GUI.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The limit of every wait, which allows for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The program as a child process: commands go to its standard input, lines come from its output.
pub(crate) struct Gui {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Gui {
    /// Starts `kibitzer uci`.
    pub(crate) fn start() -> Gui {
        Gui::with(&[])
    }

    /// Starts `kibitzer uci` with more arguments.
    pub(crate) fn with(arguments: &[&str]) -> Gui {
        Gui::run(Command::new(env!("CARGO_BIN_EXE_kibitzer")).arg("uci").args(arguments))
    }

    /// Starts `kibitzer uci` with an address space of `kib` KiB.
    #[cfg(unix)]
    pub(crate) fn with_address_space(kib: u64) -> Gui {
        let script = format!("ulimit -v {kib} && exec \"$0\" uci");
        Gui::run(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_kibitzer")]))
    }

    pub(crate) fn run(command: &mut Command) -> Gui {
        let mut child = command
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy")
            .env_remove("HTTPS_PROXY")
            .env_remove("https_proxy")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send((Instant::now(), line.unwrap())).is_err() {
                    return;
                }
            }
        });
        Gui { child, input, lines }
    }

    /// Sends commands.
    pub(crate) fn send_commands(&mut self, commands: &str) -> Instant {
        self.send_bytes(format!("{commands}\n").as_bytes());
        Instant::now()
    }

    /// Sends raw bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Waits for a line that starts with `beginning`: its time, and all lines up to and including
    /// it.
    #[track_caller]
    pub(crate) fn wait_for(&self, beginning: &str) -> (Instant, Vec<String>) {
        let mut lines = Vec::new();
        let end = Instant::now() + TIMEOUT;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((when, line)) => {
                    let found = line.starts_with(beginning);
                    lines.push(line);
                    if found {
                        return (when, lines);
                    }
                }
                Err(error) => panic!("{error} for {beginning:?} after {lines:#?}"),
            }
        }
    }

    /// Sends `isready` and returns all lines before `readyok`.
    #[track_caller]
    pub(crate) fn wait_until_ready(&mut self) -> Vec<String> {
        self.send_commands("isready");
        let (_, mut lines) = self.wait_for("readyok");
        lines.pop();
        lines
    }

    /// Sends commands and `isready`; returns all lines before `readyok`.
    #[track_caller]
    pub(crate) fn run_commands(&mut self, commands: &str) -> Vec<String> {
        self.send_commands(commands);
        self.wait_until_ready()
    }

    /// Sends commands that end with a `go` and waits for the move: the infos, and the words of the
    /// last line.
    #[track_caller]
    pub(crate) fn search(&mut self, commands: &str) -> (Vec<String>, Vec<String>) {
        self.send_commands(commands);
        let (_, mut lines) = self.wait_for("bestmove");
        let last = lines.pop().unwrap();
        (lines, last.split(' ').map(str::to_owned).collect())
    }

    /// Asserts that no line starts with `beginning` during a period; returns its lines.
    #[track_caller]
    pub(crate) fn assert_no_line(&self, beginning: &str, during: Duration) -> Vec<String> {
        let end = Instant::now() + during;
        let mut lines = Vec::new();
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match self.lines.recv_timeout(left) {
                Ok((_, line)) => {
                    assert!(!line.starts_with(beginning), "{line} after {lines:#?}");
                    lines.push(line);
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the program has ended after {lines:#?}")
                }
            }
        }
        lines
    }

    /// Closes the program's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the program: its exit status and the remaining lines.
    pub(crate) fn wait_for_exit(mut self) -> (ExitStatus, Vec<String>) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < TIMEOUT, "the program still runs");
            thread::sleep(Duration::from_millis(5));
        };
        (status, self.lines.iter().map(|(_, line)| line).collect())
    }
}

impl Drop for Gui {
    fn drop(&mut self) {
        // Both calls fail if the program has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number or word after a word of a line.
pub(crate) fn value_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&found| found != word).nth(1)
}

/// The median time of `runs` runs, which get their number. A busy machine may delay a program
/// sometimes, but not most of the time.
pub(crate) fn median(runs: usize, run: impl FnMut(usize) -> Duration) -> Duration {
    let mut took: Vec<Duration> = (0..runs).map(run).collect();
    took.sort_unstable();
    took[runs / 2]
}
