//! From the text of `position` to a game.

use super::command::PositionText;
use crate::chess::{
    FenWarning, Game, InvalidPosition, ParseMoveError, Position, excerpt, parse_fen, parse_move,
};

/// Why a position was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PositionError {
    /// The FEN is not a legal position.
    #[error("illegal position: {}", .0.faults.iter().map(|fault| fault.detail.as_str()).collect::<Vec<_>>().join("; "))]
    Fen(InvalidPosition),
    /// A move can't be played.
    #[error("illegal move {text:?}, the {}. of the list: {why}", index + 1)]
    Move {
        /// Its place in the list, from 0.
        index: usize,
        /// As written, cut to an excerpt.
        text: String,
        /// What is wrong with it.
        why: ParseMoveError,
    },
}

/// Sets up a position and plays the moves. Also what was mended in the FEN.
///
/// # Errors
///
/// When the position is not legal, or one of the moves.
pub(super) fn build_game(text: &PositionText) -> Result<(Game, Vec<FenWarning>), PositionError> {
    let (position, warnings) = match &text.fen {
        None => (Position::startpos(), Vec::new()),
        Some(fen) => parse_fen(fen)
            .map(|reading| (reading.position, reading.warnings))
            .map_err(PositionError::Fen)?,
    };
    let mut game = Game::new(position);
    for (index, text) in text.moves.iter().enumerate() {
        let illegal_move = |why| PositionError::Move { index, text: excerpt(text).to_owned(), why };
        let mv = parse_move(game.position(), text).map_err(illegal_move)?;
        game.play(mv);
    }
    Ok((game, warnings))
}
