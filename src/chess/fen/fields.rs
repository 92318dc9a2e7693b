//! The fields of a FEN, read one by one. A fault in one field does not hide those of the others.

use super::FenReading;
use super::castling_letter::CastlingLetter;
use crate::chess::faults::{
    Fault, FaultCode, FenWarning, Field, InvalidPosition, WarningCode, excerpt,
};
use crate::chess::validity::{
    MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK, fullmove_number_range, halfmove_clock_range,
};
use crate::chess::{Color, Piece, Position, Setup};

/// Collects what the fields say.
pub(super) struct Fields {
    setup: Setup,
    faults: Vec<Fault>,
    warnings: Vec<FenWarning>,
}

impl Default for Fields {
    fn default() -> Fields {
        Fields { setup: Setup::EMPTY, faults: Vec::new(), warnings: Vec::new() }
    }
}

impl Fields {
    /// Reads the fields that are there: six at most.
    pub(super) fn read(mut self, fields: &[&str]) -> Result<FenReading, InvalidPosition> {
        let mut given = fields.iter().copied();
        let board = given.next();
        let board_is_read = board.is_some_and(|text| self.board(text));
        let side_is_known = given.next().is_some_and(|text| self.side(text));
        if let Some(text) = given.next() {
            self.castling(text, board_is_read);
        }
        let en_passant = given.next();
        if let Some(text) = en_passant {
            self.en_passant(text);
        }
        if let Some(text) = given.next() {
            self.halfmove_clock(text);
        }
        if let Some(text) = given.next() {
            self.fullmove_number(text);
        }
        let examined =
            if board_is_read { self.setup.examine(side_is_known) } else { Err(Vec::new()) };
        match examined {
            Ok(position) if self.faults.is_empty() => {
                self.note_lost_en_passant(&position, en_passant.unwrap_or_default());
                Ok(FenReading { position, warnings: self.warnings })
            }
            Ok(_) => Err(self.refused()),
            Err(faults) => {
                self.faults
                    .extend(faults.into_iter().map(|fault| quoting(fault, board, en_passant)));
                Err(self.refused())
            }
        }
    }

    fn refused(mut self) -> InvalidPosition {
        self.faults.sort_by_key(|fault| fault.field as u8);
        InvalidPosition { faults: self.faults }
    }

    pub(super) fn refuse(
        &mut self,
        code: FaultCode,
        field: Field,
        text: &str,
        detail: impl Into<String>,
    ) {
        self.faults.push(Fault::new(code, field, text, detail));
    }

    fn warn(&mut self, code: WarningCode, field: Field, text: &str, detail: impl Into<String>) {
        self.warnings.push(FenWarning::new(code, field, text, detail));
    }

    /// Reads the placement. `true` when all of it makes sense.
    fn board(&mut self, text: &str) -> bool {
        let faults_before = self.faults.len();
        let mut unknown = String::new();
        let mut ranks = 1;
        let mut row_start = 0;
        let mut row = Row::default();
        for (at, letter) in text.char_indices() {
            if let Some(piece) = Piece::from_letter(letter) {
                if ranks <= 8 && row.width < 8 {
                    self.setup.board[8 * (8 - ranks) + row.width] = Some(piece);
                }
                row.step();
            } else if let digit @ '1'..='8' = letter {
                row.skip(digit as u8 - b'0');
            } else if letter == '/' {
                self.end_row(&text[row_start..at], &row);
                (row_start, row) = (at + 1, Row::default());
                ranks += 1;
            } else {
                row.is_known = false;
                if !unknown.contains(letter) {
                    unknown.push(letter);
                }
            }
        }
        self.end_row(&text[row_start..], &row);
        if ranks != 8 {
            self.refuse(
                FaultCode::RankCount,
                Field::Board,
                text,
                format!("a board has 8 ranks, this one has {ranks}"),
            );
        }
        for letter in unknown.chars() {
            let detail = format!("{letter:?} is not one of pnbrqkPNBRQK1-8");
            self.refuse(
                FaultCode::UnknownPiece,
                Field::Board,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
        }
        self.faults.len() == faults_before
    }

    fn end_row(&mut self, text: &str, row: &Row) {
        if row.is_known && row.width != 8 {
            let detail = format!("a rank has 8 squares, this one has {}", row.width);
            self.refuse(FaultCode::RankLength, Field::Board, text, detail);
        } else if row.digits_joined {
            let detail = "digits side by side were read as their sum";
            self.warn(WarningCode::DigitsJoined, Field::Board, text, detail);
        }
    }

    fn side(&mut self, text: &str) -> bool {
        self.setup.turn = match text {
            "w" => Color::White,
            "b" => Color::Black,
            _ => {
                self.refuse(
                    FaultCode::SideUnknown,
                    Field::Side,
                    text,
                    "the side to move is `w` or `b`",
                );
                return false;
            }
        };
        true
    }

    /// Reads the castling letters; what they mean can only be told with the board.
    fn castling(&mut self, text: &str, board_is_read: bool) {
        if text == "-" {
            return;
        }
        let mut unknown = String::new();
        let mut seen = String::new();
        for letter in text.chars() {
            let Some((color, meaning)) = CastlingLetter::read(letter) else {
                if !unknown.contains(letter) {
                    unknown.push(letter);
                }
                continue;
            };
            if seen.contains(letter) {
                self.warn_of_repeated(letter);
                continue;
            }
            seen.push(letter);
            if board_is_read {
                self.grant(letter, color, meaning);
            }
        }
        for letter in unknown.chars() {
            let detail =
                format!("{letter:?} is not a castling letter: KQkq, A-H or a-h, or a single `-`");
            self.refuse(
                FaultCode::CastlingUnknown,
                Field::Castling,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
        }
    }

    fn warn_of_repeated(&mut self, letter: char) {
        let detail = format!("{letter:?} names a castling right a second time");
        self.warn(
            WarningCode::CastlingRepeated,
            Field::Castling,
            letter.encode_utf8(&mut [0; 4]),
            detail,
        );
    }

    fn grant(&mut self, letter: char, color: Color, meaning: CastlingLetter) {
        let Some((side, rook)) = meaning.rook(&self.setup, color) else {
            let detail =
                format!("{letter:?} was dropped: no king or rook stands where this right needs it");
            self.warn(
                WarningCode::CastlingDropped,
                Field::Castling,
                letter.encode_utf8(&mut [0; 4]),
                detail,
            );
            return;
        };
        match self.setup.castling.rook(color, side) {
            None => self.setup.castling.set(color, side, Some(rook)),
            Some(other) if other == rook => self.warn_of_repeated(letter),
            Some(other) => {
                let detail = format!(
                    "{letter:?} is a second right on one side of the {} king, beside that of the {}-file",
                    color.name(),
                    other.letter(),
                );
                self.refuse(
                    FaultCode::CastlingConflict,
                    Field::Castling,
                    letter.encode_utf8(&mut [0; 4]),
                    detail,
                );
            }
        }
    }

    fn en_passant(&mut self, text: &str) {
        if text == "-" {
            return;
        }
        match text.parse() {
            Ok(square) => self.setup.en_passant = Some(square),
            Err(_) => {
                self.refuse(
                    FaultCode::EnPassantUnknown,
                    Field::EnPassant,
                    text,
                    "en passant is `-` or a square",
                );
            }
        }
    }

    fn note_lost_en_passant(&mut self, position: &Position, text: &str) {
        // Many writers note every double step. Only a clock that no pawn has just reset makes it
        // worth a word.
        if self.setup.en_passant.is_some()
            && position.en_passant().is_none()
            && self.setup.halfmove_clock != 0
        {
            let detail = "the en passant square was dropped: no capture there is legal";
            self.warn(WarningCode::EnPassantDropped, Field::EnPassant, text, detail);
        }
    }

    fn halfmove_clock(&mut self, text: &str) {
        match read_number(text) {
            None => self.refuse(
                FaultCode::ClockNotANumber,
                Field::HalfmoveClock,
                text,
                "the half-move clock is not a number",
            ),
            Some(clock) if clock > MAX_HALFMOVE_CLOCK => {
                self.faults.push(halfmove_clock_range(text))
            }
            Some(clock) => self.setup.halfmove_clock = clock,
        }
    }

    fn fullmove_number(&mut self, text: &str) {
        match read_number(text) {
            None => self.refuse(
                FaultCode::ClockNotANumber,
                Field::FullmoveNumber,
                text,
                "the move number is not a number",
            ),
            Some(0) => {
                self.warn(
                    WarningCode::MoveNumberRaised,
                    Field::FullmoveNumber,
                    text,
                    "the move number was raised from 0 to 1",
                );
            }
            Some(number) if number > MAX_FULLMOVE_NUMBER => {
                self.faults.push(fullmove_number_range(text))
            }
            Some(number) => self.setup.fullmove_number = number,
        }
    }
}

/// What has been read of one rank.
struct Row {
    /// The squares so far.
    width: usize,
    after_digit: bool,
    digits_joined: bool,
    /// No character was met that nobody knows. Only then the width can be judged.
    is_known: bool,
}

impl Default for Row {
    fn default() -> Row {
        Row { width: 0, after_digit: false, digits_joined: false, is_known: true }
    }
}

impl Row {
    /// Passes so many empty squares.
    fn skip(&mut self, squares: u8) {
        self.width += usize::from(squares);
        self.digits_joined |= self.after_digit;
        self.after_digit = true;
    }

    /// Passes a square with a piece.
    fn step(&mut self) {
        self.width += 1;
        self.after_digit = false;
    }
}

/// Quotes the text as it was given in place of the text as it would be written.
fn quoting(mut fault: Fault, board: Option<&str>, en_passant: Option<&str>) -> Fault {
    let given = match fault.field {
        Field::Board => board,
        Field::EnPassant => en_passant,
        _ => None,
    };
    if let Some(given) = given {
        fault.text = excerpt(given).to_owned();
    }
    fault
}

/// A number of decimal digits alone; what is too large for 16 bits is the greatest such number.
fn read_number(text: &str) -> Option<u16> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0_u16, |number, byte| match byte {
        b'0'..=b'9' => Some(number.saturating_mul(10).saturating_add(u16::from(byte - b'0'))),
        _ => None,
    })
}
