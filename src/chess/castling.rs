//! Castling: sides, rights and destination squares, for standard chess and Chess960.

use super::{Color, File, Rank, Square};

/// The side of the board that a king castles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum CastlingSide {
    /// Short castling: the king moves to the g-file, the rook to the f-file.
    King,
    /// Long castling: the king moves to the c-file, the rook to the d-file.
    Queen,
}

impl CastlingSide {
    /// Both sides, short castling first.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];
}

/// The castling rights of both players: for each player and side the file of the rook.
///
/// The rook is on the player's back rank. For short castling it is to the right of the king, for
/// long castling to the left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    rook_files: [Option<File>; 4],
}

impl CastlingRights {
    /// No rights.
    pub const NONE: CastlingRights = CastlingRights { rook_files: [None; 4] };

    /// The four rights of the standard start position.
    pub const STANDARD: CastlingRights =
        CastlingRights { rook_files: [Some(File::H), Some(File::A), Some(File::H), Some(File::A)] };

    #[inline]
    const fn index(color: Color, side: CastlingSide) -> usize {
        2 * color as usize + side as usize
    }

    /// The file of the rook of a right, or `None` without the right.
    #[inline]
    pub const fn rook_file(self, color: Color, side: CastlingSide) -> Option<File> {
        self.rook_files[Self::index(color, side)]
    }

    /// Grants a right with the rook on a file, or removes the right.
    #[inline]
    pub const fn set(&mut self, color: Color, side: CastlingSide, rook_file: Option<File>) {
        self.rook_files[Self::index(color, side)] = rook_file;
    }

    /// `true` when neither player has a right.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == CastlingRights::NONE
    }

    /// `true` when `color` has at least one right.
    #[inline]
    pub const fn has_any(self, color: Color) -> bool {
        self.rook_file(color, CastlingSide::King).is_some()
            || self.rook_file(color, CastlingSide::Queen).is_some()
    }

    /// The castling mask: bit 0 White short, bit 1 White long, bit 2 Black short, bit 3 Black long.
    pub const fn mask(self) -> u8 {
        self.rook_files[0].is_some() as u8
            | (self.rook_files[1].is_some() as u8) << 1
            | (self.rook_files[2].is_some() as u8) << 2
            | (self.rook_files[3].is_some() as u8) << 3
    }

    /// The granted rights with the files of their rooks, White before Black and short before long.
    pub fn iter(self) -> impl Iterator<Item = (Color, CastlingSide, File)> {
        Color::ALL.into_iter().flat_map(move |color| {
            CastlingSide::ALL
                .into_iter()
                .filter_map(move |side| self.rook_file(color, side).map(|file| (color, side, file)))
        })
    }

    /// `true` when every right belongs to a king on the e-file and a rook on the a- or h-file.
    pub(super) fn are_standard(self, king_file: impl Fn(Color) -> File) -> bool {
        self.iter().all(|(color, side, rook)| is_standard_castling(side, king_file(color), rook))
    }

    /// The castling field of a Shredder-FEN: the files of the rooks, upper case for White.
    pub(super) fn to_shredder_fen(self) -> String {
        if self.is_empty() {
            return "-".to_owned();
        }
        let letter = |color: Color, rook: File| {
            if color.is_white() { rook.letter().to_ascii_uppercase() } else { rook.letter() }
        };
        self.iter().map(|(color, _, rook)| letter(color, rook)).collect()
    }
}

/// `true` when king and rook castle from their squares of standard chess.
pub(super) fn is_standard_castling(side: CastlingSide, king: File, rook: File) -> bool {
    king == File::E && CastlingRights::STANDARD.rook_file(Color::White, side) == Some(rook)
}

/// The square that the king castles to.
#[inline]
pub const fn castled_king_square(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::King => File::G,
        CastlingSide::Queen => File::C,
    };
    Square::new(file, Rank::First.relative_to(color))
}

/// The square that the rook castles to.
#[inline]
pub const fn castled_rook_square(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::King => File::F,
        CastlingSide::Queen => File::D,
    };
    Square::new(file, Rank::First.relative_to(color))
}
