//! A UCI engine as a child process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kibitzer::chess::Position;

use crate::BenchResult;

/// A running UCI engine. Dropping this value kills it.
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// The last `info` of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Info {
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// The time since the start of the search, as reported by the engine.
    pub(crate) elapsed: Duration,
}

impl Info {
    /// Nodes per second.
    pub(crate) fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(0.001)
    }
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

    /// Waits for the end of the search: its last info, and the time of the wait.
    pub(crate) fn finish(&mut self) -> BenchResult<(Info, Duration)> {
        let started = Instant::now();
        let mut last = Info::default();
        while let Some(info) = self.next_info()? {
            last = info;
        }
        Ok((last, started.elapsed()))
    }

    /// The next info of the running search; `None` once it has ended.
    pub(crate) fn next_info(&mut self) -> BenchResult<Option<Info>> {
        loop {
            let line = self.read_line()?;
            if line.starts_with("bestmove") {
                return Ok(None);
            }
            let number = |name| {
                let mut words = line.split(' ').skip_while(|&word| word != name);
                words.nth(1)?.parse::<u64>().ok()
            };
            if let (Some(depth), Some(nodes), Some(ms)) =
                (number("depth"), number("nodes"), number("time"))
            {
                return Ok(Some(Info {
                    depth: u32::try_from(depth)?,
                    nodes,
                    elapsed: Duration::from_millis(ms),
                }));
            }
        }
    }

    /// Stops the search.
    pub(crate) fn stop(&mut self) -> BenchResult<()> {
        self.send("stop")
    }

    fn send(&mut self, commands: &str) -> BenchResult<()> {
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

impl Drop for Engine {
    fn drop(&mut self) {
        // Both calls fail if the engine has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
