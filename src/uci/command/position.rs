//! The `position` command: its text, and the game that it describes.

use super::argument::CommandError;
use crate::chess::{
    FenWarning, Game, InvalidPosition, ParseMoveError, Position, excerpt, parse_fen, parse_move,
};

/// An unchecked position as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionText {
    /// The FEN; `None` for the start position.
    pub fen: Option<String>,
    /// The moves from there, in order.
    pub moves: Vec<String>,
}

/// A position that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::uci) enum PositionCommandError {
    /// The FEN is invalid.
    #[error("illegal position: {}", error_details(.0))]
    Fen(InvalidPosition),
    /// A move is illegal.
    #[error("illegal move {text:?}, number {} of the list: {error}", index + 1)]
    Move {
        /// Index in the list, from 0.
        index: usize,
        /// An excerpt of its text.
        text: String,
        /// The reason.
        error: ParseMoveError,
    },
}

pub(super) fn parse_position<'a>(
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

fn error_details(invalid: &InvalidPosition) -> String {
    let details: Vec<&str> = invalid.errors.iter().map(|error| error.detail.as_str()).collect();
    details.join("; ")
}

/// Sets up a position and plays the moves. The warnings report corrections of the FEN.
///
/// # Errors
///
/// The position or a move is illegal.
pub(in crate::uci) fn build_game(
    text: &PositionText,
) -> Result<(Game, Vec<FenWarning>), PositionCommandError> {
    let (position, warnings) = match &text.fen {
        None => (Position::startpos(), Vec::new()),
        Some(fen) => parse_fen(fen)
            .map(|reading| (reading.position, reading.warnings))
            .map_err(PositionCommandError::Fen)?,
    };
    let mut game = Game::new(position);
    for (index, text) in text.moves.iter().enumerate() {
        let illegal_move =
            |error| PositionCommandError::Move { index, text: excerpt(text).to_owned(), error };
        let mv = parse_move(game.position(), text).map_err(illegal_move)?;
        game.play(mv);
    }
    Ok((game, warnings))
}
