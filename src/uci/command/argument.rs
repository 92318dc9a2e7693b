//! Arguments of commands: integers, and the errors of reading a line.

use crate::chess::excerpt;

/// An error in a line or in one of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is not a command.
    #[error("unknown command: {0}")]
    Unknown(String),
    /// An argument is missing.
    #[error("{0}: {1} is missing")]
    Missing(&'static str, &'static str),
    /// A word is not allowed in its place.
    #[error("{0}: unexpected word {1}")]
    Unexpected(&'static str, String),
    /// A word is not an integer.
    #[error("{0}: {1} is not an integer")]
    NotANumber(&'static str, String),
}

/// Parses an integer. A negative number becomes 0, because GUIs send negative clocks. A number that
/// is too large becomes the largest value.
pub(super) fn parse_integer(name: &'static str, text: &str) -> Result<u64, CommandError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CommandError::NotANumber(name, excerpt(text).to_owned()));
    }
    if text.starts_with('-') { Ok(0) } else { Ok(digits.parse().unwrap_or(u64::MAX)) }
}

/// Converts to a smaller type, or returns its largest value.
pub(super) fn saturating_convert<N: TryFrom<u64>>(number: u64, max: N) -> N {
    N::try_from(number).unwrap_or(max)
}
