//! Errors and warnings of a position's text, as closed lists of codes.

use std::fmt;

use super::excerpt::excerpt;

/// The part of a position's text that an error or warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionField {
    /// The whole text.
    Fen,
    /// The piece placement.
    Board,
    /// The side to move.
    Side,
    /// The castling rights.
    Castling,
    /// The en passant square.
    EnPassant,
    /// The half-move clock.
    HalfmoveClock,
    /// The full-move number.
    FullmoveNumber,
    /// The packed form.
    Packed,
}

impl PositionField {
    /// All fields.
    pub const ALL: [PositionField; 8] = [
        PositionField::Fen,
        PositionField::Board,
        PositionField::Side,
        PositionField::Castling,
        PositionField::EnPassant,
        PositionField::HalfmoveClock,
        PositionField::FullmoveNumber,
        PositionField::Packed,
    ];

    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            PositionField::Fen => "fen",
            PositionField::Board => "board",
            PositionField::Side => "side",
            PositionField::Castling => "castling",
            PositionField::EnPassant => "en_passant",
            PositionField::HalfmoveClock => "halfmove_clock",
            PositionField::FullmoveNumber => "fullmove_number",
            PositionField::Packed => "packed",
        }
    }
}

/// The code of an error that makes a position invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionErrorCode {
    /// The FEN does not have 4, 5 or 6 fields, is longer than 200 characters, or has control
    /// characters.
    FenFields,
    /// The board does not have 8 ranks.
    RankCount,
    /// A rank does not have 8 squares.
    RankLength,
    /// A character is neither a piece letter nor a digit from 1 to 8.
    UnknownPiece,
    /// The side to move is neither `w` nor `b`.
    SideUnknown,
    /// A player has no king.
    NoKing,
    /// A player has more than one king.
    TooManyKings,
    /// A player has more than 16 pieces, pawns included.
    TooManyPieces,
    /// A player has more than 8 pawns.
    TooManyPawns,
    /// A player has more promoted pieces than missing pawns.
    ImpossiblePromotions,
    /// A pawn is on the first or eighth rank.
    PawnOnBackRank,
    /// The side that is not to move is in check.
    OpponentInCheck,
    /// No last move leads to this check.
    ImpossibleCheck,
    /// A character is not a castling letter, or a right has no king and rook in place.
    CastlingUnknown,
    /// Two castling rights are on the same side of a king.
    CastlingConflict,
    /// The en passant field is neither `-` nor a square.
    EnPassantUnknown,
    /// No pawn has just passed the en passant square.
    EnPassantImpossible,
    /// The half-move clock or full-move number does not consist of digits.
    ClockNotANumber,
    /// The half-move clock is above 150, or the full-move number is not from 1 to 9999.
    ClockRange,
    /// The text is not the packed form of a position.
    PackedForm,
}

impl PositionErrorCode {
    /// All codes.
    pub const ALL: [PositionErrorCode; 20] = [
        PositionErrorCode::FenFields,
        PositionErrorCode::RankCount,
        PositionErrorCode::RankLength,
        PositionErrorCode::UnknownPiece,
        PositionErrorCode::SideUnknown,
        PositionErrorCode::NoKing,
        PositionErrorCode::TooManyKings,
        PositionErrorCode::TooManyPieces,
        PositionErrorCode::TooManyPawns,
        PositionErrorCode::ImpossiblePromotions,
        PositionErrorCode::PawnOnBackRank,
        PositionErrorCode::OpponentInCheck,
        PositionErrorCode::ImpossibleCheck,
        PositionErrorCode::CastlingUnknown,
        PositionErrorCode::CastlingConflict,
        PositionErrorCode::EnPassantUnknown,
        PositionErrorCode::EnPassantImpossible,
        PositionErrorCode::ClockNotANumber,
        PositionErrorCode::ClockRange,
        PositionErrorCode::PackedForm,
    ];

    /// The code in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            PositionErrorCode::FenFields => "fen_fields",
            PositionErrorCode::RankCount => "rank_count",
            PositionErrorCode::RankLength => "rank_length",
            PositionErrorCode::UnknownPiece => "unknown_piece",
            PositionErrorCode::SideUnknown => "side_unknown",
            PositionErrorCode::NoKing => "no_king",
            PositionErrorCode::TooManyKings => "too_many_kings",
            PositionErrorCode::TooManyPieces => "too_many_pieces",
            PositionErrorCode::TooManyPawns => "too_many_pawns",
            PositionErrorCode::ImpossiblePromotions => "impossible_promotions",
            PositionErrorCode::PawnOnBackRank => "pawn_on_back_rank",
            PositionErrorCode::OpponentInCheck => "opponent_in_check",
            PositionErrorCode::ImpossibleCheck => "impossible_check",
            PositionErrorCode::CastlingUnknown => "castling_unknown",
            PositionErrorCode::CastlingConflict => "castling_conflict",
            PositionErrorCode::EnPassantUnknown => "en_passant_unknown",
            PositionErrorCode::EnPassantImpossible => "en_passant_impossible",
            PositionErrorCode::ClockNotANumber => "clock_not_a_number",
            PositionErrorCode::ClockRange => "clock_range",
            PositionErrorCode::PackedForm => "packed_form",
        }
    }
}

/// The code of a correction that was made to a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenWarningCode {
    /// A castling right without its king or rook was dropped.
    CastlingDropped,
    /// A castling right was given twice.
    CastlingRepeated,
    /// An en passant square without a legal capture was dropped. The half-move clock is above 0.
    EnPassantDropped,
    /// Adjacent digits of a rank were added up.
    DigitsJoined,
    /// A full-move number of 0 was raised to 1.
    MoveNumberRaised,
}

impl FenWarningCode {
    /// All codes.
    pub const ALL: [FenWarningCode; 5] = [
        FenWarningCode::CastlingDropped,
        FenWarningCode::CastlingRepeated,
        FenWarningCode::EnPassantDropped,
        FenWarningCode::DigitsJoined,
        FenWarningCode::MoveNumberRaised,
    ];

    /// The code in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            FenWarningCode::CastlingDropped => "castling_dropped",
            FenWarningCode::CastlingRepeated => "castling_repeated",
            FenWarningCode::EnPassantDropped => "en_passant_dropped",
            FenWarningCode::DigitsJoined => "digits_joined",
            FenWarningCode::MoveNumberRaised => "move_number_raised",
        }
    }
}

/// An error of a position's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionError {
    /// The kind of the error.
    pub code: PositionErrorCode,
    /// The field that has the error.
    pub field: PositionField,
    /// The invalid text as given, cut at 200 characters.
    pub text: String,
    /// The explanation for people.
    pub detail: String,
}

impl PositionError {
    /// An error with an excerpt of the invalid text.
    pub fn new(
        code: PositionErrorCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) -> PositionError {
        PositionError { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
    }
}

/// A correction that was made to a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenWarning {
    /// The kind of the correction.
    pub code: FenWarningCode,
    /// The field that was corrected.
    pub field: PositionField,
    /// The corrected text as given, cut at 200 characters.
    pub text: String,
    /// The explanation for people.
    pub detail: String,
}

impl FenWarning {
    /// A warning with an excerpt of the corrected text.
    pub fn new(
        code: FenWarningCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) -> FenWarning {
        FenWarning { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
    }
}

/// The error for an invalid position, with all its errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPosition {
    /// The errors, at least one. The first one is the message of the error.
    pub errors: Vec<PositionError>,
}

impl fmt::Display for InvalidPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.first() {
            Some(error) => f.write_str(&error.detail),
            None => f.write_str("the position is not legal"),
        }
    }
}

impl std::error::Error for InvalidPosition {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_unique_name() {
        let mut names: Vec<_> =
            PositionErrorCode::ALL.map(PositionErrorCode::name).into_iter().collect();
        names.extend(FenWarningCode::ALL.map(FenWarningCode::name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
