//! What a GUI can set.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::handicap::Handicap;
use crate::chess::{CastlingNotation, excerpt};

/// The settings of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The engine's table, in MiB.
    pub hash_mb: usize,
    /// Threads of one search.
    pub threads: usize,
    /// Lines that get an exact score.
    pub multipv: usize,
    /// The GUI may let the engine think on the opponent's time. Nothing depends on it: `go ponder`
    /// says it move by move.
    pub ponder: bool,
    /// What a move loses between engine and clock.
    pub move_overhead: Duration,
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// The GUI analyses: every search starts without what earlier ones have learned of moves, and
    /// at full strength. The table stays.
    pub analyse_mode: bool,
    /// Scores are told with the chances of win, draw and loss.
    pub show_wdl: bool,
    /// The engine plays as weakly as `elo` says.
    pub limit_strength: bool,
    /// The strength of the limited engine.
    pub elo: u16,
    /// The file of the evaluation network; none for the one that is part of the program.
    pub eval_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash_mb: 64,
            threads: 1,
            multipv: 1,
            ponder: false,
            move_overhead: Duration::from_millis(20),
            chess960: false,
            analyse_mode: false,
            show_wdl: false,
            limit_strength: false,
            elo: 1500,
            eval_file: None,
        }
    }
}

/// How the protocol writes a text without letters.
const EMPTY: &str = "<empty>";

/// An option by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionName {
    /// `Hash`
    Hash,
    /// `Clear Hash`
    ClearHash,
    /// `Threads`
    Threads,
    /// `MultiPV`
    MultiPv,
    /// `Ponder`
    Ponder,
    /// `Move Overhead`
    MoveOverhead,
    /// `UCI_Chess960`
    Chess960,
    /// `UCI_AnalyseMode`
    AnalyseMode,
    /// `UCI_ShowWDL`
    ShowWdl,
    /// `UCI_LimitStrength`
    LimitStrength,
    /// `UCI_Elo`
    Elo,
    /// `EvalFile`
    EvalFile,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionKind {
    /// A whole number from the first to the second.
    Spin(u64, u64),
    /// Yes or no.
    Check,
    /// Any text, an empty one among them.
    Text,
    /// Nothing: it is pressed.
    Button,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is none of that name.
    #[error("unknown option: {0}")]
    Unknown(String),
    /// It takes a value, and none was given.
    #[error("{0}: the value is missing")]
    NoValue(OptionName),
    /// The value is not of its kind or not in its range.
    #[error("{0}: {1:?} is not {2}")]
    BadValue(OptionName, String, String),
}

impl OptionName {
    /// All, in the order in which `uci` lists them.
    pub const ALL: [OptionName; 12] = [
        OptionName::Hash,
        OptionName::ClearHash,
        OptionName::Threads,
        OptionName::MultiPv,
        OptionName::Ponder,
        OptionName::MoveOverhead,
        OptionName::Chess960,
        OptionName::AnalyseMode,
        OptionName::ShowWdl,
        OptionName::LimitStrength,
        OptionName::Elo,
        OptionName::EvalFile,
    ];

    /// The option that a text names, in letters of any case.
    pub fn parse(text: &str) -> Option<OptionName> {
        OptionName::ALL.into_iter().find(|name| name.uci_name().eq_ignore_ascii_case(text))
    }

    const fn uci_name(self) -> &'static str {
        match self {
            OptionName::Hash => "Hash",
            OptionName::ClearHash => "Clear Hash",
            OptionName::Threads => "Threads",
            OptionName::MultiPv => "MultiPV",
            OptionName::Ponder => "Ponder",
            OptionName::MoveOverhead => "Move Overhead",
            OptionName::Chess960 => "UCI_Chess960",
            OptionName::AnalyseMode => "UCI_AnalyseMode",
            OptionName::ShowWdl => "UCI_ShowWDL",
            OptionName::LimitStrength => "UCI_LimitStrength",
            OptionName::Elo => "UCI_Elo",
            OptionName::EvalFile => "EvalFile",
        }
    }

    fn kind(self) -> OptionKind {
        match self {
            OptionName::Hash => OptionKind::Spin(1, 65_536),
            OptionName::Threads | OptionName::MultiPv => OptionKind::Spin(1, 256),
            OptionName::MoveOverhead => OptionKind::Spin(0, 5_000),
            OptionName::Elo => {
                OptionKind::Spin((*Handicap::ELO.start()).into(), (*Handicap::ELO.end()).into())
            }
            OptionName::Ponder
            | OptionName::Chess960
            | OptionName::AnalyseMode
            | OptionName::ShowWdl
            | OptionName::LimitStrength => OptionKind::Check,
            OptionName::EvalFile => OptionKind::Text,
            OptionName::ClearHash => OptionKind::Button,
        }
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uci_name())
    }
}

impl Options {
    /// Sets an option from the texts of `setoption`. A button leaves the settings as they are.
    ///
    /// # Errors
    ///
    /// When the value is missing, of the wrong kind or out of range; the settings stay as they are.
    pub fn set(&mut self, name: OptionName, value: Option<&str>) -> Result<(), OptionError> {
        let value = match name.kind() {
            OptionKind::Button => return Ok(()),
            OptionKind::Text => value.unwrap_or_default(),
            OptionKind::Check | OptionKind::Spin(..) => value.ok_or(OptionError::NoValue(name))?,
        };
        match name {
            OptionName::Hash => self.hash_mb = parse_number(name, value)? as usize,
            OptionName::Threads => self.threads = parse_number(name, value)? as usize,
            OptionName::MultiPv => self.multipv = parse_number(name, value)? as usize,
            OptionName::Ponder => self.ponder = parse_flag(name, value)?,
            OptionName::MoveOverhead => {
                self.move_overhead = Duration::from_millis(parse_number(name, value)?)
            }
            OptionName::Chess960 => self.chess960 = parse_flag(name, value)?,
            OptionName::AnalyseMode => self.analyse_mode = parse_flag(name, value)?,
            OptionName::ShowWdl => self.show_wdl = parse_flag(name, value)?,
            OptionName::LimitStrength => self.limit_strength = parse_flag(name, value)?,
            OptionName::Elo => self.elo = parse_number(name, value)? as u16,
            OptionName::EvalFile => {
                self.eval_file =
                    Some(value).filter(|&file| !file.is_empty() && file != EMPTY).map(PathBuf::from)
            }
            OptionName::ClearHash => {}
        }
        Ok(())
    }

    /// How castling is written.
    pub(super) fn castling(&self) -> CastlingNotation {
        if self.chess960 { CastlingNotation::Chess960 } else { CastlingNotation::Standard }
    }

    /// How weakly to play, where that is asked.
    pub(super) fn handicap(&self) -> Option<Handicap> {
        (self.limit_strength && !self.analyse_mode).then(|| Handicap::new(self.elo))
    }

    /// The line that offers an option, with its value as the default.
    pub(super) fn option_declaration(&self, name: OptionName) -> String {
        match name.kind() {
            OptionKind::Spin(least, greatest) => {
                format!(
                    "option name {name} type spin default {} min {least} max {greatest}",
                    self.value(name)
                )
            }
            OptionKind::Check => {
                format!("option name {name} type check default {}", self.value(name))
            }
            OptionKind::Text => {
                format!("option name {name} type string default {}", self.value(name))
            }
            OptionKind::Button => format!("option name {name} type button"),
        }
    }

    fn value(&self, name: OptionName) -> String {
        match name {
            OptionName::Hash => self.hash_mb.to_string(),
            OptionName::Threads => self.threads.to_string(),
            OptionName::MultiPv => self.multipv.to_string(),
            OptionName::Ponder => self.ponder.to_string(),
            OptionName::MoveOverhead => self.move_overhead.as_millis().to_string(),
            OptionName::Chess960 => self.chess960.to_string(),
            OptionName::AnalyseMode => self.analyse_mode.to_string(),
            OptionName::ShowWdl => self.show_wdl.to_string(),
            OptionName::LimitStrength => self.limit_strength.to_string(),
            OptionName::Elo => self.elo.to_string(),
            OptionName::EvalFile => {
                self.eval_file.as_ref().map_or(EMPTY.to_owned(), |file| file.display().to_string())
            }
            OptionName::ClearHash => String::new(),
        }
    }
}

fn parse_number(name: OptionName, text: &str) -> Result<u64, OptionError> {
    let OptionKind::Spin(least, greatest) = name.kind() else {
        return Err(OptionError::BadValue(name, excerpt(text).to_owned(), "taken".to_owned()));
    };
    text.parse().ok().filter(|number| (least..=greatest).contains(number)).ok_or_else(|| {
        OptionError::BadValue(
            name,
            excerpt(text).to_owned(),
            format!("a whole number from {least} to {greatest}"),
        )
    })
}

fn parse_flag(name: OptionName, text: &str) -> Result<bool, OptionError> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Ok(true),
        _ if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(OptionError::BadValue(name, excerpt(text).to_owned(), "true or false".to_owned())),
    }
}

#[cfg(test)]
mod tests;
