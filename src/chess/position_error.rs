//! Faults and warnings of a position's text, as closed lists of codes.

use std::fmt;

use super::excerpt::excerpt;

/// The part of a position's text that a fault or warning is about.
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

/// The code of a fault that makes a position invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionFaultCode {
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

impl PositionFaultCode {
    /// All codes.
    pub const ALL: [PositionFaultCode; 20] = [
        PositionFaultCode::FenFields,
        PositionFaultCode::RankCount,
        PositionFaultCode::RankLength,
        PositionFaultCode::UnknownPiece,
        PositionFaultCode::SideUnknown,
        PositionFaultCode::NoKing,
        PositionFaultCode::TooManyKings,
        PositionFaultCode::TooManyPieces,
        PositionFaultCode::TooManyPawns,
        PositionFaultCode::ImpossiblePromotions,
        PositionFaultCode::PawnOnBackRank,
        PositionFaultCode::OpponentInCheck,
        PositionFaultCode::ImpossibleCheck,
        PositionFaultCode::CastlingUnknown,
        PositionFaultCode::CastlingConflict,
        PositionFaultCode::EnPassantUnknown,
        PositionFaultCode::EnPassantImpossible,
        PositionFaultCode::ClockNotANumber,
        PositionFaultCode::ClockRange,
        PositionFaultCode::PackedForm,
    ];

    /// The code in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            PositionFaultCode::FenFields => "fen_fields",
            PositionFaultCode::RankCount => "rank_count",
            PositionFaultCode::RankLength => "rank_length",
            PositionFaultCode::UnknownPiece => "unknown_piece",
            PositionFaultCode::SideUnknown => "side_unknown",
            PositionFaultCode::NoKing => "no_king",
            PositionFaultCode::TooManyKings => "too_many_kings",
            PositionFaultCode::TooManyPieces => "too_many_pieces",
            PositionFaultCode::TooManyPawns => "too_many_pawns",
            PositionFaultCode::ImpossiblePromotions => "impossible_promotions",
            PositionFaultCode::PawnOnBackRank => "pawn_on_back_rank",
            PositionFaultCode::OpponentInCheck => "opponent_in_check",
            PositionFaultCode::ImpossibleCheck => "impossible_check",
            PositionFaultCode::CastlingUnknown => "castling_unknown",
            PositionFaultCode::CastlingConflict => "castling_conflict",
            PositionFaultCode::EnPassantUnknown => "en_passant_unknown",
            PositionFaultCode::EnPassantImpossible => "en_passant_impossible",
            PositionFaultCode::ClockNotANumber => "clock_not_a_number",
            PositionFaultCode::ClockRange => "clock_range",
            PositionFaultCode::PackedForm => "packed_form",
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

/// A fault of a position's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionFault {
    /// The kind of the fault.
    pub code: PositionFaultCode,
    /// The field that has the fault.
    pub field: PositionField,
    /// The invalid text as given, cut at 200 characters.
    pub text: String,
    /// The explanation for people.
    pub detail: String,
}

impl PositionFault {
    /// A fault with an excerpt of the invalid text.
    pub fn new(
        code: PositionFaultCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) -> PositionFault {
        PositionFault { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
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

/// The error for an invalid position, with all its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPosition {
    /// The faults, at least one. The first one is the message of the error.
    pub faults: Vec<PositionFault>,
}

impl fmt::Display for InvalidPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.faults.first() {
            Some(fault) => f.write_str(&fault.detail),
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
            PositionFaultCode::ALL.map(PositionFaultCode::name).into_iter().collect();
        names.extend(FenWarningCode::ALL.map(FenWarningCode::name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
