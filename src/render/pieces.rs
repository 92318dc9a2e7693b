//! The drawings of the pieces: the set `flat` of the project (web/pieces/README.md names author and
//! licence).

use crate::chess::{Color, Piece, Role};

/// The width and height of a drawing.
pub(super) const DRAWING_SIZE: i32 = 64;

/// The elements of the drawing of a piece.
pub(super) fn drawing(piece: Piece) -> &'static str {
    let svg = svg(piece);
    // Only the outermost element is left out. A test reads all drawings.
    let start = svg.find('>').map_or(0, |end| end + 1);
    let end = svg.rfind("</svg>").unwrap_or(svg.len());
    svg.get(start..end).unwrap_or_default()
}

const fn svg(piece: Piece) -> &'static str {
    match (piece.color(), piece.role()) {
        (Color::White, Role::Pawn) => include_str!("../../web/pieces/flat/wP.svg"),
        (Color::White, Role::Knight) => include_str!("../../web/pieces/flat/wN.svg"),
        (Color::White, Role::Bishop) => include_str!("../../web/pieces/flat/wB.svg"),
        (Color::White, Role::Rook) => include_str!("../../web/pieces/flat/wR.svg"),
        (Color::White, Role::Queen) => include_str!("../../web/pieces/flat/wQ.svg"),
        (Color::White, Role::King) => include_str!("../../web/pieces/flat/wK.svg"),
        (Color::Black, Role::Pawn) => include_str!("../../web/pieces/flat/bP.svg"),
        (Color::Black, Role::Knight) => include_str!("../../web/pieces/flat/bN.svg"),
        (Color::Black, Role::Bishop) => include_str!("../../web/pieces/flat/bB.svg"),
        (Color::Black, Role::Rook) => include_str!("../../web/pieces/flat/bR.svg"),
        (Color::Black, Role::Queen) => include_str!("../../web/pieces/flat/bQ.svg"),
        (Color::Black, Role::King) => include_str!("../../web/pieces/flat/bK.svg"),
    }
}
