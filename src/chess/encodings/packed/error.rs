//! The error of unpacking.

use std::fmt;

use super::layout::LAYOUT_VERSION;
use crate::chess::InvalidPosition;

/// The reason why a packed form is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedError {
    /// The text has a character outside base64url.
    InvalidCharacter,
    /// The text has 4n + 1 characters.
    TextLength,
    /// The unused bits of the last character are not zero.
    TextPadding,
    /// The layout version is not 1.
    Version(u8),
    /// The data ends before the position is complete.
    TooShort,
    /// The data has bytes after the position.
    TrailingBytes,
    /// The unused bits of the last byte are not zero.
    Padding,
    /// The en passant bit is set without a legal capture.
    EnPassant,
    /// An en passant file is set without the en passant bit.
    EnPassantFile,
    /// A castling right has no king and rook in place.
    Castling,
    /// Rook files are given, but the short form without them is sufficient.
    RedundantRookFiles,
    /// The position is not legal.
    Illegal(InvalidPosition),
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PackedError::InvalidCharacter => {
                "the text must consist of base64url characters without padding"
            }
            PackedError::TextLength => "base64url text never has 4n + 1 characters",
            PackedError::TextPadding => "the unused bits of the last character must be zero",
            PackedError::Version(version) => {
                return write!(f, "the layout version is {version}; it must be {LAYOUT_VERSION}");
            }
            PackedError::TooShort => "the data ends before the position is complete",
            PackedError::TrailingBytes => "there are bytes after the end of the position",
            PackedError::Padding => "the unused bits of the last byte must be zero",
            PackedError::EnPassant => {
                "the en passant bit is set, but no en passant capture is legal"
            }
            PackedError::EnPassantFile => "an en passant file is set without the en passant bit",
            PackedError::Castling => "a castling right has no king and rook in place",
            PackedError::RedundantRookFiles => {
                "the rook files are given, but they are the standard ones"
            }
            PackedError::Illegal(invalid) => {
                return write!(f, "the position is not legal: {invalid}");
            }
        })
    }
}

impl std::error::Error for PackedError {}
