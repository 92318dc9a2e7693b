//! Moves in the notation of the Universal Chess Interface (UCI).
//!
//! Chess Programming Wiki, "UCI". The option UCI_Chess960 writes castling as king takes rook.

use super::castling::is_standard_castling;
use super::{
    CastlingSide, InlineStr, Move, MoveKind, ParseMoveError, Position, Role, Square,
    castled_king_square,
};

/// The notation of castling moves in UCI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastlingNotation {
    /// The king's move of two squares (`e1g1`) if king and rook are on their squares of standard
    /// chess, otherwise king takes rook.
    #[default]
    Standard,
    /// Always king takes rook (`e1h1`).
    Chess960,
}

/// Writes a legal move: `e2e4`, `e7e8q`, `e1g1`.
pub fn to_uci(position: &Position, mv: Move, castling: CastlingNotation) -> String {
    to_uci_inline(position, mv, castling).as_str().to_owned()
}

/// Writes a legal move without an allocation.
pub fn to_uci_inline(position: &Position, mv: Move, castling: CastlingNotation) -> InlineStr {
    let mut text = InlineStr::EMPTY;
    text.push_square(mv.from());
    text.push_square(match mv.castling_side() {
        Some(side) => castling_target(position, mv, side, castling),
        None => mv.to(),
    });
    if let Some(role) = mv.promotion() {
        text.push(role.letter());
    }
    text
}

/// The second square of a castling move: the king's destination or the rook.
fn castling_target(
    position: &Position,
    mv: Move,
    side: CastlingSide,
    castling: CastlingNotation,
) -> Square {
    match position.castling_rook(position.turn(), side) {
        Some(rook)
            if castling == CastlingNotation::Chess960
                || !is_standard_castling(side, mv.from().file(), rook.file()) =>
        {
            rook
        }
        _ => mv.to(),
    }
}

/// A text in the shape of UCI, not yet matched with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UciMove {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl UciMove {
    /// Parses two squares and an optional promotion letter in either case.
    pub(super) fn parse(text: &str) -> Option<UciMove> {
        let (squares, letter) = match text.len() {
            4 => (text, None),
            5 => (text.get(..4)?, text.chars().last()),
            _ => return None,
        };
        let promotion = match letter {
            None => None,
            Some(letter @ ('n' | 'b' | 'r' | 'q' | 'N' | 'B' | 'R' | 'Q')) => {
                Role::from_letter(letter.to_ascii_lowercase())
            }
            Some(_) => return None,
        };
        let from = squares.get(..2)?.parse().ok()?;
        let to = squares.get(2..)?.parse().ok()?;
        Some(UciMove { from, to, promotion })
    }

    /// The legal move that the text names.
    pub(super) fn to_move(self, position: &Position) -> Result<Move, ParseMoveError> {
        let mv = self
            .castling_move(position)
            .or_else(|| self.normal_move(position))
            .ok_or(ParseMoveError::NotLegal)?;
        if position.is_legal(mv) { Ok(mv) } else { Err(ParseMoveError::NotLegal) }
    }

    /// The castling move, if the king moves onto its own castling rook, or legally castles with a
    /// move of two or more squares to the g- or c-file.
    fn castling_move(self, position: &Position) -> Option<Move> {
        let us = position.turn();
        if self.from != position.king(us) || self.promotion.is_some() {
            return None;
        }
        let castle = |side| Move::new_castling(self.from, us, side);
        let onto_rook = CastlingSide::ALL
            .into_iter()
            .find(|&side| position.castling_rook(us, side) == Some(self.to));
        if let Some(side) = onto_rook {
            return Some(castle(side));
        }
        let is_wide = (self.from.file() as u8).abs_diff(self.to.file() as u8) >= 2;
        let to_destination = CastlingSide::ALL
            .into_iter()
            .find(|&side| is_wide && castled_king_square(us, side) == self.to);
        to_destination.map(castle).filter(|&mv| position.is_legal(mv))
    }

    fn normal_move(self, position: &Position) -> Option<Move> {
        let UciMove { from, to, promotion } = self;
        let role = position.role_at(from)?;
        let capture = position.piece_at(to).is_some();
        if role != Role::Pawn {
            let kind = if capture { MoveKind::Capture } else { MoveKind::Quiet };
            return promotion.is_none().then(|| Move::new(from, to, kind));
        }
        Some(match promotion {
            Some(role) => Move::new_promotion(from, to, role, capture),
            None => position.new_pawn_move(from, to, capture),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::parse_move;

    /// The texts of a move in both castling notations.
    fn notations(fen: &str, text: &str) -> [String; 2] {
        let position = Position::from_fen(fen).unwrap();
        let mv = parse_move(&position, text).unwrap();
        [CastlingNotation::Standard, CastlingNotation::Chess960]
            .map(|castling| to_uci(&position, mv, castling))
    }

    #[test]
    fn normal_moves_have_one_spelling() {
        assert_eq!(notations("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e4"), ["e2e4", "e2e4"]);
        assert_eq!(notations("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N"), ["a7a8n", "a7a8n"]);
    }

    #[test]
    fn standard_castling_is_the_kings_step_and_in_chess960_king_takes_rook() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        assert_eq!(notations(fen, "O-O"), ["e8g8", "e8h8"]);
        assert_eq!(notations(fen, "O-O-O"), ["e8c8", "e8a8"]);
    }

    #[test]
    fn non_standard_castling_is_always_king_takes_rook() {
        assert_eq!(notations("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "O-O"), ["e1g1", "e1g1"]);
        assert_eq!(notations("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "O-O"), ["d1h1", "d1h1"]);
        assert_eq!(notations("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "O-O-O"), ["d1a1", "d1a1"]);
    }
}
