//! An engine at the other end of two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kibitzer::chess::Position;

use crate::BenchResult;

/// A UCI engine; it ends with this.
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What an engine has said of a search so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Info {
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// From the start of the search, by the engine's clock.
    pub(crate) elapsed: Duration,
}

impl Info {
    /// Nodes a second.
    pub(crate) fn speed(&self) -> f64 {
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
        engine.say(&format!(
            "uci\nsetoption name Hash value {hash_mb}\nsetoption name Threads value {threads}"
        ))?;
        engine.forget()?;
        Ok(engine)
    }

    /// Begins a new game with an empty table, and waits until that is done.
    pub(crate) fn forget(&mut self) -> BenchResult<()> {
        self.say("ucinewgame\nisready")?;
        while self.line()? != "readyok" {}
        Ok(())
    }

    /// Begins a search.
    pub(crate) fn go(&mut self, position: &Position, limits: &str) -> BenchResult<()> {
        self.say(&format!("position fen {}\ngo {limits}", position.fen()))
    }

    /// Waits for the search's end: the last that was said of it, and how long the wait was.
    pub(crate) fn finish(&mut self) -> BenchResult<(Info, Duration)> {
        let begun = Instant::now();
        let mut last = Info::default();
        while let Some(info) = self.next_info()? {
            last = info;
        }
        Ok((last, begun.elapsed()))
    }

    /// The next that is said of the running search; `None` once it has ended.
    pub(crate) fn next_info(&mut self) -> BenchResult<Option<Info>> {
        loop {
            let line = self.line()?;
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

    /// Tells the search to stop.
    pub(crate) fn stop(&mut self) -> BenchResult<()> {
        self.say("stop")
    }

    fn say(&mut self, commands: &str) -> BenchResult<()> {
        // At once: a first half would wake the engine, which might then hold the core that the
        // second half needs.
        self.input.write_all(format!("{commands}\n").as_bytes())?;
        Ok(())
    }

    fn line(&mut self) -> BenchResult<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err("the engine has ended".into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing else to be done about either.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
