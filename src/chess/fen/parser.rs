//! The fields of a FEN, read one by one. A fault in one field does not hide those of the others.

use super::ParsedFen;
use super::castling_letter::CastlingLetter;
use crate::chess::position_error::{
    FenWarning, FenWarningCode, InvalidPosition, PositionFault, PositionFaultCode, PositionField,
    excerpt,
};
use crate::chess::validity::{
    MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK, fullmove_number_fault, halfmove_clock_fault,
};
use crate::chess::{Color, Piece, Position, Setup};

/// Collects what the fields say.
pub(super) struct FenParser {
    setup: Setup,
    faults: Vec<PositionFault>,
    warnings: Vec<FenWarning>,
}

impl Default for FenParser {
    fn default() -> FenParser {
        FenParser { setup: Setup::EMPTY, faults: Vec::new(), warnings: Vec::new() }
    }
}

impl FenParser {
    /// Reads the fields that are there: six at most.
    pub(super) fn parse(mut self, fields: &[&str]) -> Result<ParsedFen, InvalidPosition> {
        let mut remaining = fields.iter().copied();
        let board = remaining.next();
        let board_is_valid = board.is_some_and(|text| self.parse_board(text));
        let side_is_known = remaining.next().is_some_and(|text| self.parse_side(text));
        if let Some(text) = remaining.next() {
            self.parse_castling(text, board_is_valid);
        }
        let en_passant = remaining.next();
        if let Some(text) = en_passant {
            self.parse_en_passant(text);
        }
        if let Some(text) = remaining.next() {
            self.parse_halfmove_clock(text);
        }
        if let Some(text) = remaining.next() {
            self.parse_fullmove_number(text);
        }
        let validated = if board_is_valid {
            self.setup.validate_partial(side_is_known)
        } else {
            Err(Vec::new())
        };
        match validated {
            Ok(position) if self.faults.is_empty() => {
                self.warn_dropped_en_passant(&position, en_passant.unwrap_or_default());
                Ok(ParsedFen { position, warnings: self.warnings })
            }
            Ok(_) => Err(self.into_error()),
            Err(faults) => {
                self.faults
                    .extend(faults.into_iter().map(|fault| quote_input(fault, board, en_passant)));
                Err(self.into_error())
            }
        }
    }

    fn into_error(mut self) -> InvalidPosition {
        self.faults.sort_by_key(|fault| fault.field as u8);
        InvalidPosition { faults: self.faults }
    }

    pub(super) fn add_fault(
        &mut self,
        code: PositionFaultCode,
        field: PositionField,
        text: &str,
        detail: impl Into<String>,
    ) {
        self.faults.push(PositionFault::new(code, field, text, detail));
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

    /// Reads the placement. `true` when all of it makes sense.
    fn parse_board(&mut self, text: &str) -> bool {
        let faults_before = self.faults.len();
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
        if ranks != 8 {
            self.add_fault(
                PositionFaultCode::RankCount,
                PositionField::Board,
                text,
                format!("a board has 8 ranks, this one has {ranks}"),
            );
        }
        for letter in unknown.chars() {
            let detail = format!("{letter:?} is not one of pnbrqkPNBRQK1-8");
            self.add_fault(
                PositionFaultCode::UnknownPiece,
                PositionField::Board,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
        }
        self.faults.len() == faults_before
    }

    fn finish_rank(&mut self, text: &str, rank: &RankState) {
        if rank.has_only_known_chars && rank.width != 8 {
            let detail = format!("a rank has 8 squares, this one has {}", rank.width);
            self.add_fault(PositionFaultCode::RankLength, PositionField::Board, text, detail);
        } else if rank.digits_joined {
            let detail = "digits side by side were read as their sum";
            self.add_warning(FenWarningCode::DigitsJoined, PositionField::Board, text, detail);
        }
    }

    fn parse_side(&mut self, text: &str) -> bool {
        self.setup.turn = match text {
            "w" => Color::White,
            "b" => Color::Black,
            _ => {
                self.add_fault(
                    PositionFaultCode::SideUnknown,
                    PositionField::Side,
                    text,
                    "the side to move is `w` or `b`",
                );
                return false;
            }
        };
        true
    }

    /// Reads the castling letters; what they mean can only be told with the board.
    fn parse_castling(&mut self, text: &str, board_is_valid: bool) {
        if text == "-" {
            return;
        }
        let mut unknown = String::new();
        let mut seen = String::new();
        for letter in text.chars() {
            let Some((color, meaning)) = CastlingLetter::parse(letter) else {
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
                self.grant_castling_right(letter, color, meaning);
            }
        }
        for letter in unknown.chars() {
            let detail =
                format!("{letter:?} is not a castling letter: KQkq, A-H or a-h, or a single `-`");
            self.add_fault(
                PositionFaultCode::CastlingUnknown,
                PositionField::Castling,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
        }
    }

    fn warn_repeated_castling(&mut self, letter: char) {
        let detail = format!("{letter:?} names a castling right a second time");
        self.add_warning(
            FenWarningCode::CastlingRepeated,
            PositionField::Castling,
            letter.encode_utf8(&mut [0; 4]),
            detail,
        );
    }

    fn grant_castling_right(&mut self, letter: char, color: Color, meaning: CastlingLetter) {
        let Some((side, rook)) = meaning.find_rook(&self.setup, color) else {
            let detail =
                format!("{letter:?} was dropped: no king or rook stands where this right needs it");
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
                    "{letter:?} is a second right on one side of the {} king, beside that of the {}-file",
                    color.name(),
                    other.letter(),
                );
                self.add_fault(
                    PositionFaultCode::CastlingConflict,
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
                self.add_fault(
                    PositionFaultCode::EnPassantUnknown,
                    PositionField::EnPassant,
                    text,
                    "en passant is `-` or a square",
                );
            }
        }
    }

    fn warn_dropped_en_passant(&mut self, position: &Position, text: &str) {
        // Many writers note every double step. Only a clock that no pawn has just reset makes it
        // worth a word.
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
            None => self.add_fault(
                PositionFaultCode::ClockNotANumber,
                PositionField::HalfmoveClock,
                text,
                "the half-move clock is not a number",
            ),
            Some(clock) if clock > MAX_HALFMOVE_CLOCK => {
                self.faults.push(halfmove_clock_fault(text))
            }
            Some(clock) => self.setup.halfmove_clock = clock,
        }
    }

    fn parse_fullmove_number(&mut self, text: &str) {
        match parse_number(text) {
            None => self.add_fault(
                PositionFaultCode::ClockNotANumber,
                PositionField::FullmoveNumber,
                text,
                "the move number is not a number",
            ),
            Some(0) => {
                self.add_warning(
                    FenWarningCode::MoveNumberRaised,
                    PositionField::FullmoveNumber,
                    text,
                    "the move number was raised from 0 to 1",
                );
            }
            Some(number) if number > MAX_FULLMOVE_NUMBER => {
                self.faults.push(fullmove_number_fault(text))
            }
            Some(number) => self.setup.fullmove_number = number,
        }
    }
}

/// What has been read of one rank.
struct RankState {
    /// The squares so far.
    width: usize,
    after_digit: bool,
    digits_joined: bool,
    /// No character was met that nobody knows. Only then the width can be judged.
    has_only_known_chars: bool,
}

impl Default for RankState {
    fn default() -> RankState {
        RankState { width: 0, after_digit: false, digits_joined: false, has_only_known_chars: true }
    }
}

impl RankState {
    /// Passes so many empty squares.
    fn add_empty_squares(&mut self, squares: u8) {
        self.width += usize::from(squares);
        self.digits_joined |= self.after_digit;
        self.after_digit = true;
    }

    /// Passes a square with a piece.
    fn add_piece(&mut self) {
        self.width += 1;
        self.after_digit = false;
    }
}

/// Quotes the text as it was given in place of the text as it would be written.
fn quote_input(
    mut fault: PositionFault,
    board: Option<&str>,
    en_passant: Option<&str>,
) -> PositionFault {
    let given = match fault.field {
        PositionField::Board => board,
        PositionField::EnPassant => en_passant,
        _ => None,
    };
    if let Some(given) = given {
        fault.text = excerpt(given).to_owned();
    }
    fault
}

/// A number of decimal digits alone; what is too large for 16 bits is the greatest such number.
fn parse_number(text: &str) -> Option<u16> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0_u16, |number, byte| match byte {
        b'0'..=b'9' => Some(number.saturating_mul(10).saturating_add(u16::from(byte - b'0'))),
        _ => None,
    })
}
