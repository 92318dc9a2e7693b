//! Pictures of boards: a position and what to mark on it, as SVG and as PNG.
//!
//! ```
//! use kibitzer::chess::{Color, Position};
//! use kibitzer::render::Picture;
//!
//! let mut picture = Picture::new(Position::startpos().to_setup().board);
//! picture.orientation = Color::Black;
//! picture.arrows = vec!["Ge2e4".parse().expect("an arrow")];
//! let svg = picture.to_svg();
//! assert!(svg.as_str().starts_with("<svg "));
//! assert!(svg.to_png().expect("a picture").starts_with(b"\x89PNG"));
//! ```

mod arrow;
mod glyphs;
mod marked_move;
mod picture;
mod pieces;
mod png;
mod svg;
mod theme;

#[cfg(test)]
mod tests;

pub use arrow::{Arrow, ArrowColor, ParseArrowError};
pub use marked_move::{MarkedMove, ParseMarkedMoveError};
pub use picture::{Picture, PictureSize};
pub use png::{DRAWING_BYTES, DrawError};
pub use svg::BoardSvg;
pub use theme::Theme;
