//! Castling rights, for standard chess and Chess960 alike.

use super::{CastlingSide, Color, File};

/// For each player and side the file of the rook that may still castle.
///
/// The rook stands on the player's back rank; on the king's side it is to the right of the king, on
/// the queen's side to its left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    rook_files: [Option<File>; 4],
}

impl CastlingRights {
    /// No right at all.
    pub const NONE: CastlingRights = CastlingRights { rook_files: [None; 4] };

    /// The four rights of the start position.
    pub const STANDARD: CastlingRights =
        CastlingRights { rook_files: [Some(File::H), Some(File::A), Some(File::H), Some(File::A)] };

    #[inline]
    const fn index(color: Color, side: CastlingSide) -> usize {
        2 * color as usize + side as usize
    }

    /// The file of the rook of a right, `None` without the right.
    #[inline]
    pub const fn rook_file(self, color: Color, side: CastlingSide) -> Option<File> {
        self.rook_files[Self::index(color, side)]
    }

    /// Grants a right with a rook on that file, or takes it away.
    #[inline]
    pub const fn set(&mut self, color: Color, side: CastlingSide, rook_file: Option<File>) {
        self.rook_files[Self::index(color, side)] = rook_file;
    }

    /// `true` when nobody may castle any more.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == CastlingRights::NONE
    }

    /// `true` when `color` may still castle to at least one side.
    #[inline]
    pub const fn has_any(self, color: Color) -> bool {
        self.rook_file(color, CastlingSide::King).is_some()
            || self.rook_file(color, CastlingSide::Queen).is_some()
    }

    /// The castling state: bit 0 White short, bit 1 White long, bit 2 Black short, bit 3 Black
    /// long.
    pub const fn mask(self) -> u8 {
        self.rook_files[0].is_some() as u8
            | (self.rook_files[1].is_some() as u8) << 1
            | (self.rook_files[2].is_some() as u8) << 2
            | (self.rook_files[3].is_some() as u8) << 3
    }

    /// The rights that are granted, White before Black and short before long, each with its rook's
    /// file.
    pub fn iter(self) -> impl Iterator<Item = (Color, CastlingSide, File)> {
        Color::ALL.into_iter().flat_map(move |color| {
            CastlingSide::ALL
                .into_iter()
                .filter_map(move |side| self.rook_file(color, side).map(|file| (color, side, file)))
        })
    }
}
