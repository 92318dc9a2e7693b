//! A board as lines of text.

use console::Style;

use super::screen::Screen;
use crate::chess::{Color, File, Piece, Position, Rank, Role, Square};

/// Colours of a palette of 256. Both kinds of pieces have a contrast of at least 3 to 1 on both
/// kinds of squares.
const LIGHT_SQUARE: u8 = 137;
const DARK_SQUARE: u8 = 95;
const CHECKED_SQUARE: u8 = 124;
const WHITE_PIECE: u8 = 231;
const BLACK_PIECE: u8 = 16;

/// The lines of a board: eight ranks and the names of the files.
pub fn draw_board(position: &Position, bottom: Color, screen: &Screen) -> Vec<String> {
    let order: Vec<u8> = if bottom.is_white() { (0..8).collect() } else { (0..8).rev().collect() };
    let mut lines: Vec<String> = order
        .iter()
        .rev()
        .map(|&rank| {
            let name = screen.dim(&format!(" {} ", rank + 1));
            let squares = order.iter().map(|&file| {
                let square = Square::new(File::from_index(file), Rank::from_index(rank));
                draw_square(position, square, screen)
            });
            std::iter::once(name).chain(squares).collect()
        })
        .collect();
    let end = if screen.has_colours() { " " } else { "" };
    let files = order.iter().map(|&file| format!(" {}{end}", File::from_index(file).letter()));
    lines.push(screen.dim(&format!("   {}", files.collect::<String>())));
    lines
}

fn draw_square(position: &Position, square: Square, screen: &Screen) -> String {
    let piece = position.piece_at(square);
    if !screen.has_colours() {
        return format!(" {}", piece.map_or('.', Piece::letter));
    }
    let is_light = (square.file() as u8 + square.rank() as u8) % 2 == 1;
    let is_checked = position.checked_king() == Some(square);
    let background = match (is_checked, is_light) {
        (true, _) => CHECKED_SQUARE,
        (false, true) => LIGHT_SQUARE,
        (false, false) => DARK_SQUARE,
    };
    let foreground = match piece.map(Piece::color) {
        Some(Color::White) => WHITE_PIECE,
        _ => BLACK_PIECE,
    };
    let symbol = piece.map_or(' ', |piece| match screen.has_figures() {
        true => figure(piece.role()),
        false => piece.letter(),
    });
    let style = Style::new().color256(foreground).on_color256(background);
    screen.paint(style.bold(), &format!(" {symbol} "))
}

/// The filled figure, which the colour makes white or black.
const fn figure(role: Role) -> char {
    match role {
        Role::Pawn => '♟',
        Role::Knight => '♞',
        Role::Bishop => '♝',
        Role::Rook => '♜',
        Role::Queen => '♛',
        Role::King => '♚',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "4k3/8/8/8/8/8/4P3/R3K3 b - - 0 1";

    fn drawn(fen: &str, bottom: Color, screen: &Screen) -> Vec<String> {
        draw_board(&Position::from_fen(fen).unwrap(), bottom, screen)
    }

    #[test]
    fn a_pipe_gets_letters() {
        let lines = drawn(FEN, Color::White, &Screen::fake(false, false));
        assert_eq!(lines[0], " 8  . . . . k . . .");
        assert_eq!(lines[7], " 1  R . . . K . . .");
        assert_eq!(lines[8], "    a b c d e f g h");
        let turned = drawn(FEN, Color::Black, &Screen::fake(false, false));
        assert_eq!(turned[0], " 1  . . . K . . . R");
        assert_eq!(turned[8], "    h g f e d c b a");
    }

    #[test]
    fn colours_tell_sides_and_squares_apart() {
        let lines = drawn(FEN, Color::White, &Screen::fake(true, true));
        // a1 is dark, e8 is light.
        assert!(lines[7].contains("\x1b[38;5;231m\x1b[48;5;95m\x1b[1m ♜ "), "{:?}", lines[7]);
        assert!(lines[0].contains("\x1b[38;5;16m\x1b[48;5;137m\x1b[1m ♚ "), "{:?}", lines[0]);
        let letters = drawn(FEN, Color::White, &Screen::fake(true, false));
        assert!(letters[7].contains(" R ") && letters[0].contains(" k "));
        let checked =
            drawn("4k3/8/8/8/8/8/8/K3R3 b - - 0 1", Color::White, &Screen::fake(true, true));
        assert!(checked[0].contains("\x1b[48;5;124m"), "{:?}", checked[0]);
    }
}
