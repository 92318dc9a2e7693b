//! The UCI options.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::chess::{CastlingNotation, excerpt};
use crate::engine::{StrengthLimit, TablebaseOptions};
use crate::tablebase::MAX_MEN;

/// The option values of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table, in MiB.
    pub hash_mb: usize,
    /// Threads per search.
    pub threads: usize,
    /// Lines with an exact score (MultiPV).
    pub multipv: usize,
    /// The GUI may use pondering. The value has no effect: `go ponder` decides move by move.
    pub ponder: bool,
    /// Time lost per move between engine and clock.
    pub move_overhead: Duration,
    /// Write castling as the king's move onto its rook.
    pub chess960: bool,
    /// The GUI analyses: every search starts without learned move histories and at full strength.
    /// The transposition table is kept.
    pub analyse_mode: bool,
    /// Send win, draw and loss chances with every score.
    pub show_wdl: bool,
    /// Limit the strength to `elo`.
    pub limit_strength: bool,
    /// Strength of the limited engine, in Elo.
    pub elo: u16,
    /// File of the evaluation network; `None` for the embedded one.
    pub eval_file: Option<PathBuf>,
    /// Folders of Syzygy tables; none without tables.
    pub syzygy_path: Vec<PathBuf>,
    /// The depth from which the tree is probed for positions with as many men as the limit.
    pub syzygy_probe_depth: u8,
    /// The 50-move rule counts in endgames that tables know.
    pub syzygy_50_move_rule: bool,
    /// Most men of a position that is probed.
    pub syzygy_probe_limit: u32,
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
            syzygy_path: Vec::new(),
            syzygy_probe_depth: TablebaseOptions::DEFAULT_PROBE_DEPTH,
            syzygy_50_move_rule: true,
            syzygy_probe_limit: MAX_MEN,
        }
    }
}

/// The protocol's notation for an empty string.
const EMPTY: &str = "<empty>";

/// The name of an option.
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
    /// `SyzygyPath`
    SyzygyPath,
    /// `SyzygyProbeDepth`
    SyzygyProbeDepth,
    /// `Syzygy50MoveRule`
    Syzygy50MoveRule,
    /// `SyzygyProbeLimit`
    SyzygyProbeLimit,
}

/// The type of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionKind {
    /// An integer with its least and greatest value.
    Spin(u64, u64),
    /// A boolean.
    Check,
    /// Any string, also an empty one.
    Text,
    /// A button, which has no value.
    Button,
}

/// An option that was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("unknown option: {0}")]
    Unknown(String),
    /// The option needs a value.
    #[error("{0}: the value is missing")]
    NoValue(OptionName),
    /// The value has the wrong type or is out of range.
    #[error("{0}: {1:?} is not {2}")]
    BadValue(OptionName, String, String),
}

impl OptionName {
    /// All options, in the order in which `uci` lists them.
    pub const ALL: [OptionName; 16] = [
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
        OptionName::SyzygyPath,
        OptionName::SyzygyProbeDepth,
        OptionName::Syzygy50MoveRule,
        OptionName::SyzygyProbeLimit,
    ];

    /// Finds an option by its name, in any case.
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
            OptionName::SyzygyPath => "SyzygyPath",
            OptionName::SyzygyProbeDepth => "SyzygyProbeDepth",
            OptionName::Syzygy50MoveRule => "Syzygy50MoveRule",
            OptionName::SyzygyProbeLimit => "SyzygyProbeLimit",
        }
    }

    fn kind(self) -> OptionKind {
        match self {
            OptionName::Hash => OptionKind::Spin(1, 65_536),
            OptionName::Threads | OptionName::MultiPv => OptionKind::Spin(1, 256),
            OptionName::MoveOverhead => OptionKind::Spin(0, 5_000),
            OptionName::SyzygyProbeDepth => OptionKind::Spin(1, 100),
            OptionName::SyzygyProbeLimit => OptionKind::Spin(0, MAX_MEN.into()),
            OptionName::Elo => OptionKind::Spin(
                (*StrengthLimit::ELO.start()).into(),
                (*StrengthLimit::ELO.end()).into(),
            ),
            OptionName::Ponder
            | OptionName::Chess960
            | OptionName::AnalyseMode
            | OptionName::ShowWdl
            | OptionName::LimitStrength
            | OptionName::Syzygy50MoveRule => OptionKind::Check,
            OptionName::EvalFile | OptionName::SyzygyPath => OptionKind::Text,
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
    /// Sets an option from the arguments of `setoption`. A button changes no value.
    ///
    /// # Errors
    ///
    /// The value is missing, has the wrong type or is out of range. The options stay unchanged.
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
            OptionName::SyzygyPath => {
                let is_empty = value.is_empty() || value == EMPTY;
                self.syzygy_path =
                    if is_empty { Vec::new() } else { std::env::split_paths(value).collect() }
            }
            OptionName::SyzygyProbeDepth => {
                self.syzygy_probe_depth = parse_number(name, value)? as u8
            }
            OptionName::Syzygy50MoveRule => self.syzygy_50_move_rule = parse_flag(name, value)?,
            OptionName::SyzygyProbeLimit => {
                self.syzygy_probe_limit = parse_number(name, value)? as u32
            }
            OptionName::ClearHash => {}
        }
        Ok(())
    }

    /// The notation of castling.
    pub(super) fn castling(&self) -> CastlingNotation {
        if self.chess960 { CastlingNotation::Chess960 } else { CastlingNotation::Standard }
    }

    /// The strength limit of the next move, if the strength is limited.
    pub(super) fn strength_limit(&self) -> Option<StrengthLimit> {
        (self.limit_strength && !self.analyse_mode).then(|| StrengthLimit::new(self.elo))
    }

    /// The declaration of an option for `uci`, with its value as the default.
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
            OptionName::SyzygyPath if self.syzygy_path.is_empty() => EMPTY.to_owned(),
            OptionName::SyzygyPath => std::env::join_paths(&self.syzygy_path)
                .map_or(EMPTY.to_owned(), |paths| paths.to_string_lossy().into_owned()),
            OptionName::SyzygyProbeDepth => self.syzygy_probe_depth.to_string(),
            OptionName::Syzygy50MoveRule => self.syzygy_50_move_rule.to_string(),
            OptionName::SyzygyProbeLimit => self.syzygy_probe_limit.to_string(),
            OptionName::ClearHash => String::new(),
        }
    }
}

fn parse_number(name: OptionName, text: &str) -> Result<u64, OptionError> {
    let OptionKind::Spin(least, greatest) = name.kind() else {
        return Err(OptionError::BadValue(
            name,
            excerpt(text).to_owned(),
            "an option with a number".to_owned(),
        ));
    };
    text.parse().ok().filter(|number| (least..=greatest).contains(number)).ok_or_else(|| {
        OptionError::BadValue(
            name,
            excerpt(text).to_owned(),
            format!("an integer from {least} to {greatest}"),
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
