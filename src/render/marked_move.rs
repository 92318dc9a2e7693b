//! The last move of a picture: two squares in another colour.

use std::str::FromStr;

use crate::chess::{CastlingSide, Color, Move, Role, Square, castled_king_square};

/// The squares of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedMove {
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that the piece moves to; for castling, that of the king.
    pub to: Square,
}

impl MarkedMove {
    /// The squares of a move of this player.
    pub fn of_move(mv: Move, player: Color) -> MarkedMove {
        let castled = |side: CastlingSide| castled_king_square(player, side);
        MarkedMove { from: mv.from(), to: mv.castling_side().map_or(mv.to(), castled) }
    }
}

/// The error for a text that is no move in UCI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseMarkedMoveError;

impl FromStr for MarkedMove {
    type Err = ParseMarkedMoveError;

    /// Reads two squares and the letter of a promotion, which may be missing.
    fn from_str(text: &str) -> Result<MarkedMove, ParseMarkedMoveError> {
        let square = |text: Option<&str>| text?.parse().ok();
        let is_promotion =
            |letter: &str| Role::PROMOTIONS.iter().any(|role| letter.chars().eq([role.letter()]));
        let from = square(text.get(..2)).ok_or(ParseMarkedMoveError)?;
        let to = square(text.get(2..4)).ok_or(ParseMarkedMoveError)?;
        let rest = text.get(4..).unwrap_or_default();
        if from == to || !(rest.is_empty() || is_promotion(rest)) {
            return Err(ParseMarkedMoveError);
        }
        Ok(MarkedMove { from, to })
    }
}
