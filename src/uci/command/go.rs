//! The `go` command: limits and options of a search.

use std::time::Duration;

use super::argument::{CommandError, parse_integer, saturating_convert};
use crate::chess::excerpt;

/// The arguments of `go`. Without a limit the search runs until `stop`, or until its largest depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Root moves to search. Empty means all.
    pub searchmoves: Vec<String>,
    /// Search on the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// Send no best move before `stop`.
    pub infinite: bool,
    /// White's clock.
    pub white: SideClock,
    /// Black's clock.
    pub black: SideClock,
    /// Moves until the next time control.
    pub moves_to_go: Option<u16>,
    /// Depth in plies.
    pub depth: Option<u8>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Search for a mate in at most this number of moves.
    pub mate: Option<u8>,
    /// Time of the search.
    pub movetime: Option<Duration>,
    /// Arguments that were invalid and ignored.
    pub errors: Vec<CommandError>,
}

/// The clock of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    /// Remaining time. A negative clock counts as zero.
    pub time: Option<Duration>,
    /// Increment per move.
    pub increment: Duration,
}

/// The keywords of `go`. A list of moves ends at a keyword.
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
    /// Parses the words after `go`.
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
                        .ok_or(CommandError::Missing(word, "number"))
                        .and_then(|text| go.set_number(word, text));
                    go.errors.extend(result.err());
                }
            }
        }
        go
    }

    /// Sets the number of a keyword.
    fn set_number(&mut self, word: &'static str, text: &str) -> Result<(), CommandError> {
        let number = parse_integer(word, text)?;
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
