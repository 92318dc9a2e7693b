//! Moves as the Universal Chess Interface writes them.
//!
//! Chess Programming Wiki, "UCI"; castling as king takes rook is UCI_Chess960's.

use super::{
    CastlingSide, File, InlineStr, Move, MoveKind, ParseMoveError, Position, Role, Square,
    castled_king_square,
};

/// How castling is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastlingNotation {
    /// The king's two-square step (`e1g1`) when the king stands on the e-file and the rook on the
    /// a- or h-file; else king takes rook.
    #[default]
    Standard,
    /// King takes rook (`e1h1`) always.
    Chess960,
}

/// Writes a legal move: `e2e4`, `e7e8q`, `e1g1`.
pub fn to_uci(position: &Position, mv: Move, castling: CastlingNotation) -> String {
    to_uci_inline(position, mv, castling).as_str().to_owned()
}

/// The same without an allocation.
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

fn castling_target(
    position: &Position,
    mv: Move,
    side: CastlingSide,
    castling: CastlingNotation,
) -> Square {
    match position.castling_rook(position.turn(), side) {
        Some(rook)
            if castling == CastlingNotation::Chess960 || !is_standard_castling(mv.from(), rook) =>
        {
            rook
        }
        _ => mv.to(),
    }
}

fn is_standard_castling(king: Square, rook: Square) -> bool {
    king.file() == File::E && matches!(rook.file(), File::A | File::H)
}

/// A text of UCI's shape, not yet a move of any position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UciMove {
    from: Square,
    to: Square,
    promotion: Option<Role>,
}

impl UciMove {
    /// Two squares and perhaps a promotion letter in either case.
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

    /// The legal move that the text means.
    pub(super) fn to_move(self, position: &Position) -> Result<Move, ParseMoveError> {
        let mv = self
            .castling_move(position)
            .or_else(|| self.normal_move(position))
            .ok_or(ParseMoveError::NotLegal)?;
        if position.is_legal(mv) { Ok(mv) } else { Err(ParseMoveError::NotLegal) }
    }

    /// Castling, as the king onto its own castling rook, or as its step of two or more squares to
    /// the g- or c-file where that is legal.
    fn castling_move(self, position: &Position) -> Option<Move> {
        let us = position.turn();
        if self.from != position.king(us) || self.promotion.is_some() {
            return None;
        }
        let castle =
            |side| Move::new(self.from, castled_king_square(us, side), castling_kind(side));
        let onto_rook = CastlingSide::ALL
            .into_iter()
            .find(|&side| position.castling_rook(us, side) == Some(self.to));
        if let Some(side) = onto_rook {
            return Some(castle(side));
        }
        let is_step = (self.from.file() as u8).abs_diff(self.to.file() as u8) >= 2;
        let step = CastlingSide::ALL
            .into_iter()
            .find(|&side| is_step && castled_king_square(us, side) == self.to);
        step.map(castle).filter(|&mv| position.is_legal(mv))
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
            None => new_pawn_move(position, from, to, capture),
        })
    }
}

/// The move of a pawn that does not promote.
pub(super) fn new_pawn_move(position: &Position, from: Square, to: Square, capture: bool) -> Move {
    let kind = if from.file() != to.file() && position.en_passant() == Some(to) {
        MoveKind::EnPassant
    } else if capture {
        MoveKind::Capture
    } else if (from.rank() as u8).abs_diff(to.rank() as u8) == 2 {
        MoveKind::DoublePush
    } else {
        MoveKind::Quiet
    };
    Move::new(from, to, kind)
}

/// The kind of the castling move to a side.
pub(super) const fn castling_kind(side: CastlingSide) -> MoveKind {
    match side {
        CastlingSide::King => MoveKind::CastleShort,
        CastlingSide::Queen => MoveKind::CastleLong,
    }
}

#[cfg(test)]
mod tests;
