//! What a picture shows.

use super::{Arrow, MarkedMove, Theme};
use crate::chess::{Bitboard, Color, Piece, Square};

/// A board, and what is marked on it.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The pieces on a1, b1 … h8. They need not make a legal position.
    pub board: [Option<Piece>; 64],
    /// The player at the bottom.
    pub orientation: Color,
    /// Width and height.
    pub size: PictureSize,
    /// The last move.
    pub last_move: Option<MarkedMove>,
    /// The square of a king in check.
    pub check: Option<Square>,
    /// Arrows and circles.
    pub arrows: Vec<Arrow>,
    /// Squares with a cross.
    pub squares: Bitboard,
    /// Whether a margin shows the names of files and ranks.
    pub coordinates: bool,
    /// The colours.
    pub theme: Theme,
}

impl Picture {
    /// A picture of these pieces, seen from White, of the default size, with nothing marked.
    pub fn new(board: [Option<Piece>; 64]) -> Picture {
        Picture {
            board,
            orientation: Color::White,
            size: PictureSize::default(),
            last_move: None,
            check: None,
            arrows: Vec::new(),
            squares: Bitboard::EMPTY,
            coordinates: false,
            theme: Theme::default(),
        }
    }
}

/// The width and height of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize(u16);

impl PictureSize {
    /// The smallest size: two pixels for each square.
    pub const MIN: u16 = 16;
    /// The largest size, which bounds the memory of a drawing.
    pub const MAX: u16 = 1024;

    /// The size of this many pixels; `None` if it is not from `MIN` to `MAX`.
    pub const fn new(pixels: u16) -> Option<PictureSize> {
        match pixels {
            PictureSize::MIN..=PictureSize::MAX => Some(PictureSize(pixels)),
            _ => None,
        }
    }

    /// The size in pixels.
    pub const fn pixels(self) -> u16 {
        self.0
    }
}

impl Default for PictureSize {
    fn default() -> PictureSize {
        PictureSize(360)
    }
}
