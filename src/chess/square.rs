//! Files, ranks and squares. a1 is 0, b1 is 1 … h8 is 63.

use std::fmt;
use std::str::FromStr;

use super::{Bitboard, Color};

/// A column of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the eight names say it all")]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All files from a to h.
    pub const ALL: [File; 8] =
        [File::A, File::B, File::C, File::D, File::E, File::F, File::G, File::H];

    /// The file of an index 0–7; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> File {
        File::ALL[(index & 7) as usize]
    }

    /// The file of a lower-case letter.
    pub const fn from_letter(letter: char) -> Option<File> {
        match letter {
            'a'..='h' => Some(File::from_index(letter as u8 - b'a')),
            _ => None,
        }
    }

    /// The letter in lower case.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// All squares of the file.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << self as u8)
    }
}

/// A row of the board, seen from White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the eight names say it all")]
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All ranks from the first to the eighth.
    pub const ALL: [Rank; 8] = [
        Rank::First,
        Rank::Second,
        Rank::Third,
        Rank::Fourth,
        Rank::Fifth,
        Rank::Sixth,
        Rank::Seventh,
        Rank::Eighth,
    ];

    /// The rank of an index 0–7; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> Rank {
        Rank::ALL[(index & 7) as usize]
    }

    /// The rank as `color` counts it: `First` is the rank of its pieces at the start.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Rank {
        Rank::from_index(self as u8 ^ (7 * color as u8))
    }

    /// All squares of the rank.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(0xff << (8 * self as u8))
    }
}

/// One of the 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

#[expect(missing_docs, reason = "corner and home squares by their names")]
impl Square {
    pub const A1: Square = Square(0);
    pub const E1: Square = Square(4);
    pub const H1: Square = Square(7);
    pub const A8: Square = Square(56);
    pub const E8: Square = Square(60);
    pub const H8: Square = Square(63);
}

impl Square {
    /// The square of an index 0–63; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> Square {
        Square(index & 63)
    }

    /// The square where a file and a rank meet.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(8 * rank as u8 + file as u8)
    }

    /// All squares, a1, b1 … h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64).map(Square)
    }

    /// The index 0–63.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file it lies on.
    #[inline]
    pub const fn file(self) -> File {
        File::from_index(self.0)
    }

    /// The rank it lies on.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::from_index(self.0 >> 3)
    }

    /// The set of this square alone.
    #[inline]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// The square that many index steps away, wrapping over the board's ends and edges.
    #[inline]
    pub const fn offset(self, delta: i8) -> Square {
        Square(self.0.wrapping_add_signed(delta) & 63)
    }

    /// The square mirrored between White's and Black's side (a1 ↔ a8): also the index of the square
    /// in the formats that run a8, b8 … h1.
    #[inline]
    pub const fn flip_vertical(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// One step towards the promotion rank of `color`, wrapping over the last rank.
    #[inline]
    pub const fn forward(self, color: Color) -> Square {
        self.offset(if color.is_white() { 8 } else { -8 })
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank() as u8 + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not `a1` … `h8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square(8 * (rank - b'1') + (file - b'a')))
            }
            _ => Err(ParseSquareError),
        }
    }
}
