//! Forsyth-Edwards Notation in and out: X-FEN and Shredder-FEN, standard chess and Chess960.
//!
//! Chess Programming Wiki, "Forsyth-Edwards Notation"; X-FEN by Reinhard Scharnagl.

mod castling_letter;
mod parser;
mod writer;

use super::Position;
use super::position_error::{
    FenWarning, InvalidPosition, PositionFault, PositionFaultCode, PositionField,
};
use parser::FenParser;

/// The longest FEN that is read, in characters.
const MAX_FEN_CHARS: usize = 200;

/// What a FEN says, proven, and what had to be mended for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedFen {
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
pub fn parse_fen(text: &str) -> Result<ParsedFen, InvalidPosition> {
    reject_unreadable(text)?;
    let (fields, count) = split_fields(text);
    let mut parser = FenParser::default();
    if !(4..=6).contains(&count) {
        let detail = format!("a FEN has 4, 5 or 6 fields, this one has {count}");
        parser.add_fault(PositionFaultCode::FenFields, PositionField::Fen, text, detail);
    }
    parser.parse(&fields[..count.min(6)])
}

fn reject_unreadable(text: &str) -> Result<(), InvalidPosition> {
    let detail = if text.len() > MAX_FEN_CHARS && text.chars().nth(MAX_FEN_CHARS).is_some() {
        "a FEN has at most 200 characters"
    } else if has_control_characters(text) {
        "a FEN has no control characters; its fields are separated by spaces or underscores"
    } else {
        return Ok(());
    };
    Err(InvalidPosition {
        faults: vec![PositionFault::new(
            PositionFaultCode::FenFields,
            PositionField::Fen,
            text,
            detail,
        )],
    })
}

fn has_control_characters(text: &str) -> bool {
    // Nearly every text is ASCII, of which no character has to be put together first.
    if text.is_ascii() {
        text.bytes().any(|byte| byte.is_ascii_control())
    } else {
        text.chars().any(char::is_control)
    }
}

/// The first six fields, and how many there are.
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
    /// Reads a FEN and forgets the warnings.
    ///
    /// # Errors
    ///
    /// As [`read_fen`].
    pub fn from_fen(text: &str) -> Result<Position, InvalidPosition> {
        parse_fen(text).map(|parsed| parsed.position)
    }
}

#[cfg(test)]
mod tests;
