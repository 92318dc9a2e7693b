//! The SVG of a picture, written as text. All of it comes from typed values, so nothing needs to be
//! escaped.

use std::fmt::{self, Write as _};

use super::glyphs::{GLYPH_HEIGHT, GLYPH_WIDTH, file_path, rank_path};
use super::pieces::{DRAWING_SIZE, drawing};
use super::{Arrow, Picture, PictureSize};
use crate::chess::{Color, File, Piece, Rank, Setup, Square};

/// The side of a square: that of a drawing, so that pieces are not scaled.
const SQUARE: i32 = DRAWING_SIZE;
const BOARD: i32 = 8 * SQUARE;

/// The margin for coordinates, their scale and colours.
const MARGIN: i32 = 24;
const GLYPH_SCALE: f32 = 1.3;
const MARGIN_COLOR: &str = "#212121";
const GLYPH_COLOR: &str = "#e5e5e5";

/// The picture of a board in SVG. It needs no font and no other file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSvg {
    text: String,
    size: PictureSize,
}

impl Picture {
    /// The picture in SVG.
    pub fn to_svg(&self) -> BoardSvg {
        let mut writer = SvgWriter { picture: self, text: String::with_capacity(24 << 10) };
        // Writing to a string does not fail.
        let _ = writer.write();
        BoardSvg { text: writer.text, size: self.size }
    }
}

impl BoardSvg {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Width and height.
    pub fn size(&self) -> PictureSize {
        self.size
    }
}

struct SvgWriter<'a> {
    picture: &'a Picture,
    text: String,
}

impl SvgWriter<'_> {
    fn write(&mut self) -> fmt::Result {
        let margin = if self.picture.coordinates { MARGIN } else { 0 };
        let (pixels, side) = (self.picture.size.pixels(), BOARD + 2 * margin);
        write!(
            self.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \
             xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             width=\"{pixels}\" height=\"{pixels}\" \
             viewBox=\"{} {} {side} {side}\">",
            -margin, -margin
        )?;
        let setup = Setup { board: self.picture.board, ..Setup::EMPTY };
        write!(self.text, "<desc>Chess board: {}</desc>", setup.board_fen())?;
        self.write_definitions()?;
        if margin > 0 {
            self.write_coordinates(side)?;
        }
        self.write_squares()?;
        self.write_pieces()?;
        for square in self.picture.squares {
            let (x, y) = self.corner(square);
            write!(self.text, "<use xlink:href=\"#cross\" x=\"{x}\" y=\"{y}\"/>")?;
        }
        for arrow in &self.picture.arrows {
            self.write_arrow(*arrow)?;
        }
        self.text.write_str("</svg>\n")
    }

    /// The drawings that the picture uses.
    fn write_definitions(&mut self) -> fmt::Result {
        self.text.write_str("<defs>")?;
        let pieces = self.picture.board;
        for piece in Piece::ALL.into_iter().filter(|piece| pieces.contains(&Some(*piece))) {
            write!(self.text, "<g id=\"{}\">{}</g>", PieceId(piece), drawing(piece))?;
        }
        if self.picture.check.is_some() {
            self.text.write_str(
                "<radialGradient id=\"check\" r=\"0.6\"><stop offset=\"0\" stop-color=\"#f00\"/>\
                 <stop offset=\"0.35\" stop-color=\"#e70000\"/>\
                 <stop offset=\"1\" stop-color=\"#9e0000\" stop-opacity=\"0\"/></radialGradient>",
            )?;
        }
        if !self.picture.squares.is_empty() {
            self.text.write_str(
                "<g id=\"cross\" fill=\"none\" stroke-linecap=\"round\">\
                 <path stroke=\"#fff\" stroke-width=\"9\" d=\"M15 15L49 49M49 15L15 49\"/>\
                 <path stroke=\"#000\" stroke-width=\"5\" d=\"M15 15L49 49M49 15L15 49\"/></g>",
            )?;
        }
        self.text.write_str("</defs>")
    }

    fn write_coordinates(&mut self, side: i32) -> fmt::Result {
        write!(
            self.text,
            "<path fill=\"{MARGIN_COLOR}\" d=\"M-{MARGIN}-{MARGIN}h{side}v{side}h-{side}z\"/>\
             <g fill=\"none\" stroke=\"{GLYPH_COLOR}\" stroke-width=\"1.3\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\">"
        )?;
        let half = |length: i32| length as f32 / 2.0;
        let edges = [-half(MARGIN), BOARD as f32 + half(MARGIN)];
        for file in File::ALL {
            let (x, _) = self.corner(Square::new(file, Rank::First));
            for y in edges {
                self.write_glyph(file_path(file), x as f32 + half(SQUARE), y)?;
            }
        }
        for rank in Rank::ALL {
            let (_, y) = self.corner(Square::new(File::A, rank));
            for x in edges {
                self.write_glyph(rank_path(rank), x, y as f32 + half(SQUARE))?;
            }
        }
        self.text.write_str("</g>")
    }

    /// A glyph with this centre.
    fn write_glyph(&mut self, path: &str, x: f32, y: f32) -> fmt::Result {
        let (x, y) = (x - GLYPH_SCALE * GLYPH_WIDTH / 2.0, y - GLYPH_SCALE * GLYPH_HEIGHT / 2.0);
        write!(
            self.text,
            "<path transform=\"translate({x:.1} {y:.1}) scale({GLYPH_SCALE})\" d=\"{path}\"/>"
        )
    }

    /// The squares. Their edges are sharp at any size.
    fn write_squares(&mut self) -> fmt::Result {
        let colors = self.picture.theme.squares();
        write!(
            self.text,
            "<g shape-rendering=\"crispEdges\"><path fill=\"{}\" d=\"M0 0h{BOARD}v{BOARD}h-{BOARD}\
             z\"/><path fill=\"{}\" d=\"",
            colors.light, colors.dark
        )?;
        for square in Square::all().filter(|square| is_dark(*square)) {
            self.write_outline(square)?;
        }
        self.text.write_str("\"/>")?;
        for square in self.picture.last_move.into_iter().flat_map(|mv| [mv.from, mv.to]) {
            let color = if is_dark(square) { colors.dark_moved } else { colors.light_moved };
            write!(self.text, "<path fill=\"{color}\" d=\"")?;
            self.write_outline(square)?;
            self.text.write_str("\"/>")?;
        }
        self.text.write_str("</g>")?;
        if let Some(square) = self.picture.check {
            self.text.write_str("<path fill=\"url(#check)\" d=\"")?;
            self.write_outline(square)?;
            self.text.write_str("\"/>")?;
        }
        Ok(())
    }

    fn write_outline(&mut self, square: Square) -> fmt::Result {
        let (x, y) = self.corner(square);
        write!(self.text, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
    }

    fn write_pieces(&mut self) -> fmt::Result {
        for square in Square::all() {
            if let Some(piece) = self.picture.board[square.index()] {
                let (x, y) = self.corner(square);
                let id = PieceId(piece);
                write!(self.text, "<use xlink:href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>")?;
            }
        }
        Ok(())
    }

    fn write_arrow(&mut self, arrow: Arrow) -> fmt::Result {
        let (color, opacity) = arrow.color.paint();
        let (x, y) = self.centre(arrow.head);
        if arrow.head == arrow.tail {
            return write!(
                self.text,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"28.8\" fill=\"none\" stroke=\"{color}\" \
                 stroke-opacity=\"{opacity}\" stroke-width=\"6.4\"/>"
            );
        }
        /// Half the width of the shaft, half the width and the length of the tip, and the distance
        /// of the tip from the centre of the square.
        const SHAFT: f32 = 6.4;
        const TIP_WIDTH: f32 = 22.0;
        const TIP_LENGTH: f32 = 40.0;
        const TIP_DISTANCE: f32 = 6.4;
        let (tail_x, tail_y) = self.centre(arrow.tail);
        let (dx, dy) = (x - tail_x, y - tail_y);
        let length = dx.hypot(dy);
        let (dx, dy) = (dx / length, dy / length);
        let tip = length - TIP_DISTANCE;
        let neck = tip - TIP_LENGTH;
        // One outline, so that a translucent arrow has one colour. Each corner has its distances
        // along the arrow and to its side.
        let corners = [
            (0.0, SHAFT),
            (neck, SHAFT),
            (neck, TIP_WIDTH),
            (tip, 0.0),
            (neck, -TIP_WIDTH),
            (neck, -SHAFT),
            (0.0, -SHAFT),
        ];
        write!(self.text, "<path fill=\"{color}\" fill-opacity=\"{opacity}\" d=\"")?;
        for (index, (along, aside)) in corners.into_iter().enumerate() {
            let (x, y) = (tail_x + along * dx - aside * dy, tail_y + along * dy + aside * dx);
            let command = if index == 0 { 'M' } else { 'L' };
            write!(self.text, "{command}{x:.1} {y:.1}")?;
        }
        self.text.write_str("z\"/>")
    }

    /// The upper left corner of a square.
    fn corner(&self, square: Square) -> (i32, i32) {
        let (file, rank) = (square.file() as i32, square.rank() as i32);
        match self.picture.orientation {
            Color::White => (SQUARE * file, SQUARE * (7 - rank)),
            Color::Black => (SQUARE * (7 - file), SQUARE * rank),
        }
    }

    fn centre(&self, square: Square) -> (f32, f32) {
        let (x, y) = self.corner(square);
        ((x + SQUARE / 2) as f32, (y + SQUARE / 2) as f32)
    }
}

/// The identifier of a drawing, such as `wK`.
struct PieceId(Piece);

impl fmt::Display for PieceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.color().letter(), self.0.role().upper_letter())
    }
}

/// Whether a square is dark, as a1 is.
fn is_dark(square: Square) -> bool {
    (square.file() as u8 + square.rank() as u8).is_multiple_of(2)
}
