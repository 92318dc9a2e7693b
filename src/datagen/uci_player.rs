//! Another engine, over the Universal Chess Interface.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::DatagenError;
use super::player::{Judged, Player};
use crate::chess::{CastlingText, Game, Move, read_move, to_uci};
use crate::engine::LinearScore;

/// A process that plays. It ends with this.
pub struct UciPlayer {
    path: PathBuf,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    nodes: u64,
    knows_chess960: bool,
}

impl UciPlayer {
    /// Starts an engine that searches so many nodes a move with one thread and a table of so many MiB.
    ///
    /// # Errors
    ///
    /// When it does not start or does not introduce itself.
    pub fn start(path: &Path, hash_mb: usize, nodes: u64) -> Result<UciPlayer, DatagenError> {
        let io = |error| DatagenError::io(path.to_owned(), error);
        let mut child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(io)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(DatagenError::engine(path.to_owned(), "it has no pipes"));
        };
        let output = BufReader::new(output);
        let mut player = UciPlayer { path: path.to_owned(), child, input, output, nodes, knows_chess960: false };
        player.say("uci")?;
        loop {
            let line = player.hear()?;
            player.knows_chess960 |= line.starts_with("option name UCI_Chess960 ");
            if line == "uciok" {
                break;
            }
        }
        player.say(&format!("setoption name Hash value {hash_mb}\nsetoption name Threads value 1"))?;
        Ok(player)
    }

    fn say(&mut self, lines: &str) -> Result<(), DatagenError> {
        let sent = self.input.write_all(format!("{lines}\n").as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|error| DatagenError::io(self.path.clone(), error))
    }

    fn hear(&mut self) -> Result<String, DatagenError> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(self.broken("it has ended".to_owned())),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(error) => Err(DatagenError::io(self.path.clone(), error)),
        }
    }

    fn broken(&self, what: String) -> DatagenError {
        DatagenError::engine(self.path.clone(), what)
    }

    fn castling(&self, game: &Game) -> CastlingText {
        if self.knows_chess960 && game.start().is_chess960() { CastlingText::Chess960 } else { CastlingText::Standard }
    }
}

impl Player for UciPlayer {
    fn begin(&mut self, game: &Game) -> Result<(), DatagenError> {
        if self.knows_chess960 {
            self.say(&format!("setoption name UCI_Chess960 value {}", game.start().is_chess960()))?;
        }
        self.say("ucinewgame\nisready")?;
        while self.hear()? != "readyok" {}
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Judged, DatagenError> {
        self.say(&format!("position fen {}{}\ngo nodes {}", start_fen(game), moves(game, self.castling(game)), self.nodes))?;
        let mut score = None;
        loop {
            let line = self.hear()?;
            if let Some(best) = line.strip_prefix("bestmove ") {
                let text = best.split(' ').next().unwrap_or_default();
                let mv: Move = read_move(game.position(), text)
                    .map_err(|why| self.broken(format!("{text} in {}: {why}", game.position().fen())))?;
                let score = score.ok_or_else(|| self.broken(format!("no score in {}", game.position().fen())))?;
                return Ok(Judged { mv, score });
            }
            score = read_score(&line).or(score);
        }
    }
}

impl Drop for UciPlayer {
    fn drop(&mut self) {
        // One that has ended already needs no more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start_fen(game: &Game) -> String {
    if game.start().is_chess960() { game.start().shredder_fen() } else { game.start().fen() }
}

fn moves(game: &Game, castling: CastlingText) -> String {
    let positions = (0..).map_while(|index| game.position_before(index));
    let texts = game.moves().iter().zip(positions).map(|(&mv, position)| to_uci(position, mv, castling));
    texts.fold(String::new(), |line, text| if line.is_empty() { format!(" moves {text}") } else { format!("{line} {text}") })
}

/// The score of an `info` line of the best variation, bounds left out. What another engine takes for a centipawn is kept as it is.
fn read_score(line: &str) -> Option<LinearScore> {
    let words: Vec<&str> = line.strip_prefix("info ")?.split_whitespace().collect();
    let behind = |word| words.iter().position(|&found| found == word).map(|place| place + 1);
    if behind("multipv").is_some_and(|place| words.get(place) != Some(&"1")) || behind("string").is_some() {
        return None;
    }
    if behind("lowerbound").is_some() || behind("upperbound").is_some() {
        return None;
    }
    let kind = behind("score")?;
    let value = words.get(kind + 1)?.parse().ok()?;
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
        assert_eq!(read_score("info depth 5 score cp -31 nodes 20 pv e2e4"), Some(LinearScore::Cp(-31)));
        assert_eq!(read_score("info depth 5 multipv 1 score mate -2 nodes 20"), Some(LinearScore::Mate(-2)));
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
}
