//! The letters of the files and the digits of the ranks, drawn as lines, so that no picture depends
//! on a font.

use crate::chess::{File, Rank};

/// The width of a glyph, and the height of its digits and tall letters. The `g` goes lower.
pub(super) const GLYPH_WIDTH: f32 = 6.0;
pub(super) const GLYPH_HEIGHT: f32 = 10.0;

/// The path of a file's letter.
pub(super) const fn file_path(file: File) -> &'static str {
    match file {
        File::A => "M6 4V10M6 7A3 3 0 1 1 0 7A3 3 0 1 1 6 7",
        File::B => "M0 0V10M6 7A3 3 0 1 1 0 7A3 3 0 1 1 6 7",
        File::C => "M5.3 5.1A3 3 0 1 0 5.3 8.9",
        File::D => "M6 0V10M6 7A3 3 0 1 1 0 7A3 3 0 1 1 6 7",
        File::E => "M0 7H6A3 3 0 1 0 5.1 9.1",
        File::F => "M5 .2C2.9-.3 2 .7 2 2.5V10M0 4H4.6",
        File::G => "M6 4V10.2A3 3 0 0 1 .6 12M6 7A3 3 0 1 1 0 7A3 3 0 1 1 6 7",
        File::H => "M0 0V10M0 7A3 3 0 0 1 6 7V10",
    }
}

/// The path of a rank's digit.
pub(super) const fn rank_path(rank: Rank) -> &'static str {
    match rank {
        Rank::First => "M1 2L3.6 0V10",
        Rank::Second => "M.3 2.8A2.8 2.8 0 0 1 5.9 2.8C5.9 5.5 1.5 7.5 .2 10H6",
        Rank::Third => {
            "M.5 1.4C2-.6 5.6-.3 5.6 2.4C5.6 4 4.4 4.7 2.6 4.7C4.7 4.7 6 5.6 6 7.2C6 10.3 1.8 10.8 \
             .2 8.6"
        }
        Rank::Fourth => "M4.6 10V0L0 6.8H6.2",
        Rank::Fifth => "M5.5 0H1.2L.7 4.6C2.5 3.4 6 3.6 6 6.7C6 10 2 10.8 .2 8.7",
        Rank::Sixth => "M5 .1C2.5 .6 0 3.5 0 6.9A3 3.1 0 1 0 6 6.9A3 3 0 0 0 .2 6",
        Rank::Seventh => "M.2 0H6L2.3 10",
        Rank::Eighth => {
            "M3 4.6A2.4 2.3 0 1 1 3 0A2.4 2.3 0 1 1 3 4.6A2.9 2.7 0 1 0 3 10A2.9 2.7 0 1 0 3 4.6"
        }
    }
}
