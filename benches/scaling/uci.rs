//! A UCI engine as a child process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use kibitzer::chess::Position;

use crate::BenchResult;

/// A running UCI engine. Dropping this value kills it.
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    pub(crate) fn start(
        program: &Path,
        arguments: &[&str],
        threads: usize,
        hash_mb: usize,
    ) -> BenchResult<Engine> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err("no pipes to the engine".into());
        };
        let mut engine = Engine { child, input, output: BufReader::new(output) };
        engine.send(&format!(
            "uci\nsetoption name Hash value {hash_mb}\nsetoption name Threads value {threads}"
        ))?;
        engine.new_game()?;
        Ok(engine)
    }

    /// Starts a new game with an empty table and waits until the engine is ready.
    pub(crate) fn new_game(&mut self) -> BenchResult<()> {
        self.send("ucinewgame\nisready")?;
        while self.read_line()? != "readyok" {}
        Ok(())
    }

    /// Starts a search.
    pub(crate) fn go(&mut self, position: &Position, limits: &str) -> BenchResult<()> {
        self.send(&format!("position fen {}\ngo {limits}", position.fen()))
    }

    /// The next line of the running search; `None` once it has ended.
    pub(crate) fn next_line(&mut self) -> BenchResult<Option<String>> {
        let line = self.read_line()?;
        Ok((!line.starts_with("bestmove")).then_some(line))
    }

    /// Sends commands, one a line.
    pub(crate) fn send(&mut self, commands: &str) -> BenchResult<()> {
        // One write: a first part would wake the engine, which might then occupy the core that the
        // second part needs.
        self.input.write_all(format!("{commands}\n").as_bytes())?;
        Ok(())
    }

    fn read_line(&mut self) -> BenchResult<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("the engine has ended".into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

/// The number after a word of an `info` line.
pub(crate) fn info_number(line: &str, name: &str) -> Option<u64> {
    let mut words = line.split(' ').skip_while(|&word| word != name);
    words.nth(1)?.parse().ok()
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Both calls fail if the engine has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
