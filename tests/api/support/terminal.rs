//! The program on a terminal of its own: what a person sees, and Ctrl-C.

use std::io::{Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty};

/// Rows of every terminal.
const ROWS: u16 = 40;

/// How long a command may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program on a terminal.
pub(crate) struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    output: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    columns: u16,
}

/// A terminal after the end of the program.
pub(crate) struct FinishedTerminal {
    pub(crate) status: ExitStatus,
    /// What the program has written, with its control sequences.
    pub(crate) output: String,
    pub(crate) screen: vt100::Screen,
}

impl Terminal {
    /// Starts the program on a terminal of so many columns, with these variables.
    pub(crate) fn start(columns: u16, arguments: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(Size::new(ROWS, columns)).expect("a size");
        let command = Command::new(env!("CARGO_BIN_EXE_kibitzer")).args(arguments).env_clear();
        let command = command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        let command = command.env("KIBITZER__SEARCH__HASH_MB", "1");
        let child = command.envs(variables.iter().copied()).spawn(pts).expect("the program runs");
        let (pty, output) = (Arc::new(pty), Arc::new(Mutex::new(Vec::new())));
        let (source, target) = (Arc::clone(&pty), Arc::clone(&output));
        // The read fails when the program has ended.
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(length @ 1..) = (&*source).read(&mut bytes) {
                target.lock().expect("no reader panics").extend_from_slice(&bytes[..length]);
            }
        });
        Terminal { child, pty, output, reader, columns }
    }

    fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().expect("no reader panics")).into_owned()
    }

    /// Waits until the program has written this text.
    pub(crate) fn wait_for(&self, text: &str) {
        let started = Instant::now();
        while !self.output().contains(text) {
            assert!(started.elapsed() < TIMEOUT, "no {text:?} in {:?}", self.output());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses Ctrl-C.
    pub(crate) fn press_ctrl_c(&self) {
        (&*self.pty).write_all(b"\x03").expect("the terminal takes a key");
    }

    /// Waits for the end of the program.
    pub(crate) fn finish(mut self) -> FinishedTerminal {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if started.elapsed() > TIMEOUT {
                self.child.kill().expect("a child can be killed");
                panic!("the program still runs; it wrote {:?}", self.output());
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        self.reader.join().expect("the reader does not panic");
        let output = self.output.lock().expect("no reader panics").clone();
        let size = |cells: u16| cells.try_into().expect("a terminal has cells");
        let mut parser = vt100::Parser::new(size(ROWS), size(self.columns), 0);
        parser.process(&output);
        let output = String::from_utf8_lossy(&output).into_owned();
        FinishedTerminal { status, output, screen: parser.screen().clone() }
    }
}

impl FinishedTerminal {
    /// The lines on the screen, without the empty ones at the end.
    pub(crate) fn lines(&self) -> Vec<String> {
        let (_, columns) = self.screen.size();
        let rows = self.screen.rows(0, columns.into()).map(|row| row.trim_end().to_owned());
        let mut rows: Vec<String> = rows.collect();
        rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
        rows
    }
}
