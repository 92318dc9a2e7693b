//! FEN input. Errors in one field do not hide the errors of other fields.

use crate::chess::excerpt::excerpt;
use crate::chess::position_error::{
    FenWarning, FenWarningCode, InvalidPosition, PositionError, PositionErrorCode, PositionField,
};
use crate::chess::setup::{MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK, back_rank};
use crate::chess::validation::{fullmove_number_error, halfmove_clock_error};
use crate::chess::{CastlingSide, Color, File, Piece, Position, Role, Setup, Square};

/// The longest accepted FEN, in characters.
const MAX_FEN_CHARS: usize = 200;

/// The fields that a lenient reading takes for missing ones. There is always a board.
const DEFAULT_FIELDS: [&str; 6] = ["", "w", "-", "-", "0", "1"];

/// The errors that a lenient reading forgives.
const FORGIVEN: [PositionErrorCode; 2] =
    [PositionErrorCode::EnPassantImpossible, PositionErrorCode::ImpossibleCheck];

/// A validated position and the corrections that its FEN needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedFen {
    /// The position.
    pub position: Position,
    /// The corrections, in the order of the fields.
    pub warnings: Vec<FenWarning>,
}

/// Parses a FEN of 4, 5 or 6 fields, with the castling letters of X-FEN or Shredder-FEN.
///
/// # Errors
///
/// All errors of the FEN, in the order of the fields.
pub fn parse_fen(text: &str) -> Result<ParsedFen, InvalidPosition> {
    reject_unreadable(text)?;
    let (fields, count) = split_fields(text);
    let mut parser = FenParser::default();
    if !(4..=6).contains(&count) {
        let detail = field_count_detail(fields[0], count);
        parser.add_error(PositionErrorCode::FenFields, PositionField::Fen, text, detail);
    }
    parser.parse(&fields[..count.min(6)])
}

/// Parses a FEN as lila-tablebase does. It forgives castling rights without king and rook on their
/// squares of standard chess, an en passant square that no pawn has just passed, and a check that
/// no move leads to. Missing fields at the end have the values `w - - 0 1`.
///
/// # Errors
///
/// All other errors of the FEN, in the order of the fields.
pub fn parse_fen_leniently(text: &str) -> Result<Position, InvalidPosition> {
    reject_unreadable(text)?;
    let (mut fields, count) = split_fields(text);
    if !(1..=6).contains(&count) {
        return Position::from_fen(text);
    }
    fields[count..].copy_from_slice(&DEFAULT_FIELDS[count..]);
    let parser = FenParser { is_lenient: true, ..FenParser::default() };
    Ok(parser.parse(&fields)?.position)
}

/// Parses a FEN whose position need not be legal, such as a board without kings. Only the board is
/// required; missing fields have the values `w - - 0 1`.
///
/// # Errors
///
/// All errors of the fields, in their order.
pub fn parse_fen_setup(text: &str) -> Result<Setup, InvalidPosition> {
    reject_unreadable(text)?;
    let (mut fields, count) = split_fields(text);
    let mut parser = FenParser { is_lenient: true, ..FenParser::default() };
    if (1..=6).contains(&count) {
        fields[count..].copy_from_slice(&DEFAULT_FIELDS[count..]);
        parser.parse_fields(&fields);
    } else {
        let detail = match count {
            0 => "the FEN is empty; it must have at least a board".to_owned(),
            _ => format!("the FEN has {count} fields; it must have 1 to 6"),
        };
        parser.add_error(PositionErrorCode::FenFields, PositionField::Fen, text, detail);
    }
    if parser.errors.is_empty() { Ok(parser.setup) } else { Err(parser.into_error()) }
}

/// The detail of a wrong number of fields. It names the missing ones if the first field looks like
/// the board of a FEN.
fn field_count_detail(first: &str, count: usize) -> String {
    if count == 0 {
        return "the FEN is empty; it must have 4, 5 or 6 fields".to_owned();
    }
    let missing = match count {
        1 => "; side to move, castling rights and en passant square are missing",
        2 => "; castling rights and en passant square are missing",
        3 => "; the en passant square is missing",
        _ => "",
    };
    let missing = if first.contains('/') { missing } else { "" };
    format!("the FEN has {}; it must have 4, 5 or 6{missing}", counted(count, "field"))
}

/// The number with its noun: "1 field", "2 fields".
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Rejects texts that are too long or have control characters.
fn reject_unreadable(text: &str) -> Result<(), InvalidPosition> {
    let detail = if text.len() > MAX_FEN_CHARS && text.chars().nth(MAX_FEN_CHARS).is_some() {
        "the FEN is too long; at most 200 characters are allowed"
    } else if has_control_characters(text) {
        "the FEN has control characters; its fields must be separated by spaces or underscores"
    } else {
        return Ok(());
    };
    Err(InvalidPosition {
        errors: vec![PositionError::new(
            PositionErrorCode::FenFields,
            PositionField::Fen,
            text,
            detail,
        )],
    })
}

fn has_control_characters(text: &str) -> bool {
    // Nearly every text is ASCII, which needs no UTF-8 decoding.
    if text.is_ascii() {
        text.bytes().any(|byte| byte.is_ascii_control())
    } else {
        text.chars().any(char::is_control)
    }
}

/// The first six fields, and the number of all fields.
fn split_fields(text: &str) -> ([&str; 6], usize) {
    let mut fields = [""; 6];
    let mut count = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| matches!(byte, b' ' | b'_')).unwrap_or(rest.len());
        if end > 0 {
            if let Some(slot) = fields.get_mut(count) {
                *slot = &rest[..end];
            }
            count += 1;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    (fields, count)
}

impl Position {
    /// Parses a FEN without reporting corrections.
    ///
    /// # Errors
    ///
    /// The same as for [`parse_fen`].
    pub fn from_fen(text: &str) -> Result<Position, InvalidPosition> {
        parse_fen(text).map(|parsed| parsed.position)
    }
}

/// Which of the fields that others depend on are valid.
struct ParsedFields {
    board_is_valid: bool,
    side_is_known: bool,
}

/// The parser: the setup, errors and warnings so far.
struct FenParser {
    setup: Setup,
    errors: Vec<PositionError>,
    warnings: Vec<FenWarning>,
    is_lenient: bool,
}

impl Default for FenParser {
    fn default() -> FenParser {
        FenParser {
            setup: Setup::EMPTY,
            errors: Vec::new(),
            warnings: Vec::new(),
            is_lenient: false,
        }
    }
}

impl FenParser {
    /// Parses up to six fields and validates the position.
    fn parse(mut self, fields: &[&str]) -> Result<ParsedFen, InvalidPosition> {
        let ParsedFields { board_is_valid, side_is_known } = self.parse_fields(fields);
        let (board, en_passant) = (fields.first().copied(), fields.get(3).copied());
        let forgiven: &[_] = if self.is_lenient { &FORGIVEN } else { &[] };
        let validated = if board_is_valid {
            self.setup.validate_partial(side_is_known, forgiven)
        } else {
            Err(Vec::new())
        };
        match validated {
            Ok(position) if self.errors.is_empty() => {
                self.warn_dropped_en_passant(&position, en_passant.unwrap_or_default());
                Ok(ParsedFen { position, warnings: self.warnings })
            }
            Ok(_) => Err(self.into_error()),
            Err(errors) => {
                self.errors
                    .extend(errors.into_iter().map(|error| quote_input(error, board, en_passant)));
                Err(self.into_error())
            }
        }
    }

    /// Parses up to six fields into the setup.
    fn parse_fields(&mut self, fields: &[&str]) -> ParsedFields {
        let mut remaining = fields.iter().copied();
        let board_is_valid = remaining.next().is_some_and(|text| self.parse_board(text));
        let side_is_known = remaining.next().is_some_and(|text| self.parse_side(text));
        if let Some(text) = remaining.next() {
            self.parse_castling(text, board_is_valid);
        }
        if let Some(text) = remaining.next() {
            self.parse_en_passant(text);
        }
        if let Some(text) = remaining.next() {
            self.parse_halfmove_clock(text);
        }
        if let Some(text) = remaining.next() {
            self.parse_fullmove_number(text);
        }
        ParsedFields { board_is_valid, side_is_known }
    }

    fn into_error(mut self) -> InvalidPosition {
        self.errors.sort_by_key(|error| error.field as u8);
        InvalidPosition { errors: self.errors }
    }

    fn add_error(
        &mut self,
        code: PositionErrorCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) {
        self.errors.push(PositionError::new(code, field, text, detail));
    }

    fn add_warning(
        &mut self,
        code: FenWarningCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) {
        self.warnings.push(FenWarning::new(code, field, text, detail));
    }

    /// Parses the piece placement. Returns `true` when it has no errors.
    fn parse_board(&mut self, text: &str) -> bool {
        let errors_before = self.errors.len();
        let mut unknown = String::new();
        let mut ranks = 1;
        let mut rank_start = 0;
        let mut rank = RankState::default();
        for (offset, letter) in text.char_indices() {
            if let Some(piece) = Piece::from_letter(letter) {
                if ranks <= 8 && rank.width < 8 {
                    self.setup.board[8 * (8 - ranks) + rank.width] = Some(piece);
                }
                rank.add_piece();
            } else if let digit @ '1'..='8' = letter {
                rank.add_empty_squares(digit as u8 - b'0');
            } else if letter == '/' {
                self.finish_rank(&text[rank_start..offset], &rank);
                (rank_start, rank) = (offset + 1, RankState::default());
                ranks += 1;
            } else {
                rank.has_only_known_chars = false;
                if !unknown.contains(letter) {
                    unknown.push(letter);
                }
            }
        }
        self.finish_rank(&text[rank_start..], &rank);
        self.finish_board(text, ranks, &unknown);
        self.errors.len() == errors_before
    }

    fn finish_board(&mut self, text: &str, ranks: usize, unknown: &str) {
        if ranks != 8 {
            let detail = format!("the board has {}; it must have 8", counted(ranks, "rank"));
            self.add_error(PositionErrorCode::RankCount, PositionField::Board, text, detail);
        }
        for letter in unknown.chars() {
            self.add_error(
                PositionErrorCode::UnknownPiece,
                PositionField::Board,
                letter.encode_utf8(&mut [0; 4]),
                format!("{letter:?} is not allowed; it must be one of pnbrqkPNBRQK or 1 to 8"),
            );
        }
    }

    fn finish_rank(&mut self, text: &str, rank: &RankState) {
        if rank.has_only_known_chars && rank.width != 8 {
            let detail = format!("the rank has {}; it must have 8", counted(rank.width, "square"));
            self.add_error(PositionErrorCode::RankLength, PositionField::Board, text, detail);
        } else if rank.digits_joined {
            let detail = "adjacent digits were added up";
            self.add_warning(FenWarningCode::DigitsJoined, PositionField::Board, text, detail);
        }
    }

    fn parse_side(&mut self, text: &str) -> bool {
        self.setup.turn = match text {
            "w" => Color::White,
            "b" => Color::Black,
            _ => {
                let detail = format!("the side to move is {text:?}; it must be `w` or `b`");
                self.add_error(PositionErrorCode::SideUnknown, PositionField::Side, text, detail);
                return false;
            }
        };
        true
    }

    /// Parses the castling letters. Rights are granted only if the board is valid.
    fn parse_castling(&mut self, text: &str, board_is_valid: bool) {
        if text == "-" {
            return;
        }
        let mut unknown = String::new();
        let mut seen = String::new();
        for letter in text.chars() {
            let Some((color, rook)) = CastlingLetter::parse(letter) else {
                if !unknown.contains(letter) {
                    unknown.push(letter);
                }
                continue;
            };
            if seen.contains(letter) {
                self.warn_repeated_castling(letter);
                continue;
            }
            seen.push(letter);
            if board_is_valid {
                self.grant_castling_right(letter, color, rook);
            }
        }
        for letter in unknown.chars() {
            let detail = format!(
                "{letter:?} is not a castling letter; allowed are KQkq, A-H, a-h or a single `-`"
            );
            self.add_error(
                PositionErrorCode::CastlingUnknown,
                PositionField::Castling,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
        }
    }

    fn warn_repeated_castling(&mut self, letter: char) {
        let detail = format!("{letter:?} repeats a castling right");
        self.add_warning(
            FenWarningCode::CastlingRepeated,
            PositionField::Castling,
            letter.encode_utf8(&mut [0; 4]),
            detail,
        );
    }

    fn grant_castling_right(&mut self, letter: char, color: Color, rook: CastlingLetter) {
        let is_accepted = |&(side, rook): &(CastlingSide, File)| {
            !self.is_lenient || self.setup.is_standard_castling(color, side, rook)
        };
        let Some((side, rook)) = rook.find_rook(&self.setup, color).filter(is_accepted) else {
            let detail =
                format!("the castling right {letter:?} was dropped: king or rook is not in place");
            self.add_warning(
                FenWarningCode::CastlingDropped,
                PositionField::Castling,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
            return;
        };
        match self.setup.castling_rights.rook_file(color, side) {
            None => self.setup.castling_rights.set(color, side, Some(rook)),
            Some(other) if other == rook => self.warn_repeated_castling(letter),
            Some(other) => {
                let detail = format!(
                    "{letter:?} is a second castling right on the same side of the {} king; \
                     the first one is for the rook on the {}-file",
                    color.name(),
                    other.letter(),
                );
                self.add_error(
                    PositionErrorCode::CastlingConflict,
                    PositionField::Castling,
                    letter.encode_utf8(&mut [0; 4]),
                    detail,
                );
            }
        }
    }

    fn parse_en_passant(&mut self, text: &str) {
        if text == "-" {
            return;
        }
        match text.parse() {
            Ok(square) => self.setup.en_passant = Some(square),
            Err(_) => {
                self.add_error(
                    PositionErrorCode::EnPassantUnknown,
                    PositionField::EnPassant,
                    text,
                    format!("the en passant square is {text:?}; it must be `-` or a square"),
                );
            }
        }
    }

    fn warn_dropped_en_passant(&mut self, position: &Position, text: &str) {
        // Many programs write the square after every double step. Only a clock above 0, which a
        // pawn move would have reset, shows an error.
        if self.setup.en_passant.is_some()
            && position.en_passant().is_none()
            && self.setup.halfmove_clock != 0
        {
            let detail = "the en passant square was dropped: no capture there is legal";
            self.add_warning(
                FenWarningCode::EnPassantDropped,
                PositionField::EnPassant,
                text,
                detail,
            );
        }
    }

    fn parse_halfmove_clock(&mut self, text: &str) {
        match parse_number(text) {
            None => self.add_error(
                PositionErrorCode::ClockNotANumber,
                PositionField::HalfmoveClock,
                text,
                format!("the half-move clock is {text:?}; it must be a whole number"),
            ),
            Some(clock) if clock > MAX_HALFMOVE_CLOCK => {
                self.errors.push(halfmove_clock_error(text))
            }
            Some(clock) => self.setup.halfmove_clock = clock,
        }
    }

    fn parse_fullmove_number(&mut self, text: &str) {
        match parse_number(text) {
            None => self.add_error(
                PositionErrorCode::ClockNotANumber,
                PositionField::FullmoveNumber,
                text,
                format!("the full-move number is {text:?}; it must be a whole number"),
            ),
            Some(0) => {
                self.add_warning(
                    FenWarningCode::MoveNumberRaised,
                    PositionField::FullmoveNumber,
                    text,
                    "the full-move number was raised from 0 to 1",
                );
            }
            Some(number) if number > MAX_FULLMOVE_NUMBER => {
                self.errors.push(fullmove_number_error(text))
            }
            Some(number) => self.setup.fullmove_number = number,
        }
    }
}

/// The rook that a castling letter of a FEN refers to: `K`, `Q` or the file of the rook.
enum CastlingLetter {
    /// The outermost rook on a side of the king.
    Outermost(CastlingSide),
    /// The rook on a file.
    OnFile(File),
}

impl CastlingLetter {
    /// The player and the meaning of a letter.
    fn parse(letter: char) -> Option<(Color, CastlingLetter)> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = match letter.to_ascii_lowercase() {
            'k' => CastlingLetter::Outermost(CastlingSide::King),
            'q' => CastlingLetter::Outermost(CastlingSide::Queen),
            lower => CastlingLetter::OnFile(File::from_letter(lower)?),
        };
        Some((color, rook))
    }

    /// The side and the file of the rook; `None` when king or rook is not in place.
    fn find_rook(&self, setup: &Setup, color: Color) -> Option<(CastlingSide, File)> {
        let king = setup.back_rank_king(color)?;
        let is_rook =
            |square: &Square| setup.board[square.index()] == Some(Piece::new(color, Role::Rook));
        let (side, rook) = match *self {
            CastlingLetter::Outermost(CastlingSide::King) => (
                CastlingSide::King,
                back_rank(color).rev().take_while(|&square| square > king).find(is_rook)?,
            ),
            CastlingLetter::Outermost(CastlingSide::Queen) => (
                CastlingSide::Queen,
                back_rank(color).take_while(|&square| square < king).find(is_rook)?,
            ),
            CastlingLetter::OnFile(file) => {
                let side =
                    if file > king.file() { CastlingSide::King } else { CastlingSide::Queen };
                (side, Some(Square::new(file, king.rank())).filter(is_rook)?)
            }
        };
        Some((side, rook.file()))
    }
}

/// The parsed part of one rank.
struct RankState {
    /// The number of squares so far.
    width: usize,
    after_digit: bool,
    digits_joined: bool,
    /// All characters so far are known. Only then the width is meaningful.
    has_only_known_chars: bool,
}

impl Default for RankState {
    fn default() -> RankState {
        RankState { width: 0, after_digit: false, digits_joined: false, has_only_known_chars: true }
    }
}

impl RankState {
    fn add_empty_squares(&mut self, count: u8) {
        self.width += usize::from(count);
        self.digits_joined |= self.after_digit;
        self.after_digit = true;
    }

    fn add_piece(&mut self) {
        self.width += 1;
        self.after_digit = false;
    }
}

/// Replaces the text of a validation error by the field as given.
fn quote_input(
    mut error: PositionError,
    board: Option<&str>,
    en_passant: Option<&str>,
) -> PositionError {
    let given = match error.field {
        PositionField::Board => board,
        PositionField::EnPassant => en_passant,
        _ => None,
    };
    if let Some(given) = given {
        error.text = excerpt(given).to_owned();
    }
    error
}

/// Parses decimal digits. A number too large for 16 bits becomes the greatest 16-bit number.
fn parse_number(text: &str) -> Option<u16> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0_u16, |number, byte| match byte {
        b'0'..=b'9' => Some(number.saturating_mul(10).saturating_add(u16::from(byte - b'0'))),
        _ => None,
    })
}
