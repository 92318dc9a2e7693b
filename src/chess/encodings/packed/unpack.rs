//! Unpacking, strictly: what is not the one packed form of a legal position is refused.

use std::fmt;

use super::LAYOUT_VERSION;
use super::bits::BitReader;
use super::pack::is_standard_castling;
use crate::chess::{
    CastlingRights, CastlingSide, Color, File, InvalidPosition, Position, Rank, Setup, Square,
};

/// Why a packed form is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackedError {
    /// A character that is not of base64url.
    InvalidCharacter,
    /// A length of 4n + 1 characters.
    TextLength,
    /// Set bits behind the last byte.
    TextPadding,
    /// Another layout version than 1.
    Version(u8),
    /// The bits end too early.
    TooShort,
    /// More bytes than the position needs.
    TrailingBytes,
    /// Set bits behind the last one that counts.
    Padding,
    /// An en passant bit without a legal capture.
    EnPassant,
    /// A file of an en passant capture that is not possible.
    EnPassantFile,
    /// A castling right without its king or rook.
    Castling,
    /// Rooks' files where the short form says the same.
    RedundantRookFiles,
    /// The position is not legal.
    Illegal(InvalidPosition),
}

impl fmt::Display for PackedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PackedError::InvalidCharacter => "a character is not of base64url without padding",
            PackedError::TextLength => "base64url never has 4n + 1 characters",
            PackedError::TextPadding => "bits are set behind the last byte of the text",
            PackedError::Version(version) => {
                return write!(f, "layout version {version} is not known, only {LAYOUT_VERSION}");
            }
            PackedError::TooShort => "the bits end before the position does",
            PackedError::TrailingBytes => "bytes are left over behind the position",
            PackedError::Padding => "bits are set behind the end of the position",
            PackedError::EnPassant => "the en passant bit is set, but no such capture is legal",
            PackedError::EnPassantFile => "an en passant file is set without the en passant bit",
            PackedError::Castling => "a castling right has no king and rook on its back rank",
            PackedError::RedundantRookFiles => {
                "the files of the castling rooks are given where they are the standard ones"
            }
            PackedError::Illegal(position) => {
                return write!(f, "the position is illegal: {position}");
            }
        })
    }
}

impl std::error::Error for PackedError {}

/// Unpacks a position.
pub(super) fn unpack(bytes: &[u8]) -> Result<Position, PackedError> {
    let mut bits = BitReader::new(bytes);
    let version = bits.read_bits(4)?;
    if version != LAYOUT_VERSION {
        return Err(PackedError::Version(version));
    }
    let mut setup = Setup::EMPTY;
    for square in Square::all() {
        setup.board[square.flip_vertical().index()] = bits.read_square()?;
    }
    setup.turn = if bits.read_flag()? { Color::White } else { Color::Black };
    setup.en_passant = read_en_passant(&mut bits, setup.turn)?;
    setup.castling_rights = read_castling(&mut bits, &setup)?;
    bits.finish()?;

    let position = setup.validate().map_err(|invalid| match setup.en_passant {
        // A square that no pawn can have passed is a fault of the bit, whatever else is wrong.
        Some(_) if Setup { en_passant: None, ..setup.clone() }.validate().is_ok() => {
            PackedError::EnPassant
        }
        _ => PackedError::Illegal(invalid),
    })?;
    if setup.en_passant != position.en_passant() {
        return Err(PackedError::EnPassant);
    }
    Ok(position)
}

fn read_en_passant(bits: &mut BitReader<'_>, turn: Color) -> Result<Option<Square>, PackedError> {
    let possible = bits.read_flag()?;
    let file = bits.read_bits(3)?;
    match (possible, file) {
        (true, file) => {
            Ok(Some(Square::new(File::from_index(file), Rank::Sixth.relative_to(turn))))
        }
        (false, 0) => Ok(None),
        (false, _) => Err(PackedError::EnPassantFile),
    }
}

fn read_castling(bits: &mut BitReader<'_>, setup: &Setup) -> Result<CastlingRights, PackedError> {
    let mut granted = [false; 4];
    for right in &mut granted {
        *right = bits.read_flag()?;
    }
    let has_rook_files = bits.read_flag()?;
    let mut rights = CastlingRights::NONE;
    let order =
        Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
    for ((color, side), _) in order.zip(granted).filter(|&(_, granted)| granted) {
        let standard = CastlingRights::STANDARD.rook_file(color, side);
        let rook =
            if has_rook_files { Some(File::from_index(bits.read_bits(3)?)) } else { standard };
        rights.set(color, side, rook);
    }
    let king_files = Color::ALL.map(|color| setup.back_rank_king(color).map(Square::file));
    let king_file = |color: Color| king_files[color as usize];
    for (color, side, file) in rights.iter() {
        let rook = Square::new(file, Rank::First.relative_to(color));
        let supported = setup.supports_castling(color, side, rook)
            && (has_rook_files || king_file(color) == Some(File::E));
        if !supported {
            return Err(PackedError::Castling);
        }
    }
    if has_rook_files && is_standard_castling(rights, |color| king_file(color).unwrap_or(File::A)) {
        return Err(PackedError::RedundantRookFiles);
    }
    Ok(rights)
}
