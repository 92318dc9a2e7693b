//! The player at the bottom of a board.

use kibitzer::chess::Color;

/// The player at the bottom of a board, as the API names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Orientation {
    #[default]
    White,
    Black,
}

impl From<Orientation> for Color {
    fn from(orientation: Orientation) -> Color {
        match orientation {
            Orientation::White => Color::White,
            Orientation::Black => Color::Black,
        }
    }
}
