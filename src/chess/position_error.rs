//! What can be wrong with a position that somebody sends: closed lists of faults and warnings.

use std::fmt;

/// The longest piece of a client's text that an error repeats, in characters.
const EXCERPT_CHARS: usize = 200;

/// The part of a client's text that an error repeats: its first 200 characters.
pub fn excerpt(text: &str) -> &str {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The part of a position's text that a fault lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionField {
    /// The text as a whole.
    Fen,
    /// The placement of the pieces.
    Board,
    /// The side to move.
    Side,
    /// The castling rights.
    Castling,
    /// The en passant square.
    EnPassant,
    /// The half-move clock.
    HalfmoveClock,
    /// The move number.
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

/// Why a position is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PositionFaultCode {
    /// Not 4, 5 or 6 fields, longer than 200 characters, or with control characters.
    FenFields,
    /// Not 8 ranks.
    RankCount,
    /// A rank is not 8 squares wide.
    RankLength,
    /// Neither a piece letter nor a digit from 1 to 8.
    UnknownPiece,
    /// The side to move is neither `w` nor `b`.
    SideUnknown,
    /// A player has no king.
    NoKing,
    /// A player has more than one king.
    TooManyKings,
    /// A player has more than 16 men.
    TooManyPieces,
    /// A player has more than 8 pawns.
    TooManyPawns,
    /// A player has more extra pieces than missing pawns.
    ImpossiblePromotions,
    /// A pawn stands on the first or eighth rank.
    PawnOnBackRank,
    /// The side that is not to move is in check.
    OpponentInCheck,
    /// No last move can have left this check.
    ImpossibleCheck,
    /// Not a castling letter, or a right that nothing on the board supports.
    CastlingUnknown,
    /// Two rights on one side of a king.
    CastlingConflict,
    /// Neither `-` nor a square.
    EnPassantUnknown,
    /// No pawn can just have passed that square.
    EnPassantImpossible,
    /// A clock is not written in digits alone.
    ClockNotANumber,
    /// The half-move clock is above 150, or the move number not from 1 to 9999.
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

/// What was mended in a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenWarningCode {
    /// A castling right without its king or rook.
    CastlingDropped,
    /// A castling right that is named twice.
    CastlingRepeated,
    /// An en passant square without a legal capture, with a half-move clock above 0.
    EnPassantDropped,
    /// Two digits side by side in a rank.
    DigitsJoined,
    /// A move number of 0.
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

/// One fault of a position's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionFault {
    /// What is wrong.
    pub code: PositionFaultCode,
    /// Where it is wrong.
    pub field: PositionField,
    /// The offending text as given, cut at 200 characters.
    pub text: String,
    /// What is wrong, in a sentence for people.
    pub detail: String,
}

impl PositionFault {
    /// A fault of that text, which is cut to an excerpt.
    pub fn new(
        code: PositionFaultCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) -> PositionFault {
        PositionFault { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
    }
}

/// One thing that was mended in a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenWarning {
    /// What was mended.
    pub code: FenWarningCode,
    /// Where it was mended.
    pub field: PositionField,
    /// The text that was mended, as given.
    pub text: String,
    /// What was mended, in a sentence for people.
    pub detail: String,
}

impl FenWarning {
    /// A warning about that text, which is cut to an excerpt.
    pub fn new(
        code: FenWarningCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) -> FenWarning {
        FenWarning { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
    }
}

/// A position that is refused, with every fault that can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPosition {
    /// The faults, never none; the first is the headline.
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
    fn an_excerpt_ends_between_characters() {
        assert_eq!(excerpt("e4"), "e4");
        assert_eq!(excerpt(&"♞".repeat(201)), "♞".repeat(200));
        assert_eq!(excerpt(&"a".repeat(200)).len(), 200);
    }

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
