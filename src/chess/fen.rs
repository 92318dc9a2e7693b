//! Forsyth-Edwards Notation in and out: X-FEN and Shredder-FEN, standard chess and Chess960.
//!
//! Chess Programming Wiki, "Forsyth-Edwards Notation"; X-FEN by Reinhard Scharnagl.

use super::faults::{Fault, FaultCode, FenWarning, Field, InvalidPosition, WarningCode, excerpt};
use super::validity::{MAX_FULLMOVE_NUMBER, MAX_HALFMOVE_CLOCK, back_rank, castling_letters};
use super::validity::{fullmove_number_range, halfmove_clock_range};
use super::{Bitboard, CastlingSide, Color, File, Piece, Position, Rank, Role, Setup, Square};

/// The longest FEN that is read, in characters.
const MAX_CHARS: usize = 200;

/// What a FEN says, proven, and what had to be mended for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenReading {
    /// The position.
    pub position: Position,
    /// What was mended, in the order of the fields.
    pub warnings: Vec<FenWarning>,
}

/// Reads a FEN of 4, 5 or 6 fields, with the castling letters of X-FEN or Shredder-FEN.
///
/// # Errors
///
/// Every fault that can be seen, in the order of the fields.
pub fn read_fen(text: &str) -> Result<FenReading, InvalidPosition> {
    refuse_unreadable(text)?;
    let mut fields = [""; 6];
    let mut count = 0;
    for field in text.split([' ', '_']).filter(|field| !field.is_empty()) {
        if let Some(place) = fields.get_mut(count) {
            *place = field;
        }
        count += 1;
    }
    let mut reader = Reader::default();
    if !(4..=6).contains(&count) {
        let detail = format!("a FEN has 4, 5 or 6 fields, this one has {count}");
        reader.refuse(FaultCode::FenFields, Field::Fen, text, detail);
    }
    reader.read(&fields[..count.min(6)])
}

fn refuse_unreadable(text: &str) -> Result<(), InvalidPosition> {
    let why = if text.len() > MAX_CHARS && text.chars().nth(MAX_CHARS).is_some() {
        "a FEN has at most 200 characters"
    } else if text.chars().any(char::is_control) {
        "a FEN has no control characters; its fields are separated by spaces or underscores"
    } else {
        return Ok(());
    };
    Err(InvalidPosition { faults: vec![Fault::new(FaultCode::FenFields, Field::Fen, text, why)] })
}

/// Collects what the fields say.
struct Reader {
    setup: Setup,
    faults: Vec<Fault>,
    warnings: Vec<FenWarning>,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader { setup: Setup::EMPTY, faults: Vec::new(), warnings: Vec::new() }
    }
}

impl Reader {
    /// Reads the fields that are there: six at most.
    fn read(mut self, fields: &[&str]) -> Result<FenReading, InvalidPosition> {
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
        let examined = if board_is_read { self.setup.examine(side_is_known) } else { Err(Vec::new()) };
        match examined {
            Ok(position) if self.faults.is_empty() => {
                self.note_lost_en_passant(&position, en_passant.unwrap_or_default());
                Ok(FenReading { position, warnings: self.warnings })
            }
            Ok(_) => Err(self.refused()),
            Err(faults) => {
                self.faults.extend(faults.into_iter().map(|fault| quoting(fault, board, en_passant)));
                Err(self.refused())
            }
        }
    }

    fn refused(mut self) -> InvalidPosition {
        self.faults.sort_by_key(|fault| fault.field as u8);
        InvalidPosition { faults: self.faults }
    }

    fn refuse(&mut self, code: FaultCode, field: Field, text: &str, detail: impl Into<String>) {
        self.faults.push(Fault::new(code, field, text, detail));
    }

    fn warn(&mut self, code: WarningCode, field: Field, text: &str, detail: impl Into<String>) {
        self.warnings.push(FenWarning::new(code, field, text, detail));
    }

    /// Reads the placement. `true` when all of it makes sense.
    fn board(&mut self, text: &str) -> bool {
        let faults_before = self.faults.len();
        let ranks = text.split('/').count();
        if ranks != 8 {
            self.refuse(FaultCode::RankCount, Field::Board, text, format!("a board has 8 ranks, this one has {ranks}"));
        }
        let mut unknown = String::new();
        for (rank, row) in text.split('/').enumerate() {
            self.rank(rank, row, &mut unknown);
        }
        for letter in unknown.chars() {
            let detail = format!("{letter:?} is not one of pnbrqkPNBRQK1-8");
            self.refuse(FaultCode::UnknownPiece, Field::Board, letter.encode_utf8(&mut [0; 4]), detail);
        }
        self.faults.len() == faults_before
    }

    /// Reads one rank, the eighth being number 0, and collects the characters that nobody knows, each once.
    fn rank(&mut self, rank: usize, row: &str, unknown: &mut String) {
        let mut width = 0_usize;
        let mut after_digit = false;
        let mut digits_joined = false;
        let mut all_known = true;
        for letter in row.chars() {
            if let digit @ '1'..='8' = letter {
                digits_joined |= after_digit;
                after_digit = true;
                width += usize::from(digit as u8 - b'0');
                continue;
            }
            after_digit = false;
            if let Some(piece) = Piece::from_letter(letter) {
                if let (Some(row), 0..8) = (7_usize.checked_sub(rank), width) {
                    self.setup.board[8 * row + width] = Some(piece);
                }
            } else {
                all_known = false;
                if !unknown.contains(letter) {
                    unknown.push(letter);
                }
            }
            width += 1;
        }
        if all_known && width != 8 {
            self.refuse(FaultCode::RankLength, Field::Board, row, format!("a rank has 8 squares, this one has {width}"));
        } else if digits_joined {
            let detail = "digits side by side were read as their sum";
            self.warn(WarningCode::DigitsJoined, Field::Board, row, detail);
        }
    }

    fn side(&mut self, text: &str) -> bool {
        self.setup.turn = match text {
            "w" => Color::White,
            "b" => Color::Black,
            _ => {
                self.refuse(FaultCode::SideUnknown, Field::Side, text, "the side to move is `w` or `b`");
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
            let detail = format!("{letter:?} is not a castling letter: KQkq, A-H or a-h, or a single `-`");
            self.refuse(FaultCode::CastlingUnknown, Field::Castling, letter.encode_utf8(&mut [0; 4]), detail);
        }
    }

    fn warn_of_repeated(&mut self, letter: char) {
        let detail = format!("{letter:?} names a castling right a second time");
        self.warn(WarningCode::CastlingRepeated, Field::Castling, letter.encode_utf8(&mut [0; 4]), detail);
    }

    fn grant(&mut self, letter: char, color: Color, meaning: CastlingLetter) {
        let Some((side, rook)) = meaning.rook(&self.setup, color) else {
            let detail = format!("{letter:?} was dropped: no king or rook stands where this right needs it");
            self.warn(WarningCode::CastlingDropped, Field::Castling, letter.encode_utf8(&mut [0; 4]), detail);
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
                self.refuse(FaultCode::CastlingConflict, Field::Castling, letter.encode_utf8(&mut [0; 4]), detail);
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
                self.refuse(FaultCode::EnPassantUnknown, Field::EnPassant, text, "en passant is `-` or a square");
            }
        }
    }

    fn note_lost_en_passant(&mut self, position: &Position, text: &str) {
        // Many writers note every double step. Only a clock that no pawn has just reset makes it worth a word.
        if self.setup.en_passant.is_some() && position.en_passant().is_none() && self.setup.halfmove_clock != 0 {
            let detail = "the en passant square was dropped: no capture there is legal";
            self.warn(WarningCode::EnPassantDropped, Field::EnPassant, text, detail);
        }
    }

    fn halfmove_clock(&mut self, text: &str) {
        match read_number(text) {
            None => {
                self.refuse(FaultCode::ClockNotANumber, Field::HalfmoveClock, text, "the half-move clock is not a number")
            }
            Some(clock) if clock > MAX_HALFMOVE_CLOCK => self.faults.push(halfmove_clock_range(text)),
            Some(clock) => self.setup.halfmove_clock = clock,
        }
    }

    fn fullmove_number(&mut self, text: &str) {
        match read_number(text) {
            None => self.refuse(FaultCode::ClockNotANumber, Field::FullmoveNumber, text, "the move number is not a number"),
            Some(0) => {
                self.warn(
                    WarningCode::MoveNumberRaised,
                    Field::FullmoveNumber,
                    text,
                    "the move number was raised from 0 to 1",
                );
            }
            Some(number) if number > MAX_FULLMOVE_NUMBER => self.faults.push(fullmove_number_range(text)),
            Some(number) => self.setup.fullmove_number = number,
        }
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

/// What a castling letter says of the rook.
enum CastlingLetter {
    /// The outermost one on that side of the king.
    Outermost(CastlingSide),
    /// The one on that file.
    OnFile(File),
}

impl CastlingLetter {
    fn read(letter: char) -> Option<(Color, CastlingLetter)> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let meaning = match letter.to_ascii_lowercase() {
            'k' => CastlingLetter::Outermost(CastlingSide::King),
            'q' => CastlingLetter::Outermost(CastlingSide::Queen),
            lower => CastlingLetter::OnFile(File::from_letter(lower)?),
        };
        Some((color, meaning))
    }

    /// The side and the rook's file, when king and rook stand where the right needs them.
    fn rook(&self, setup: &Setup, color: Color) -> Option<(CastlingSide, File)> {
        let king = setup.back_rank_king(color)?;
        let is_rook = |square: &Square| setup.board[square.index()] == Some(Piece::new(color, Role::Rook));
        let (side, rook) = match *self {
            CastlingLetter::Outermost(CastlingSide::King) => {
                (CastlingSide::King, back_rank(color).rev().take_while(|&square| square > king).find(is_rook)?)
            }
            CastlingLetter::Outermost(CastlingSide::Queen) => {
                (CastlingSide::Queen, back_rank(color).take_while(|&square| square < king).find(is_rook)?)
            }
            CastlingLetter::OnFile(file) => {
                let side = if file > king.file() { CastlingSide::King } else { CastlingSide::Queen };
                (side, Some(Square::new(file, king.rank())).filter(is_rook)?)
            }
        };
        Some((side, rook.file()))
    }
}

impl Position {
    /// Reads a FEN and forgets the warnings.
    ///
    /// # Errors
    ///
    /// As [`read_fen`].
    pub fn from_fen(text: &str) -> Result<Position, InvalidPosition> {
        read_fen(text).map(|reading| reading.position)
    }

    /// The normalised FEN (X-FEN): a rook's file stands for a castling right only where the rook is not the outermost.
    pub fn fen(&self) -> String {
        self.write_fen(&self.x_fen_castling())
    }

    /// The FEN with the rooks' files for castling rights.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(&castling_letters(self.castling()))
    }

    fn write_fen(&self, castling: &str) -> String {
        let mut text = String::with_capacity(96);
        self.write_board(&mut text);
        text.push(' ');
        text.push(self.turn().letter());
        text.push(' ');
        text.push_str(castling);
        text.push(' ');
        match self.en_passant() {
            Some(square) => {
                text.push(square.file().letter());
                push_number(&mut text, square.rank() as u16 + 1);
            }
            None => text.push('-'),
        }
        text.push(' ');
        push_number(&mut text, self.halfmove_clock());
        text.push(' ');
        push_number(&mut text, self.fullmove_number());
        text
    }

    /// The placement alone, as a FEN has it.
    pub(super) fn board_text(&self) -> String {
        let mut text = String::with_capacity(72);
        self.write_board(&mut text);
        text
    }

    fn write_board(&self, text: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.piece_at(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        push_empty(text, empty);
                        empty = 0;
                        text.push(piece.letter());
                    }
                }
            }
            push_empty(text, empty);
            if rank != Rank::First {
                text.push('/');
            }
        }
    }

    fn x_fen_castling(&self) -> String {
        if self.castling().is_empty() {
            return "-".to_owned();
        }
        let letter = |(color, side, rook): (Color, CastlingSide, File)| {
            let letter = match side {
                _ if self.outermost_rook(color, side) != Some(rook) => rook.letter(),
                CastlingSide::King => 'k',
                CastlingSide::Queen => 'q',
            };
            if color.is_white() { letter.to_ascii_uppercase() } else { letter }
        };
        self.castling().iter().map(letter).collect()
    }

    /// The file of the rook that is farthest to that side on its player's back rank.
    fn outermost_rook(&self, color: Color, side: CastlingSide) -> Option<File> {
        let Bitboard(rooks) = self.pieces(color, Role::Rook) & Rank::First.relative_to(color).bitboard();
        let index = match side {
            CastlingSide::King => 63_u32.checked_sub(rooks.leading_zeros())?,
            CastlingSide::Queen => rooks.trailing_zeros(),
        };
        Some(File::from_index(index as u8))
    }
}

fn push_empty(text: &mut String, count: u8) {
    if count > 0 {
        text.push((b'0' + count) as char);
    }
}

fn push_number(text: &mut String, number: u16) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push((b'0' + (number % 10) as u8) as char);
}

#[cfg(test)]
mod tests;
