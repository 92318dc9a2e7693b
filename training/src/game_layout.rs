//! The layout of viriformat game files.
//!
//! A game is a packed board of [`PACKED_BYTES`], its start position, then [`MOVE_BYTES`] for
//! each move with its score, and as many zeros at the end. The crate `viriformat` defines the
//! format.

/// Bytes of a packed board.
pub const PACKED_BYTES: usize = 32;

/// Offset of the pieces: half a byte each, in the order of their squares. The eight bytes before
/// them are the occupied squares.
pub const PIECES_OFFSET: usize = 8;
/// Offset of the state that follows the pieces. Its first byte has the side to move (bit 7) and the
/// en passant square.
pub const STATE_OFFSET: usize = 24;
/// Offset of the half-move clock.
pub const CLOCK_OFFSET: usize = 25;
/// Offset of the full-move number.
pub const FULLMOVE_NUMBER_OFFSET: usize = 26;
/// Offset of the result: 0 Black won, 1 draw, 2 White won.
pub const RESULT_OFFSET: usize = 30;

/// The code of a rook that may castle. The others are the role's number, pawn 0 to king 5.
pub const UNMOVED_ROOK: u8 = 6;
/// The bit of Black's pieces.
pub const BLACK_BIT: u8 = 8;
/// The code of no en passant square.
pub const NO_SQUARE: u8 = 64;

/// Bytes of one move with its score.
pub const MOVE_BYTES: usize = 4;

/// The number of moves that the bytes after a start position begin with; `None` without the end of
/// the game.
#[must_use]
pub fn move_count(after_start: &[u8]) -> Option<usize> {
    after_start.chunks_exact(MOVE_BYTES).position(|entry| entry == [0; MOVE_BYTES])
}
