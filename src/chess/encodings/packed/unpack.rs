//! Unpacking of positions. It accepts only the one packed form of a legal position.

use super::bits::BitReader;
use super::error::PackedError;
use super::layout::LAYOUT_VERSION;
use crate::chess::{CastlingRights, CastlingSide, Color, File, Position, Rank, Setup, Square};

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
        // If only the en passant square makes the setup invalid, the en passant bit is wrong.
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
    let is_legal = bits.read_flag()?;
    let file = bits.read_bits(3)?;
    match (is_legal, file) {
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
    if has_rook_files && rights.are_standard(|color| king_file(color).unwrap_or(File::A)) {
        return Err(PackedError::RedundantRookFiles);
    }
    Ok(rights)
}
