use resvg::usvg::{Options, Tree};

use super::*;
use crate::chess::{Color, Piece, Position, Setup, Square, parse_fen_setup};

fn picture(fen: &str) -> Picture {
    Picture::new(parse_fen_setup(fen).unwrap().board)
}

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

/// A drawn picture: its pixels, row by row.
struct Pixels {
    side: usize,
    rgba: Vec<u8>,
}

impl Pixels {
    fn of(picture: &Picture) -> Pixels {
        let png = picture.to_svg().to_png().unwrap();
        assert_eq!(png[25], 2, "colours without alpha");
        let pixmap = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
        assert_eq!(pixmap.width(), u32::from(picture.size.pixels()));
        assert_eq!(pixmap.height(), pixmap.width());
        Pixels { side: pixmap.width() as usize, rgba: pixmap.take() }
    }

    /// The colour of a point, whose coordinates are fractions of the side.
    fn at(&self, x: f32, y: f32) -> [u8; 3] {
        let index = |fraction: f32| (fraction * self.side as f32) as usize;
        let start = 4 * (index(y) * self.side + index(x));
        [self.rgba[start], self.rgba[start + 1], self.rgba[start + 2]]
    }

    /// The colour near the upper left corner of the square in this column and row.
    fn corner(&self, column: u8, row: u8) -> [u8; 3] {
        self.at((f32::from(column) + 0.06) / 8.0, (f32::from(row) + 0.06) / 8.0)
    }

    fn centre(&self, column: u8, row: u8) -> [u8; 3] {
        self.at((f32::from(column) + 0.5) / 8.0, (f32::from(row) + 0.5) / 8.0)
    }
}

const LIGHT: [u8; 3] = [0xf0, 0xd9, 0xb5];
const DARK: [u8; 3] = [0xb5, 0x88, 0x63];

#[test]
fn every_position_and_size_is_drawn() {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R",
        "8/8/8/8/8/8/8/8",
        "QQQQQQQQ/QQQQQQQQ/qqqqqqqq/kkkkkkkk/KKKKKKKK/nnnnnnnn/BBBBBBBB/pppppppp",
    ];
    for fen in fens {
        for (size, orientation) in
            [16, 17, 64, 360, 1023, 1024].into_iter().zip(Color::ALL.into_iter().cycle())
        {
            for coordinates in [false, true] {
                let mut picture = picture(fen);
                picture.size = PictureSize::new(size).unwrap();
                picture.orientation = orientation;
                picture.coordinates = coordinates;
                picture.check = Some(Square::E8);
                picture.last_move = Some("e2e4".parse().unwrap());
                picture.arrows = vec!["Re2e4".parse().unwrap(), "a1".parse().unwrap()];
                picture.squares = Square::H1.bitboard();
                let pixels = Pixels::of(&picture);
                assert_eq!(pixels.side, usize::from(size));
                pixels.at(0.0, 0.0);
            }
        }
    }
}

/// Positions of random games.
#[test]
fn every_legal_position_gives_an_svg_that_shows_its_pieces() {
    let mut random = 1_u64;
    for game in 0..40 {
        let mut position = Position::startpos();
        for _ in 0..80 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            position.play(moves.as_slice()[(random >> 33) as usize % moves.len()]);
            let mut picture = Picture::new(position.to_setup().board);
            picture.orientation = Color::ALL[game % 2];
            let svg = picture.to_svg();
            let tree = Tree::from_str(svg.as_str(), &Options::default()).unwrap();
            assert_eq!(tree.size().width(), 360.0);
            let pieces = picture.board.iter().flatten().count();
            assert_eq!(svg.as_str().matches("<use ").count(), pieces, "{}", position.fen());
        }
    }
}

#[test]
fn every_drawing_is_a_part_of_an_svg() {
    for piece in Piece::ALL {
        let drawing = pieces::drawing(piece);
        assert!(drawing.starts_with("<path ") && drawing.ends_with("/>"), "{drawing}");
        assert!(!drawing.contains("svg"), "{drawing}");
        let mut board = [None; 64];
        board[0] = Some(piece);
        let pixels = Pixels::of(&Picture::new(board));
        assert!(![LIGHT, DARK].contains(&pixels.at(0.5 / 8.0, 7.7 / 8.0)), "{piece:?}");
    }
}

#[test]
fn the_lower_left_square_is_dark_and_the_orientation_turns_the_board() {
    let mut picture = picture("8/8/8/8/8/8/8/K7");
    let pixels = Pixels::of(&picture);
    assert_eq!((pixels.corner(0, 7), pixels.corner(0, 0)), (DARK, LIGHT));
    assert!(![LIGHT, DARK].contains(&pixels.centre(0, 7)), "the king is on a1");
    picture.orientation = Color::Black;
    let turned = Pixels::of(&picture);
    assert_eq!((turned.corner(0, 7), turned.centre(0, 7)), (DARK, DARK));
    assert!(![LIGHT, DARK].contains(&turned.centre(7, 0)), "a1 is at the upper right");
}

#[test]
fn each_theme_has_its_colours() {
    for (theme, light, dark_moved) in [
        (Theme::LichessBrown, LIGHT, [0xaa, 0xa2, 0x3b]),
        (Theme::LichessBlue, [0xde, 0xe3, 0xe6], [0x92, 0xb1, 0x67]),
        (Theme::Wikipedia, [0xff, 0xce, 0x9e], [0xaa, 0xa2, 0x3b]),
    ] {
        let mut picture = picture("8/8/8/8/8/8/8/8");
        picture.theme = theme;
        picture.last_move = Some("a1h8".parse().unwrap());
        let pixels = Pixels::of(&picture);
        assert_eq!(pixels.centre(1, 7), light, "{theme:?}");
        assert_eq!((pixels.centre(0, 7), pixels.centre(7, 0)), (dark_moved, dark_moved));
    }
}

#[test]
fn a_check_is_red_and_fades_to_the_edge() {
    let mut picture = picture("8/8/8/8/8/8/8/8");
    picture.check = Some(Square::A1);
    let pixels = Pixels::of(&picture);
    let [red, green, blue] = pixels.centre(0, 7);
    assert!(red > 220 && green < 20 && blue < 20, "{red} {green} {blue}");
    let corner = pixels.at(0.01 / 8.0, 7.01 / 8.0);
    assert!(corner.iter().zip(DARK).all(|(&found, dark)| found.abs_diff(dark) < 30), "{corner:?}");
}

#[test]
fn arrows_circles_and_crosses_have_their_colours() {
    let mut picture = picture("8/8/8/8/8/8/8/8");
    picture.arrows =
        ["a1a8", "Rb1b8", "Yc1c8", "Bd1d8", "Ge1"].map(|text| text.parse().unwrap()).to_vec();
    picture.squares = Square::H1.bitboard();
    let pixels = Pixels::of(&picture);
    // Below the fifth rank the shafts are on light and dark squares alike.
    let is_bright = |[red, green, blue]: [u8; 3]| {
        let max = red.max(green).max(blue);
        [red == max, green == max, blue == max]
    };
    assert!(pixels.centre(0, 4)[1] > pixels.centre(0, 4)[2]);
    assert_ne!(pixels.centre(0, 4), LIGHT);
    for column in 0..4 {
        assert_ne!(pixels.centre(column, 4), pixels.corner(column, 4), "column {column}");
    }
    assert_eq!(is_bright(pixels.centre(2, 5)), [true, false, false], "yellow on a dark square");
    let [red, _, blue] = pixels.centre(3, 4);
    assert!(blue > red, "blue");
    assert_eq!(pixels.centre(4, 7), DARK, "a circle is empty");
    assert_eq!(pixels.centre(7, 7), [0, 0, 0], "a cross");
}

#[test]
fn arrows_are_read() {
    let arrow = |text: &str| text.parse::<Arrow>();
    let (g8, e6, h7) = (square("g8"), square("e6"), square("h7"));
    for (text, tail, head, color) in [
        ("Ge6g8", e6, g8, ArrowColor::Green),
        ("e6g8", e6, g8, ArrowColor::Green),
        ("Bh7", h7, h7, ArrowColor::Blue),
        ("Rh7h7", h7, h7, ArrowColor::Red),
        ("Yg8e6", g8, e6, ArrowColor::Yellow),
    ] {
        assert_eq!(arrow(text), Ok(Arrow { tail, head, color }), "{text}");
    }
    for text in ["", "G", "e", "e9", "Ge6g", "Ge6g8q", "Pe6g8", "ge6", "é6", "Gé6", "e6é"] {
        assert_eq!(arrow(text), Err(ParseArrowError), "{text}");
    }
}

#[test]
fn moves_are_read() {
    let (e2, e4) = (square("e2"), square("e4"));
    assert_eq!("e2e4".parse(), Ok(MarkedMove { from: e2, to: e4 }));
    assert!("e7e8q".parse::<MarkedMove>().is_ok());
    for text in ["", "e2", "e2e", "e2e2", "e2e9", "e7e8k", "e7e8qq", "0000", "Nf3", "é2e4", "e2e4é"]
    {
        assert_eq!(text.parse::<MarkedMove>(), Err(ParseMarkedMoveError), "{text}");
    }
}

#[test]
fn a_castling_move_marks_the_squares_of_the_king() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1").unwrap();
    for (text, from, to) in [("O-O", "e8", "g8"), ("O-O-O", "e8", "c8"), ("Rg8", "h8", "g8")] {
        let mv = crate::chess::parse_move(&position, text).unwrap();
        let marked = MarkedMove::of_move(mv, position.turn());
        assert_eq!(marked, MarkedMove { from: square(from), to: square(to) }, "{text}");
    }
}

#[test]
fn a_picture_of_several_strips_has_no_seams() {
    let mut picture =
        picture("rnbqkbnr/pppppppp/QQQQQQQQ/KKKKKKKK/kkkkkkkk/qqqqqqqq/PPPPPPPP/RNBQKBNR");
    picture.size = PictureSize::new(1024).unwrap();
    picture.coordinates = true;
    picture.arrows = vec!["a1h8".parse().unwrap(), "Rb8g1".parse().unwrap()];
    picture.check = Some(square("d5"));
    let svg = picture.to_svg();
    let tree = Tree::from_str(svg.as_str(), &Options::default()).unwrap();
    let mut whole = resvg::tiny_skia::Pixmap::new(1024, 1024).unwrap();
    resvg::render(&tree, resvg::tiny_skia::Transform::identity(), &mut whole.as_mut());
    let in_strips = Pixels::of(&picture).rgba;
    let differences =
        || in_strips.iter().zip(whole.data()).map(|(one, other)| one.abs_diff(*other));
    // Edges that a strip cuts are rounded in another way.
    let (worst, count) = (differences().max().unwrap(), differences().filter(|it| *it > 8).count());
    assert!(worst <= 64 && count <= 1_000, "{count} values differ, at most by {worst}");
    assert!(whole.data().chunks(4).all(|pixel| pixel[3] == 255), "a picture is opaque");
}

#[test]
fn sizes_are_bounded() {
    for (pixels, is_valid) in [(0, false), (15, false), (16, true), (1024, true), (1025, false)] {
        assert_eq!(PictureSize::new(pixels).is_some(), is_valid, "{pixels}");
    }
    assert_eq!(PictureSize::default().pixels(), 360);
}

#[test]
fn the_board_of_the_description_is_that_of_the_picture() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R";
    let svg = picture(fen).to_svg();
    assert!(svg.as_str().contains(&format!("<desc>Chess board: {fen}</desc>")));
    assert_eq!(Setup::EMPTY.board_fen(), "8/8/8/8/8/8/8/8");
}
