//! An evaluator: another program that evaluates positions, through pipes.
//!
//! It reads packed boards of 32 bytes from its standard input. For each it writes an `i16` in
//! little-endian: centipawns from White's point of view, or [`IN_CHECK`]. It must answer what it
//! has read before it waits for more. What it writes to its standard error goes to ours.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow, ensure};

use crate::game_layout::PACKED_BYTES;

/// The answer for a position in check.
pub const IN_CHECK: i16 = i16::MAX;

/// Positions that are written before their answers are read. Their answers fit into a pipe, so
/// neither side waits for the other.
const POSITIONS_PER_TURN: usize = 4096;

const ANSWER_BYTES: usize = 2;

/// How long a program may take to exit after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);
const EXIT_POLL: Duration = Duration::from_millis(10);

/// A running evaluator. It is killed on drop.
pub(super) struct Evaluator {
    path: PathBuf,
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    answered: u64,
}

impl Evaluator {
    /// Starts the program at a path.
    pub(super) fn start(path: &Path) -> Result<Evaluator> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the evaluator {}", path.display()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.context("the evaluator has no standard output")?;
        Ok(Evaluator { path: path.to_owned(), child, input, output, answered: 0 })
    }

    /// The evaluations of these positions.
    pub(super) fn evaluate(&mut self, positions: &[[u8; PACKED_BYTES]]) -> Result<Vec<i16>> {
        let mut evaluations = Vec::with_capacity(positions.len());
        let mut answers = [0; POSITIONS_PER_TURN * ANSWER_BYTES];
        for turn in positions.chunks(POSITIONS_PER_TURN) {
            let answers = &mut answers[..turn.len() * ANSWER_BYTES];
            self.exchange(turn.as_flattened(), answers).map_err(|error| self.failure(error))?;
            let (pairs, _) = answers.as_chunks::<ANSWER_BYTES>();
            evaluations.extend(pairs.iter().map(|pair| i16::from_le_bytes(*pair)));
            self.answered += turn.len() as u64;
        }
        Ok(evaluations)
    }

    fn exchange(&mut self, positions: &[u8], answers: &mut [u8]) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(positions)?;
        input.flush()?;
        self.output.read_exact(answers)
    }

    /// Ends the program, which must have answered each position once.
    pub(super) fn finish(mut self) -> Result<()> {
        self.input = None;
        let mut rest = Vec::new();
        self.output.by_ref().take(1).read_to_end(&mut rest).map_err(|error| self.failure(error))?;
        let name = self.path.display();
        ensure!(rest.is_empty(), "the evaluator {name} writes more than one answer per position");
        let status = self.child.wait().with_context(|| format!("cannot wait for {name}"))?;
        ensure!(status.success(), "the evaluator {name} ended with {status}");
        Ok(())
    }

    /// The error of a failed exchange: what became of the program.
    fn failure(&mut self, error: io::Error) -> Error {
        self.input = None;
        let status = match self.wait() {
            Ok(Some(status)) => format!("it ended with {status}"),
            Ok(None) => "it closed a pipe and still runs".to_owned(),
            Err(error) => format!("it cannot be waited for: {error}"),
        };
        anyhow!(
            "the evaluator {} failed after {} positions: {status} ({error})",
            self.path.display(),
            self.answered
        )
    }

    fn wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        loop {
            match self.child.try_wait()? {
                None if Instant::now() < deadline => thread::sleep(EXIT_POLL),
                status => return Ok(status),
            }
        }
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        // After an error the program may still run. Failure means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
