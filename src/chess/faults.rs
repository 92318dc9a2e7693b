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
pub enum Field {
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

impl Field {
    /// All fields.
    pub const ALL: [Field; 8] = [
        Field::Fen,
        Field::Board,
        Field::Side,
        Field::Castling,
        Field::EnPassant,
        Field::HalfmoveClock,
        Field::FullmoveNumber,
        Field::Packed,
    ];

    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            Field::Fen => "fen",
            Field::Board => "board",
            Field::Side => "side",
            Field::Castling => "castling",
            Field::EnPassant => "en_passant",
            Field::HalfmoveClock => "halfmove_clock",
            Field::FullmoveNumber => "fullmove_number",
            Field::Packed => "packed",
        }
    }
}

/// Why a position is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
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

impl FaultCode {
    /// All codes.
    pub const ALL: [FaultCode; 20] = [
        FaultCode::FenFields,
        FaultCode::RankCount,
        FaultCode::RankLength,
        FaultCode::UnknownPiece,
        FaultCode::SideUnknown,
        FaultCode::NoKing,
        FaultCode::TooManyKings,
        FaultCode::TooManyPieces,
        FaultCode::TooManyPawns,
        FaultCode::ImpossiblePromotions,
        FaultCode::PawnOnBackRank,
        FaultCode::OpponentInCheck,
        FaultCode::ImpossibleCheck,
        FaultCode::CastlingUnknown,
        FaultCode::CastlingConflict,
        FaultCode::EnPassantUnknown,
        FaultCode::EnPassantImpossible,
        FaultCode::ClockNotANumber,
        FaultCode::ClockRange,
        FaultCode::PackedForm,
    ];

    /// The code in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            FaultCode::FenFields => "fen_fields",
            FaultCode::RankCount => "rank_count",
            FaultCode::RankLength => "rank_length",
            FaultCode::UnknownPiece => "unknown_piece",
            FaultCode::SideUnknown => "side_unknown",
            FaultCode::NoKing => "no_king",
            FaultCode::TooManyKings => "too_many_kings",
            FaultCode::TooManyPieces => "too_many_pieces",
            FaultCode::TooManyPawns => "too_many_pawns",
            FaultCode::ImpossiblePromotions => "impossible_promotions",
            FaultCode::PawnOnBackRank => "pawn_on_back_rank",
            FaultCode::OpponentInCheck => "opponent_in_check",
            FaultCode::ImpossibleCheck => "impossible_check",
            FaultCode::CastlingUnknown => "castling_unknown",
            FaultCode::CastlingConflict => "castling_conflict",
            FaultCode::EnPassantUnknown => "en_passant_unknown",
            FaultCode::EnPassantImpossible => "en_passant_impossible",
            FaultCode::ClockNotANumber => "clock_not_a_number",
            FaultCode::ClockRange => "clock_range",
            FaultCode::PackedForm => "packed_form",
        }
    }
}

/// What was mended in a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningCode {
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

impl WarningCode {
    /// All codes.
    pub const ALL: [WarningCode; 5] = [
        WarningCode::CastlingDropped,
        WarningCode::CastlingRepeated,
        WarningCode::EnPassantDropped,
        WarningCode::DigitsJoined,
        WarningCode::MoveNumberRaised,
    ];

    /// The code in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            WarningCode::CastlingDropped => "castling_dropped",
            WarningCode::CastlingRepeated => "castling_repeated",
            WarningCode::EnPassantDropped => "en_passant_dropped",
            WarningCode::DigitsJoined => "digits_joined",
            WarningCode::MoveNumberRaised => "move_number_raised",
        }
    }
}

/// One fault of a position's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub code: FaultCode,
    /// Where it is wrong.
    pub field: Field,
    /// The offending text as given, cut at 200 characters.
    pub text: String,
    /// What is wrong, in a sentence for people.
    pub detail: String,
}

impl Fault {
    /// A fault of that text, which is cut to an excerpt.
    pub fn new(code: FaultCode, field: Field, text: &str, detail: impl Into<String>) -> Fault {
        Fault { code, field, text: excerpt(text).to_owned(), detail: detail.into() }
    }
}

/// One thing that was mended in a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenWarning {
    /// What was mended.
    pub code: WarningCode,
    /// Where it was mended.
    pub field: Field,
    /// The text that was mended, as given.
    pub text: String,
    /// What was mended, in a sentence for people.
    pub detail: String,
}

impl FenWarning {
    /// A warning about that text, which is cut to an excerpt.
    pub fn new(
        code: WarningCode,
        field: Field,
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
    pub faults: Vec<Fault>,
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
    fn every_code_has_a_name_of_its_own() {
        let mut names: Vec<_> = FaultCode::ALL.map(FaultCode::name).into_iter().collect();
        names.extend(WarningCode::ALL.map(WarningCode::name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
