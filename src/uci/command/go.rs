//! The order to search.

use std::time::Duration;

use super::{CommandError, parse_whole_number, saturating_convert};
use crate::chess::excerpt;

/// What `go` asks for. Without any limit the search runs until it is stopped, or there is nothing
/// deeper to find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// The moves to look at; all when empty.
    pub searchmoves: Vec<String>,
    /// On the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// No move is told before `stop`.
    pub infinite: bool,
    /// White's clock.
    pub white: SideClock,
    /// Black's clock.
    pub black: SideClock,
    /// Moves until the next time control.
    pub moves_to_go: Option<u16>,
    /// Iterations, in plies.
    pub depth: Option<u8>,
    /// Make-moves.
    pub nodes: Option<u64>,
    /// A mate in at most so many moves is to be proved.
    pub mate: Option<u8>,
    /// Wall time.
    pub movetime: Option<Duration>,
    /// What was not understood, and passed over.
    pub errors: Vec<CommandError>,
}

/// The clock of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    /// What is left; a clock that has run below zero shows zero.
    pub time: Option<Duration>,
    /// What each move adds.
    pub increment: Duration,
}

/// The words that `go` knows: a list of moves ends where one of them stands.
const KEYWORDS: [&str; 12] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
];

impl Go {
    /// Reads what stands behind `go`.
    pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Go {
        let mut go = Go::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let Some(&word) = KEYWORDS.iter().find(|&&known| known == word) else {
                go.errors.push(CommandError::Unexpected("go", excerpt(word).to_owned()));
                continue;
            };
            let mut value = || words.next_if(|word| !KEYWORDS.contains(word));
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    go.searchmoves.extend(std::iter::from_fn(value).map(str::to_owned))
                }
                _ => {
                    let result = value()
                        .ok_or(CommandError::Missing(word, "the number"))
                        .and_then(|text| go.set_number(word, text));
                    go.errors.extend(result.err());
                }
            }
        }
        go
    }

    /// Takes the number behind a word.
    fn set_number(&mut self, word: &'static str, text: &str) -> Result<(), CommandError> {
        let number = parse_whole_number(word, text)?;
        let milliseconds = Duration::from_millis(number);
        match word {
            "wtime" => self.white.time = Some(milliseconds),
            "btime" => self.black.time = Some(milliseconds),
            "winc" => self.white.increment = milliseconds,
            "binc" => self.black.increment = milliseconds,
            "movestogo" => {
                self.moves_to_go =
                    Some(saturating_convert(number, u16::MAX)).filter(|&moves| moves > 0)
            }
            "depth" => self.depth = Some(saturating_convert(number, u8::MAX).max(1)),
            "nodes" => self.nodes = Some(number.max(1)),
            "mate" => self.mate = Some(saturating_convert(number, u8::MAX).max(1)),
            _ => self.movetime = Some(milliseconds),
        }
        Ok(())
    }
}
