//! A player with another engine, over the Universal Chess Interface.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::error::DatagenError;
use super::player::{Player, ScoredMove};
use kibitzer::chess::{CastlingNotation, Game, Move, parse_move, to_uci};
use kibitzer::engine::RawScore;

/// An engine process that plays. Dropping the player kills it.
pub struct UciPlayer {
    path: PathBuf,
    _child: ChildGuard,
    input: ChildStdin,
    /// Output of the engine, line by line. A separate thread reads it, so that waiting has a
    /// timeout.
    output: Receiver<io::Result<String>>,
    /// Longest time to an answer.
    response_timeout: Duration,
    nodes: u64,
    supports_chess960: bool,
}

/// A child process that is killed on drop.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // An error means that the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Longest time to an answer, plus one second per [`MIN_NODES_PER_SECOND`] nodes of a move.
const BASE_TIMEOUT: Duration = Duration::from_secs(60);
const MIN_NODES_PER_SECOND: u64 = 1_000;

/// Longest line of an engine, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// Most lines that wait to be received.
const MAX_BUFFERED_LINES: usize = 64;

impl UciPlayer {
    /// Starts an engine that searches `nodes` nodes per move, with one thread and a transposition
    /// table of `hash_mb` MiB.
    ///
    /// # Errors
    ///
    /// The engine does not start, or does not answer `uci`.
    pub fn start(path: &Path, hash_mb: usize, nodes: u64) -> Result<UciPlayer, DatagenError> {
        UciPlayer::start_with(
            path,
            hash_mb,
            nodes,
            BASE_TIMEOUT + Duration::from_secs(nodes / MIN_NODES_PER_SECOND),
        )
    }

    fn start_with(
        path: &Path,
        hash_mb: usize,
        nodes: u64,
        response_timeout: Duration,
    ) -> Result<UciPlayer, DatagenError> {
        let io_error = |error| DatagenError::io(path.to_owned(), error);
        let command = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = ChildGuard(command.map_err(io_error)?);
        let (Some(input), Some(output)) = (child.0.stdin.take(), child.0.stdout.take()) else {
            return Err(DatagenError::engine(path.to_owned(), "it has no pipes"));
        };
        let output = spawn_line_reader(output).map_err(io_error)?;
        let path = path.to_owned();
        let mut player = UciPlayer {
            path,
            _child: child,
            input,
            output,
            response_timeout,
            nodes,
            supports_chess960: false,
        };
        let deadline = player.send_with_deadline("uci")?;
        loop {
            let line = player.receive_line(deadline)?;
            player.supports_chess960 |= line.starts_with("option name UCI_Chess960 ");
            if line == "uciok" {
                break;
            }
        }
        player.send(&format!(
            "setoption name Hash value {hash_mb}\nsetoption name Threads value 1"
        ))?;
        Ok(player)
    }

    fn send(&mut self, lines: &str) -> Result<(), DatagenError> {
        let sent =
            self.input.write_all(format!("{lines}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| DatagenError::io(self.path.clone(), error))
    }

    /// Sends lines that have an answer. Returns its deadline.
    fn send_with_deadline(&mut self, lines: &str) -> Result<Instant, DatagenError> {
        self.send(lines)?;
        Ok(Instant::now() + self.response_timeout)
    }

    fn receive_line(&mut self, deadline: Instant) -> Result<String, DatagenError> {
        let left = deadline.saturating_duration_since(Instant::now());
        // `recv_timeout` returns a waiting line even without time left. An engine that writes
        // without end would never miss the deadline.
        let received = if left.is_zero() {
            Err(RecvTimeoutError::Timeout)
        } else {
            self.output.recv_timeout(left)
        };
        match received {
            Ok(line) => line.map_err(|error| DatagenError::io(self.path.clone(), error)),
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.engine_error("it has exited".to_owned()))
            }
            Err(RecvTimeoutError::Timeout) => Err(self.engine_error(format!(
                "it has not answered for {} s",
                self.response_timeout.as_secs_f64()
            ))),
        }
    }

    fn engine_error(&self, detail: String) -> DatagenError {
        DatagenError::engine(self.path.clone(), detail)
    }

    fn castling(&self, game: &Game) -> CastlingNotation {
        if self.supports_chess960 && game.start().is_chess960() {
            CastlingNotation::Chess960
        } else {
            CastlingNotation::Standard
        }
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, game: &Game) -> Result<(), DatagenError> {
        if self.supports_chess960 {
            self.send(&format!(
                "setoption name UCI_Chess960 value {}",
                game.start().is_chess960()
            ))?;
        }
        let deadline = self.send_with_deadline("ucinewgame\nisready")?;
        while self.receive_line(deadline)? != "readyok" {}
        Ok(())
    }

    fn choose_move(&mut self, game: &Game) -> Result<ScoredMove, DatagenError> {
        let deadline = self.send_with_deadline(&format!(
            "position fen {}{}\ngo nodes {}",
            start_fen(game),
            format_moves(game, self.castling(game)),
            self.nodes
        ))?;
        let mut score = None;
        loop {
            let line = self.receive_line(deadline)?;
            if let Some(best) = line.strip_prefix("bestmove ") {
                let text = best.split(' ').next().unwrap_or_default();
                let mv: Move = parse_move(game.position(), text).map_err(|error| {
                    self.engine_error(format!("{text} in {}: {error}", game.position().fen()))
                })?;
                let score = score.ok_or_else(|| {
                    self.engine_error(format!("no score in {}", game.position().fen()))
                })?;
                return Ok(ScoredMove { mv, score });
            }
            score = read_score(&line).or(score);
        }
    }
}

/// Starts a thread that reads the lines of an engine until its output ends or a line is invalid.
fn spawn_line_reader(
    output: impl Read + Send + 'static,
) -> io::Result<Receiver<io::Result<String>>> {
    let (sender, lines) = sync_channel(MAX_BUFFERED_LINES);
    thread::Builder::new().spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(line) = read_line(&mut output).transpose() {
            let failed = line.is_err();
            if sender.send(line).is_err() || failed {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// The next line; `None` at the end.
fn read_line(output: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if output.take(MAX_LINE_BYTES + 1).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(io::Error::other(format!("a line of more than {MAX_LINE_BYTES} bytes")));
    }
    Ok(Some(line.trim_end().to_owned()))
}

fn start_fen(game: &Game) -> String {
    if game.start().is_chess960() { game.start().shredder_fen() } else { game.start().fen() }
}

fn format_moves(game: &Game, castling: CastlingNotation) -> String {
    let positions = (0..).map_while(|index| game.position_before(index));
    let texts =
        game.moves().iter().zip(positions).map(|(&mv, position)| to_uci(position, mv, castling));
    texts.fold(String::new(), |line, text| {
        if line.is_empty() { format!(" moves {text}") } else { format!("{line} {text}") }
    })
}

/// Largest score in centipawns or moves. Larger ones are clamped.
const MAX_SCORE: i32 = 1_000_000;

/// The exact score of an `info` line of the best variation. Centipawns of the other engine are kept
/// unchanged.
fn read_score(line: &str) -> Option<RawScore> {
    let words: Vec<&str> = line.strip_prefix("info ")?.split_whitespace().collect();
    let index_after = |word| words.iter().position(|&found| found == word).map(|index| index + 1);
    if index_after("multipv").is_some_and(|index| words.get(index) != Some(&"1"))
        || index_after("string").is_some()
    {
        return None;
    }
    if index_after("lowerbound").is_some() || index_after("upperbound").is_some() {
        return None;
    }
    let kind = index_after("score")?;
    let value = words.get(kind + 1)?.parse::<i32>().ok()?.clamp(-MAX_SCORE, MAX_SCORE);
    match *words.get(kind)? {
        "cp" => Some(RawScore::Cp(value)),
        "mate" => Some(RawScore::Mate(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_scores_of_the_best_line_count() {
        assert_eq!(
            read_score("info depth 5 score cp -31 nodes 20 pv e2e4"),
            Some(RawScore::Cp(-31))
        );
        assert_eq!(
            read_score("info depth 5 multipv 1 score mate -2 nodes 20"),
            Some(RawScore::Mate(-2))
        );
        assert_eq!(read_score("info depth 5 score cp -2147483648"), Some(RawScore::Cp(-MAX_SCORE)));
        for line in [
            "info depth 5 multipv 2 score cp 3",
            "info depth 5 score cp 3 lowerbound nodes 7",
            "info string score cp 3",
            "info depth 5 currmove e2e4",
            "bestmove e2e4",
        ] {
            assert_eq!(read_score(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_that_misses_its_deadline_fails_whether_silent_or_chatty() {
        // The first echoes its input, the second prints `y` without end.
        for program in ["cat", "yes"] {
            let failed = UciPlayer::start_with(Path::new(program), 1, 1, Duration::from_millis(50))
                .err()
                .unwrap();
            assert!(
                failed.to_string().contains("it has not answered for 0.05 s"),
                "{program}: {failed}"
            );
        }
    }

    #[test]
    fn lines_come_one_by_one_until_the_end_or_a_line_too_long() {
        let received: Vec<String> = spawn_line_reader(&b"uciok\r\n\nreadyok"[..])
            .unwrap()
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(received, ["uciok", "", "readyok"]);
        let endless = b"uciok\n".iter().copied().chain([b'x'; 1 << 17]).collect::<Vec<u8>>();
        let received: Vec<bool> = spawn_line_reader(io::Cursor::new(endless))
            .unwrap()
            .into_iter()
            .map(|line| line.is_ok())
            .collect();
        assert_eq!(received, [true, false]);
    }
}
