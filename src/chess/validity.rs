//! From a setup to a proven position: what makes a position impossible.
//!
//! The order of proof, and asking what the last move can have been, after shakmaty's `Setup` and
//! `Position`.

use super::attacks::line;
use super::position_error::{InvalidPosition, PositionFault, PositionFaultCode, PositionField};
use super::{
    Bitboard, CastlingRights, CastlingSide, Color, Piece, Position, Rank, Role, Setup, Square,
};

/// The greatest half-move clock: at 150 the game is drawn by the 75-move rule.
pub const MAX_HALFMOVE_CLOCK: u16 = 150;
/// The greatest move number that is read.
pub const MAX_FULLMOVE_NUMBER: u16 = 9999;

impl Setup {
    /// Proves that the setup is a legal position.
    ///
    /// An en passant square that a pawn can just have passed stays only where a legal capture
    /// exists.
    ///
    /// # Errors
    ///
    /// Every fault that can be seen. Their `text` is the field as this crate would write it.
    pub fn validate(&self) -> Result<Position, InvalidPosition> {
        self.validate_partial(true).map_err(|faults| InvalidPosition { faults })
    }

    /// The same; with the side to move unknown only what does not depend on it is asked.
    pub(super) fn validate_partial(
        &self,
        side_is_known: bool,
    ) -> Result<Position, Vec<PositionFault>> {
        let mut position =
            Position::from_setup_unchecked(&Setup { en_passant: None, ..self.clone() });
        let mut faults = Vec::new();
        let has_one_king_each = validate_piece_counts(&position, &mut faults);
        if has_one_king_each {
            if side_is_known {
                validate_checks(&position, self.en_passant, &mut faults);
            }
            validate_castling(self, &mut faults);
        }
        if let Some(target) = self.en_passant
            && side_is_known
            && !en_passant_is_possible(&position, target)
        {
            let detail = format!("no pawn can just have passed {target} with a double step");
            faults.push(PositionFault::new(
                PositionFaultCode::EnPassantImpossible,
                PositionField::EnPassant,
                &target.to_string(),
                detail,
            ));
        }
        validate_clocks(self, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        if let Some(target) = self.en_passant {
            position.set_en_passant_if_legal(target);
        }
        Ok(position)
    }

    /// `true` when a king and a rook stand where a castling right of this rook's file needs them.
    pub(super) fn supports_castling(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let home = Rank::First.relative_to(color);
        rook.rank() == home
            && self.board[rook.index()] == Some(Piece::new(color, Role::Rook))
            && self.back_rank_king(color).is_some_and(|king| match side {
                CastlingSide::King => rook.file() > king.file(),
                CastlingSide::Queen => rook.file() < king.file(),
            })
    }

    /// The king on its own back rank; the first from the left when there are several.
    pub(super) fn back_rank_king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, Role::King));
        back_rank(color).find(|square| self.board[square.index()] == king)
    }
}

/// The squares of a player's first rank from a to h.
pub(super) fn back_rank(color: Color) -> impl DoubleEndedIterator<Item = Square> {
    super::File::ALL.into_iter().map(move |file| Square::new(file, Rank::First.relative_to(color)))
}

/// Counts the men. `true` when each player has one king, so that it makes sense to ask for checks.
fn validate_piece_counts(position: &Position, faults: &mut Vec<PositionFault>) -> bool {
    let mut has_one_king_each = true;
    let mut add_fault = |code, detail: String| {
        faults.push(PositionFault::new(code, PositionField::Board, &position.board_fen(), detail));
    };
    for color in Color::ALL {
        let name = color.name();
        let count = |role| position.pieces(color, role).count();
        let kings = count(Role::King);
        if kings != 1 {
            has_one_king_each = false;
            let code = if kings == 0 {
                PositionFaultCode::NoKing
            } else {
                PositionFaultCode::TooManyKings
            };
            add_fault(code, format!("{name} has {kings} kings, not 1"));
        }
        let piece_count = position.by_color(color).count();
        if piece_count > 16 {
            add_fault(
                PositionFaultCode::TooManyPieces,
                format!("{name} has {piece_count} men, more than 16"),
            );
        }
        let pawns = count(Role::Pawn);
        if pawns > 8 {
            add_fault(
                PositionFaultCode::TooManyPawns,
                format!("{name} has {pawns} pawns, more than 8"),
            );
        }
        let start = [(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2), (Role::Queen, 1)];
        let extra: u32 =
            start.iter().map(|&(role, at_start)| count(role).saturating_sub(at_start)).sum();
        let missing = 8_u32.saturating_sub(pawns);
        if extra > missing {
            let detail = format!(
                "{name} has {extra} pieces more than at the start, but only {missing} pawns are missing"
            );
            add_fault(PositionFaultCode::ImpossiblePromotions, detail);
        }
    }
    let back_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
    let stray_pawns = position.by_role(Role::Pawn) & back_ranks;
    if stray_pawns.is_nonempty() {
        add_fault(
            PositionFaultCode::PawnOnBackRank,
            format!("a pawn stands on {}", square_names(stray_pawns)),
        );
    }
    has_one_king_each
}

/// Asks whether the checks on the board can stand there.
fn validate_checks(
    position: &Position,
    en_passant: Option<Square>,
    faults: &mut Vec<PositionFault>,
) {
    let us = position.turn();
    let mut add_fault = |code, detail: String| {
        faults.push(PositionFault::new(code, PositionField::Board, &position.board_fen(), detail));
    };
    let enemy_king = position.king(!us);
    if position.is_attacked(enemy_king, us, position.occupied()) {
        let detail =
            format!("{} is to move, but the king on {enemy_king} could be taken", us.name());
        add_fault(PositionFaultCode::OpponentInCheck, detail);
    }
    let checkers = position.checkers();
    if let Some(reason) = impossible_check(position, checkers, en_passant) {
        let detail = format!(
            "no last move can have left the check from {}: {reason}",
            square_names(checkers)
        );
        add_fault(PositionFaultCode::ImpossibleCheck, detail);
    }
}

fn impossible_check(
    position: &Position,
    checkers: Bitboard,
    en_passant: Option<Square>,
) -> Option<&'static str> {
    let us = position.turn();
    let king = position.king(us);
    if checkers.count() > 2 {
        return Some("a move gives check with two pieces at most");
    }
    let mut both = checkers;
    if let (Some(first), Some(second)) = (both.next(), both.next())
        && line(king, first).contains(second)
    {
        return Some("two pieces on one line with the king cannot both be new there");
    }
    let target = en_passant.filter(|&target| en_passant_is_possible(position, target))?;
    let (pawn, origin) = (target.forward(!us).bitboard(), target.forward(us).bitboard());
    let before = (position.occupied() ^ pawn) | origin;
    let earlier_checkers =
        (position.attackers_to(king, before) & position.by_color(!us)).without(pawn);
    (checkers.is_nonempty() && earlier_checkers.is_nonempty())
        .then_some("it stood already before the double step of the pawn")
}

/// `true` when a pawn of the side that is not to move can just have passed the square with a double
/// step.
fn en_passant_is_possible(position: &Position, target: Square) -> bool {
    let us = position.turn();
    target.rank() == Rank::Sixth.relative_to(us)
        && position.piece_at(target).is_none()
        && position.piece_at(target.forward(us)).is_none()
        && position.piece_at(target.forward(!us)) == Some(Piece::new(!us, Role::Pawn))
}

fn validate_castling(setup: &Setup, faults: &mut Vec<PositionFault>) {
    for (color, side, file) in setup.castling_rights.iter() {
        let rook = Square::new(file, Rank::First.relative_to(color));
        if !setup.supports_castling(color, side, rook) {
            let detail = format!("{} has no king and rook to castle with on {rook}", color.name());
            faults.push(PositionFault::new(
                PositionFaultCode::CastlingUnknown,
                PositionField::Castling,
                &shredder_castling(setup.castling_rights),
                detail,
            ));
        }
    }
}

fn validate_clocks(setup: &Setup, faults: &mut Vec<PositionFault>) {
    if setup.halfmove_clock > MAX_HALFMOVE_CLOCK {
        faults.push(halfmove_clock_fault(&setup.halfmove_clock.to_string()));
    }
    if !(1..=MAX_FULLMOVE_NUMBER).contains(&setup.fullmove_number) {
        faults.push(fullmove_number_fault(&setup.fullmove_number.to_string()));
    }
}

pub(super) fn halfmove_clock_fault(text: &str) -> PositionFault {
    let detail = format!("the half-move clock is not from 0 to {MAX_HALFMOVE_CLOCK}");
    PositionFault::new(PositionFaultCode::ClockRange, PositionField::HalfmoveClock, text, detail)
}

pub(super) fn fullmove_number_fault(text: &str) -> PositionFault {
    let detail = format!("the move number is not from 1 to {MAX_FULLMOVE_NUMBER}");
    PositionFault::new(PositionFaultCode::ClockRange, PositionField::FullmoveNumber, text, detail)
}

/// The rights as Shredder-FEN writes them.
pub(super) fn shredder_castling(rights: CastlingRights) -> String {
    if rights.is_empty() {
        return "-".to_owned();
    }
    rights
        .iter()
        .map(
            |(color, _, file)| {
                if color.is_white() { file.letter().to_ascii_uppercase() } else { file.letter() }
            },
        )
        .collect()
}

fn square_names(squares: Bitboard) -> String {
    squares.map(|square| square.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
