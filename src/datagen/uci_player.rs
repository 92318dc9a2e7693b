//! Another engine, over the Universal Chess Interface.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::DatagenError;
use super::player::{Judged, Player};
use crate::chess::{CastlingText, Game, Move, read_move, to_uci};
use crate::engine::LinearScore;

/// A process that plays. It ends with this.
pub struct UciPlayer {
    path: PathBuf,
    _process: Process,
    input: ChildStdin,
    /// What it says, line by line; a thread of its own reads it, so that nobody waits for ever.
    output: Receiver<io::Result<String>>,
    /// How long it may take to answer.
    patience: Duration,
    nodes: u64,
    knows_chess960: bool,
}

/// A process that is killed when nobody wants it any more.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended already needs no more.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An engine that has not answered for so long has failed: a second more for every so many nodes of
/// a move.
const PATIENCE: Duration = Duration::from_secs(60);
const NODES_A_SECOND: u64 = 1_000;

/// No line of an engine is longer, in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// Lines that an engine may be ahead of us.
const LINES_AHEAD: usize = 64;

impl UciPlayer {
    /// Starts an engine that searches so many nodes a move with one thread and a table of so many
    /// MiB.
    ///
    /// # Errors
    ///
    /// When it does not start or does not introduce itself.
    pub fn start(path: &Path, hash_mb: usize, nodes: u64) -> Result<UciPlayer, DatagenError> {
        UciPlayer::start_with(
            path,
            hash_mb,
            nodes,
            PATIENCE + Duration::from_secs(nodes / NODES_A_SECOND),
        )
    }

    fn start_with(
        path: &Path,
        hash_mb: usize,
        nodes: u64,
        patience: Duration,
    ) -> Result<UciPlayer, DatagenError> {
        let io = |error| DatagenError::io(path.to_owned(), error);
        let command = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = Process(command.map_err(io)?);
        let (Some(input), Some(output)) = (process.0.stdin.take(), process.0.stdout.take()) else {
            return Err(DatagenError::engine(path.to_owned(), "it has no pipes"));
        };
        let output = lines_of(output).map_err(io)?;
        let path = path.to_owned();
        let mut player = UciPlayer {
            path,
            _process: process,
            input,
            output,
            patience,
            nodes,
            knows_chess960: false,
        };
        let until = player.ask("uci")?;
        loop {
            let line = player.hear(until)?;
            player.knows_chess960 |= line.starts_with("option name UCI_Chess960 ");
            if line == "uciok" {
                break;
            }
        }
        player
            .say(&format!("setoption name Hash value {hash_mb}\nsetoption name Threads value 1"))?;
        Ok(player)
    }

    fn say(&mut self, lines: &str) -> Result<(), DatagenError> {
        let sent =
            self.input.write_all(format!("{lines}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| DatagenError::io(self.path.clone(), error))
    }

    /// Says something that has an answer, and until when it has to come.
    fn ask(&mut self, lines: &str) -> Result<Instant, DatagenError> {
        self.say(lines)?;
        Ok(Instant::now() + self.patience)
    }

    fn hear(&mut self, until: Instant) -> Result<String, DatagenError> {
        let left = until.saturating_duration_since(Instant::now());
        // A line that waits is received without any time left, too: one that talks for ever would
        // never be late.
        let heard = if left.is_zero() {
            Err(RecvTimeoutError::Timeout)
        } else {
            self.output.recv_timeout(left)
        };
        match heard {
            Ok(line) => line.map_err(|error| DatagenError::io(self.path.clone(), error)),
            Err(RecvTimeoutError::Disconnected) => Err(self.broken("it has ended".to_owned())),
            Err(RecvTimeoutError::Timeout) => {
                Err(self
                    .broken(format!("it has not answered for {} s", self.patience.as_secs_f64())))
            }
        }
    }

    fn broken(&self, what: String) -> DatagenError {
        DatagenError::engine(self.path.clone(), what)
    }

    fn castling(&self, game: &Game) -> CastlingText {
        if self.knows_chess960 && game.start().is_chess960() {
            CastlingText::Chess960
        } else {
            CastlingText::Standard
        }
    }
}

impl Player for UciPlayer {
    fn begin(&mut self, game: &Game) -> Result<(), DatagenError> {
        if self.knows_chess960 {
            self.say(&format!("setoption name UCI_Chess960 value {}", game.start().is_chess960()))?;
        }
        let until = self.ask("ucinewgame\nisready")?;
        while self.hear(until)? != "readyok" {}
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Judged, DatagenError> {
        let until = self.ask(&format!(
            "position fen {}{}\ngo nodes {}",
            start_fen(game),
            moves(game, self.castling(game)),
            self.nodes
        ))?;
        let mut score = None;
        loop {
            let line = self.hear(until)?;
            if let Some(best) = line.strip_prefix("bestmove ") {
                let text = best.split(' ').next().unwrap_or_default();
                let mv: Move = read_move(game.position(), text).map_err(|why| {
                    self.broken(format!("{text} in {}: {why}", game.position().fen()))
                })?;
                let score = score
                    .ok_or_else(|| self.broken(format!("no score in {}", game.position().fen())))?;
                return Ok(Judged { mv, score });
            }
            score = read_score(&line).or(score);
        }
    }
}

/// The lines of an engine, without their ends, until it closes its output or a line can't be read.
fn lines_of(output: impl Read + Send + 'static) -> io::Result<Receiver<io::Result<String>>> {
    let (sender, lines) = sync_channel(LINES_AHEAD);
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
    if output.take(LONGEST_LINE + 1).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > LONGEST_LINE {
        return Err(io::Error::other(format!("a line of more than {LONGEST_LINE} bytes")));
    }
    Ok(Some(line.trim_end().to_owned()))
}

fn start_fen(game: &Game) -> String {
    if game.start().is_chess960() { game.start().shredder_fen() } else { game.start().fen() }
}

fn moves(game: &Game, castling: CastlingText) -> String {
    let positions = (0..).map_while(|index| game.position_before(index));
    let texts =
        game.moves().iter().zip(positions).map(|(&mv, position)| to_uci(position, mv, castling));
    texts.fold(String::new(), |line, text| {
        if line.is_empty() { format!(" moves {text}") } else { format!("{line} {text}") }
    })
}

/// No engine means more by a score, in centipawns or moves; what goes beyond it counts as this.
const MOST: i32 = 1_000_000;

/// The score of an `info` line of the best variation, bounds left out. What another engine takes
/// for a centipawn is kept as it is.
fn read_score(line: &str) -> Option<LinearScore> {
    let words: Vec<&str> = line.strip_prefix("info ")?.split_whitespace().collect();
    let behind = |word| words.iter().position(|&found| found == word).map(|place| place + 1);
    if behind("multipv").is_some_and(|place| words.get(place) != Some(&"1"))
        || behind("string").is_some()
    {
        return None;
    }
    if behind("lowerbound").is_some() || behind("upperbound").is_some() {
        return None;
    }
    let kind = behind("score")?;
    let value = words.get(kind + 1)?.parse::<i32>().ok()?.clamp(-MOST, MOST);
    match *words.get(kind)? {
        "cp" => Some(LinearScore::Cp(value)),
        "mate" => Some(LinearScore::Mate(value)),
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
            Some(LinearScore::Cp(-31))
        );
        assert_eq!(
            read_score("info depth 5 multipv 1 score mate -2 nodes 20"),
            Some(LinearScore::Mate(-2))
        );
        assert_eq!(read_score("info depth 5 score cp -2147483648"), Some(LinearScore::Cp(-MOST)));
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
    fn who_does_not_answer_in_time_has_failed_whether_silent_or_talking() {
        // The first says back what it hears, the second says `y` for ever.
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
        let heard: Vec<String> =
            lines_of(&b"uciok\r\n\nreadyok"[..]).unwrap().into_iter().map(Result::unwrap).collect();
        assert_eq!(heard, ["uciok", "", "readyok"]);
        let endless = b"uciok\n".iter().copied().chain([b'x'; 1 << 17]).collect::<Vec<u8>>();
        let heard: Vec<bool> = lines_of(io::Cursor::new(endless))
            .unwrap()
            .into_iter()
            .map(|line| line.is_ok())
            .collect();
        assert_eq!(heard, [true, false]);
    }
}
