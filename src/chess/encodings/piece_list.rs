//! View `pieces`: the piece list.

use crate::chess::{Color, Position, Role, Square};

/// A piece and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The player it belongs to.
    pub color: Color,
    /// Its kind.
    pub role: Role,
    /// Where it stands.
    pub square: Square,
}

/// All pieces by rising square, a1 being 0.
pub fn piece_list(position: &Position) -> Vec<PlacedPiece> {
    let placed = |square| {
        let piece = position.piece_at(square)?;
        Some(PlacedPiece { color: piece.color(), role: piece.role(), square })
    };
    position.occupied().filter_map(placed).collect()
}
