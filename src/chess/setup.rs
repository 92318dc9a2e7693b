//! A position as somebody describes it, not yet proven legal.

use super::{CastlingRights, Color, Piece, Square};

/// Everything that a FEN says, without any promise that it makes sense. Becomes a
/// [`super::Position`] by
/// [`Setup::validate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What stands on a1, b1 … h8.
    pub board: [Option<Piece>; 64],
    /// Who is to move.
    pub turn: Color,
    /// Who may still castle, and with which rooks.
    pub castling_rights: CastlingRights,
    /// The square that a pawn has just passed with a double step.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move, from 1, raised after Black's.
    pub fullmove_number: u16,
}

impl Setup {
    /// An empty board with White to move.
    pub const EMPTY: Setup = Setup {
        board: [None; 64],
        turn: Color::White,
        castling_rights: CastlingRights::NONE,
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 1,
    };
}
