//! Validation of setups: the conditions that make a setup a legal position.
//!
//! The order of the checks, and the test for an impossible last move, follow shakmaty's `Setup`
//! and `Position`.

use super::attacks::line;
use super::position_error::{InvalidPosition, PositionError, PositionErrorCode, PositionField};
use super::setup::{MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK};
use super::{Bitboard, Color, Piece, Position, Rank, Role, Setup, Square};

impl Setup {
    /// Validates the setup and builds its position.
    ///
    /// The position keeps the en passant square only if a capture there is legal.
    ///
    /// # Errors
    ///
    /// Every error of the setup. The `text` of an error is the FEN field as this crate writes it.
    pub fn validate(&self) -> Result<Position, InvalidPosition> {
        self.validate_partial(true, &[]).map_err(|errors| InvalidPosition { errors })
    }

    /// Validates the setup. If the side to move is unknown, the conditions that depend on it are
    /// skipped. Errors with a forgiven code do not count.
    pub(super) fn validate_partial(
        &self,
        side_is_known: bool,
        forgiven: &[PositionErrorCode],
    ) -> Result<Position, Vec<PositionError>> {
        let mut position =
            Position::from_setup_unchecked(&Setup { en_passant: None, ..self.clone() });
        let mut errors = Vec::new();
        let has_one_king_each = validate_piece_counts(&position, &mut errors);
        if has_one_king_each {
            if side_is_known {
                validate_checks(&position, self.en_passant, &mut errors);
            }
            validate_castling(self, &mut errors);
        }
        if let Some(target) = self.en_passant
            && side_is_known
            && !en_passant_is_possible(&position, target)
        {
            let detail = format!("no pawn has just passed {target} with a double step");
            errors.push(PositionError::new(
                PositionErrorCode::EnPassantImpossible,
                PositionField::EnPassant,
                &target.to_string(),
                detail,
            ));
        }
        validate_clocks(self, &mut errors);
        errors.retain(|error| !forgiven.contains(&error.code));
        if !errors.is_empty() {
            return Err(errors);
        }
        if let Some(target) = self.en_passant
            && en_passant_is_possible(&position, target)
        {
            position.set_en_passant_if_legal(target);
        }
        Ok(position)
    }
}

/// Checks the numbers and ranks of the pieces. Returns `true` when each player has one king, which
/// the checks for attacks on kings require.
fn validate_piece_counts(position: &Position, errors: &mut Vec<PositionError>) -> bool {
    let mut has_one_king_each = true;
    let mut add_error = |code, detail: String| {
        errors.push(PositionError::new(code, PositionField::Board, &position.board_fen(), detail));
    };
    for color in Color::ALL {
        let name = color.name();
        let count = |role| position.pieces(color, role).count();
        let kings = count(Role::King);
        if kings != 1 {
            has_one_king_each = false;
            let code = if kings == 0 {
                PositionErrorCode::NoKing
            } else {
                PositionErrorCode::TooManyKings
            };
            add_error(code, format!("{name} has {kings} kings; it must have 1"));
        }
        let pieces = position.by_color(color).count();
        if pieces > 16 {
            let detail = format!("{name} has {pieces} pieces; at most 16 are allowed");
            add_error(PositionErrorCode::TooManyPieces, detail);
        }
        let pawns = count(Role::Pawn);
        if pawns > 8 {
            let detail = format!("{name} has {pawns} pawns; at most 8 are allowed");
            add_error(PositionErrorCode::TooManyPawns, detail);
        }
        let start = [(Role::Knight, 2), (Role::Bishop, 2), (Role::Rook, 2), (Role::Queen, 1)];
        let promoted: u32 =
            start.iter().map(|&(role, at_start)| count(role).saturating_sub(at_start)).sum();
        let missing = 8_u32.saturating_sub(pawns);
        if promoted > missing {
            let detail = format!(
                "{name} has at least {promoted} promoted pieces, but only {missing} missing pawns"
            );
            add_error(PositionErrorCode::ImpossiblePromotions, detail);
        }
    }
    let back_ranks = Rank::First.bitboard() | Rank::Eighth.bitboard();
    let stray_pawns = position.by_role(Role::Pawn) & back_ranks;
    if stray_pawns.is_nonempty() {
        let squares = square_names(stray_pawns);
        let detail = format!("there is a pawn on {squares}; pawns must be on ranks 2 to 7");
        add_error(PositionErrorCode::PawnOnBackRank, detail);
    }
    has_one_king_each
}

/// Checks that the side to move cannot capture the king, and that a last move explains the check.
fn validate_checks(
    position: &Position,
    en_passant: Option<Square>,
    errors: &mut Vec<PositionError>,
) {
    let us = position.turn();
    let mut add_error = |code, detail: String| {
        errors.push(PositionError::new(code, PositionField::Board, &position.board_fen(), detail));
    };
    let enemy_king = position.king(!us);
    if position.is_attacked(enemy_king, us, position.occupied()) {
        let (us, them) = (us.name(), (!us).name());
        let detail = format!("{us} is to move, but the {them} king on {enemy_king} is in check");
        add_error(PositionErrorCode::OpponentInCheck, detail);
    }
    let checkers = position.checkers();
    if let Some(reason) = impossible_check(position, checkers, en_passant) {
        let squares = square_names(checkers);
        let detail = format!("no move leads to the check from {squares}: {reason}");
        add_error(PositionErrorCode::ImpossibleCheck, detail);
    }
}

/// The reason why no last move leads to the check; `None` when a move does.
fn impossible_check(
    position: &Position,
    checkers: Bitboard,
    en_passant: Option<Square>,
) -> Option<&'static str> {
    let us = position.turn();
    let king = position.king(us);
    if checkers.count() > 2 {
        return Some("a move gives check with at most two pieces");
    }
    let mut pair = checkers;
    if let (Some(first), Some(second)) = (pair.next(), pair.next())
        && line(king, first).contains(second)
    {
        return Some("both pieces are on one line with the king");
    }
    let target = en_passant.filter(|&target| en_passant_is_possible(position, target))?;
    let (pawn, origin) = (target.forward(!us).bitboard(), target.forward(us).bitboard());
    let before = (position.occupied() ^ pawn) | origin;
    let earlier_checkers =
        (position.attackers_to(king, before) & position.by_color(!us)).without(pawn);
    (checkers.is_nonempty() && earlier_checkers.is_nonempty())
        .then_some("the king was in check before the double step of the pawn")
}

/// `true` when a pawn of the side that is not to move can have just passed the square with a double
/// step.
fn en_passant_is_possible(position: &Position, target: Square) -> bool {
    let us = position.turn();
    target.rank() == Rank::Sixth.relative_to(us)
        && position.piece_at(target).is_none()
        && position.piece_at(target.forward(us)).is_none()
        && position.piece_at(target.forward(!us)) == Some(Piece::new(!us, Role::Pawn))
}

fn validate_castling(setup: &Setup, errors: &mut Vec<PositionError>) {
    for (color, side, file) in setup.castling_rights.iter() {
        let rook = Square::new(file, Rank::First.relative_to(color));
        if !setup.supports_castling(color, side, rook) {
            let detail = format!(
                "{} cannot castle with a rook on {rook}: king or rook is not in place",
                color.name()
            );
            errors.push(PositionError::new(
                PositionErrorCode::CastlingUnknown,
                PositionField::Castling,
                &setup.castling_rights.to_shredder_fen(),
                detail,
            ));
        }
    }
}

fn validate_clocks(setup: &Setup, errors: &mut Vec<PositionError>) {
    if setup.halfmove_clock > MAX_HALFMOVE_CLOCK {
        errors.push(halfmove_clock_error(&setup.halfmove_clock.to_string()));
    }
    if !(1..=MAX_FULLMOVE_NUMBER).contains(&setup.fullmove_number) {
        errors.push(fullmove_number_error(&setup.fullmove_number.to_string()));
    }
}

/// The error of a half-move clock out of range.
pub(super) fn halfmove_clock_error(text: &str) -> PositionError {
    let detail = format!("the half-move clock is {text}; it must be 0 to {MAX_HALFMOVE_CLOCK}");
    PositionError::new(PositionErrorCode::ClockRange, PositionField::HalfmoveClock, text, detail)
}

/// The error of a full-move number out of range.
pub(super) fn fullmove_number_error(text: &str) -> PositionError {
    let detail = format!("the full-move number is {text}; it must be 1 to {MAX_FULLMOVE_NUMBER}");
    PositionError::new(PositionErrorCode::ClockRange, PositionField::FullmoveNumber, text, detail)
}

fn square_names(squares: Bitboard) -> String {
    squares.map(|square| square.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
