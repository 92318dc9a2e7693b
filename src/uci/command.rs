//! What a GUI says, line by line.
//!
//! "Description of the universal chess interface" by Stefan Meyer-Kahlen, April 2006; `d`, `eval`,
//! `bench` and `perft` as engines have them by custom. A line is read once, here; inside only a
//! [`Command`] travels.

mod go;

pub use go::{Go, SideClock};

use crate::chess::excerpt;

/// A line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: who are you, and what can be set?
    Uci,
    /// `isready`
    IsReady,
    /// `ucinewgame`: what comes next belongs to another game.
    NewGame,
    /// `position startpos|fen … [moves …]`
    Position(PositionText),
    /// `go …`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `setoption name … [value …]`
    SetOption {
        /// As the GUI spells it.
        name: String,
        /// All that stands behind `value`; `None` without that word.
        value: Option<String>,
    },
    /// `quit`
    Quit,
    /// `d`: show the position.
    Display,
    /// `eval`: judge the position without a search.
    Eval,
    /// `bench [depth]`
    Bench {
        /// In plies.
        depth: Option<u8>,
    },
    /// `perft depth`, and `go perft depth`.
    Perft {
        /// In plies.
        depth: u8,
    },
}

/// A position as it was written, not proven yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionText {
    /// `None` for the start position.
    pub fen: Option<String>,
    /// Played from there, in order.
    pub moves: Vec<String>,
}

/// Why a line, or a part of it, was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is no command's name.
    #[error("unknown command: {0}")]
    Unknown(String),
    /// Something has to follow.
    #[error("{0}: {1} is missing")]
    Missing(&'static str, &'static str),
    /// A word that has no meaning there.
    #[error("{0}: {1} has no meaning here")]
    Unexpected(&'static str, String),
    /// A word that should be a whole number.
    #[error("{0}: {1} is not a whole number")]
    NotANumber(&'static str, String),
}

impl Command {
    /// Reads a line; `None` when it is blank.
    ///
    /// # Errors
    ///
    /// When the first word is unknown, or what has to follow it does not. What else is wrong with a
    /// `go` is told by
    /// [`Go::complaints`], since a GUI waits for the answer to every `go`.
    pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut words = rest.split_whitespace();
        Ok(Some(match name {
            "" => return Ok(None),
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "position" => Command::Position(parse_position(words)?),
            "go" => match strip_word(rest, "perft") {
                Some(depth) => Command::Perft { depth: parse_perft(depth.split_whitespace())? },
                None => Command::Go(Go::parse(words)),
            },
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "setoption" => parse_option(rest)?,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "bench" => Command::Bench { depth: words.next().map(parse_depth).transpose()? },
            "perft" => Command::Perft { depth: parse_perft(words)? },
            _ => return Err(CommandError::Unknown(excerpt(line).to_owned())),
        }))
    }
}

fn parse_position<'a>(
    mut words: impl Iterator<Item = &'a str>,
) -> Result<PositionText, CommandError> {
    let mut before_moves = words.by_ref().take_while(|&word| word != "moves");
    let fen = match before_moves.next() {
        Some("startpos") => match before_moves.next() {
            Some(word) => {
                return Err(CommandError::Unexpected("position", excerpt(word).to_owned()));
            }
            None => None,
        },
        Some("fen") => Some(before_moves.collect::<Vec<_>>().join(" ")),
        Some(word) => return Err(CommandError::Unexpected("position", excerpt(word).to_owned())),
        None => return Err(CommandError::Missing("position", "startpos or fen")),
    };
    Ok(PositionText { fen, moves: words.map(str::to_owned).collect() })
}

/// Names and values may hold blanks; the value is taken as it stands.
fn parse_option(rest: &str) -> Result<Command, CommandError> {
    let Some(rest) = strip_word(rest, "name") else {
        return Err(CommandError::Missing("setoption", "name"));
    };
    let (name, value) = match split_at_word(rest, "value") {
        Some((name, value)) => (name, Some(value.trim().to_owned())),
        None => (rest, None),
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        Err(CommandError::Missing("setoption", "name"))
    } else {
        Ok(Command::SetOption { name, value })
    }
}

/// What stands before and behind a word that stands alone.
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    text.match_indices(word).map(|(start, _)| (&text[..start], &text[start + word.len()..])).find(
        |(before, after)| {
            before.chars().next_back().is_none_or(char::is_whitespace)
                && after.chars().next().is_none_or(char::is_whitespace)
        },
    )
}

/// What follows a word that the text has to begin with.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.trim_start()
        .strip_prefix(word)
        .filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// A depth of at least one ply.
fn parse_depth(text: &str) -> Result<u8, CommandError> {
    Ok(saturating_convert(parse_whole_number("depth", text)?, u8::MAX).max(1))
}

fn parse_perft<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<u8, CommandError> {
    let depth = words.next().ok_or(CommandError::Missing("perft", "the depth"))?;
    Ok(saturating_convert(parse_whole_number("perft", depth)?, u8::MAX))
}

/// A whole number. Below zero it is 0; GUIs send such clocks. What is too big for its type is the
/// type's greatest.
fn parse_whole_number(name: &'static str, text: &str) -> Result<u64, CommandError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CommandError::NotANumber(name, excerpt(text).to_owned()));
    }
    if text.starts_with('-') { Ok(0) } else { Ok(digits.parse().unwrap_or(u64::MAX)) }
}

/// The number in a smaller type, or that type's greatest.
fn saturating_convert<N: TryFrom<u64>>(number: u64, max: N) -> N {
    N::try_from(number).unwrap_or(max)
}

#[cfg(test)]
mod tests;
