//! Files, ranks and squares. a1 is 0, b1 is 1 … h8 is 63.

use std::fmt;
use std::str::FromStr;

use super::Color;

/// A column of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
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

    /// The file with an index from 0 to 7; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> File {
        File::ALL[(index & 7) as usize]
    }

    /// The file with a lower-case letter, `a` to `h`.
    pub const fn from_letter(letter: char) -> Option<File> {
        match letter {
            'a'..='h' => Some(File::from_index(letter as u8 - b'a')),
            _ => None,
        }
    }

    /// The lower-case letter of the file.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }
}

/// A row of the board, seen from White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
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

    /// The rank with an index from 0 to 7; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> Rank {
        Rank::ALL[(index & 7) as usize]
    }

    /// The rank from the view of `color`: `First` is the rank on which its pieces start.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Rank {
        Rank::from_index(self as u8 ^ (7 * color as u8))
    }
}

/// One of the 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

#[expect(missing_docs, reason = "each constant is named after its square")]
impl Square {
    pub const A1: Square = Square(0);
    pub const E1: Square = Square(4);
    pub const H1: Square = Square(7);
    pub const A8: Square = Square(56);
    pub const E8: Square = Square(60);
    pub const H8: Square = Square(63);
}

impl Square {
    /// The square with an index from 0 to 63; higher bits are ignored.
    #[inline]
    pub const fn from_index(index: u8) -> Square {
        Square(index & 63)
    }

    /// The square on a file and a rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(8 * rank as u8 + file as u8)
    }

    /// All squares in the order a1, b1 … h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64).map(Square)
    }

    /// The index, 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file of the square.
    #[inline]
    pub const fn file(self) -> File {
        File::from_index(self.0)
    }

    /// The rank of the square.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::from_index(self.0 >> 3)
    }

    /// The square whose index is `delta` higher. It wraps around at the ends and edges of the
    /// board.
    #[inline]
    pub const fn offset(self, delta: i8) -> Square {
        Square(self.0.wrapping_add_signed(delta) & 63)
    }

    /// The square mirrored between White's and Black's side (a1 ↔ a8). Its index is the index of
    /// the original square in the encodings that run a8, b8 … h1.
    #[inline]
    pub const fn flip_vertical(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square one step towards the promotion rank of `color`. It wraps around at the last rank.
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

/// The error for a text that is not a square from `a1` to `h8`.
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
