//! The commands of a GUI, parsed from lines.
//!
//! Source: "Description of the universal chess interface" by Stefan Meyer-Kahlen, April 2006. `d`,
//! `eval`, `bench` and `perft` are customary extensions.

mod argument;
mod go;
mod position;

pub use argument::CommandError;
use argument::{parse_integer, saturating_convert};
pub use go::{Go, SideClock};
pub use position::PositionText;
pub(super) use position::build_game;
use position::parse_position;

use crate::chess::excerpt;

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: asks for the name and the options.
    Uci,
    /// `isready`
    IsReady,
    /// `ucinewgame`: the next position belongs to another game.
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
        /// Name as the GUI spells it.
        name: String,
        /// Text after `value`; `None` without that word.
        value: Option<String>,
    },
    /// `quit`
    Quit,
    /// `d`: shows the position.
    Display,
    /// `eval`: evaluates the position without a search.
    Eval,
    /// `bench [depth]`
    Bench {
        /// Depth in plies.
        depth: Option<u8>,
    },
    /// `perft depth`, and `go perft depth`.
    Perft {
        /// Depth in plies.
        depth: u8,
    },
}

impl Command {
    /// Parses a line. Returns `None` when it is blank.
    ///
    /// # Errors
    ///
    /// The command is unknown, or an argument is missing. Other errors of a `go` are in
    /// [`Go::errors`], because a GUI waits for the answer to every `go`.
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

/// Parses `setoption`. Names and values may contain spaces. The value is taken verbatim.
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

/// The text before and after a separate word.
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    text.match_indices(word).map(|(start, _)| (&text[..start], &text[start + word.len()..])).find(
        |(before, after)| {
            before.chars().next_back().is_none_or(char::is_whitespace)
                && after.chars().next().is_none_or(char::is_whitespace)
        },
    )
}

/// The text after its first word, if that is `word`.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.trim_start()
        .strip_prefix(word)
        .filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Parses a depth of at least one ply.
fn parse_depth(text: &str) -> Result<u8, CommandError> {
    Ok(saturating_convert(parse_integer("depth", text)?, u8::MAX).max(1))
}

fn parse_perft<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<u8, CommandError> {
    let depth = words.next().ok_or(CommandError::Missing("perft", "depth"))?;
    Ok(saturating_convert(parse_integer("perft", depth)?, u8::MAX))
}

#[cfg(test)]
mod tests;
