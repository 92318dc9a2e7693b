//! Moves in 16 bits, the move list that the move generator fills, and the error of reading a move.

use std::fmt;

use super::{CastlingSide, Color, Role, Square, castled_king_square};

/// A move in the frozen 16-bit code: bits 10–15 from, bits 4–9 to, bit 3 promotion, bit 2 capture,
/// bits 0–1 the kind.
///
/// For castling, `to` is the square that the king castles to, also in Chess960. There it may equal
/// `from`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

/// The kind of a move: the low four bits of a [`Move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
pub enum MoveKind {
    Quiet = 0,
    DoublePush = 1,
    CastleShort = 2,
    CastleLong = 3,
    Capture = 4,
    EnPassant = 5,
    PromoteKnight = 8,
    PromoteBishop = 9,
    PromoteRook = 10,
    PromoteQueen = 11,
    CapturePromoteKnight = 12,
    CapturePromoteBishop = 13,
    CapturePromoteRook = 14,
    CapturePromoteQueen = 15,
}

const CAPTURE: u16 = 4;
const PROMOTION: u16 = 8;

impl Move {
    /// The null move. It is never legal.
    pub const NULL: Move = Move(0);

    /// A move of a kind.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        Move((from.index() as u16) << 10 | (to.index() as u16) << 4 | kind as u16)
    }

    /// A promotion to a knight, bishop, rook or queen. A pawn or king as `role` means a queen.
    #[inline]
    pub const fn new_promotion(from: Square, to: Square, role: Role, capture: bool) -> Move {
        let piece = match role {
            Role::Knight => 0,
            Role::Bishop => 1,
            Role::Rook => 2,
            _ => 3,
        };
        Move(
            (from.index() as u16) << 10
                | (to.index() as u16) << 4
                | PROMOTION
                | (capture as u16 * CAPTURE)
                | piece,
        )
    }

    /// The castling move of a king on `from`.
    pub(super) const fn new_castling(from: Square, color: Color, side: CastlingSide) -> Move {
        let kind = match side {
            CastlingSide::King => MoveKind::CastleShort,
            CastlingSide::Queen => MoveKind::CastleLong,
        };
        Move::new(from, castled_king_square(color, side), kind)
    }

    /// The move with a code. Every number is accepted: check it with [`super::Position::is_legal`]
    /// before you play it.
    #[inline]
    pub const fn from_code(code: u16) -> Move {
        Move(code)
    }

    /// The 16-bit code.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0
    }

    /// `true` for the null move.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The square that the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index((self.0 >> 10) as u8)
    }

    /// The square that the piece moves to; for castling, the square that the king castles to.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 4) as u8)
    }

    /// The role that a pawn promotes to.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        if self.0 & PROMOTION == 0 { None } else { Some(Role::PROMOTIONS[(self.0 & 3) as usize]) }
    }

    /// `true` for a promotion.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// `true` for a capture, en passant included.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 & CAPTURE != 0
    }

    /// `true` for captures and promotions: the moves that change the material.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        self.0 & (CAPTURE | PROMOTION) != 0
    }

    /// `true` for an en passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & 15 == MoveKind::EnPassant as u16
    }

    /// `true` for a pawn move of two squares.
    #[inline]
    pub const fn is_double_push(self) -> bool {
        self.0 & 15 == MoveKind::DoublePush as u16
    }

    /// The side that the king castles to; `None` when the move is not castling.
    #[inline]
    pub const fn castling_side(self) -> Option<CastlingSide> {
        match self.0 & 15 {
            2 => Some(CastlingSide::King),
            3 => Some(CastlingSide::Queen),
            _ => None,
        }
    }

    /// `true` for castling.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 & 14 == 2
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({}{} #{})", self.from(), self.to(), self.0 & 15)
    }
}

/// The capacity of a [`MoveList`]. No legal position has more than 218 moves (Chess Programming
/// Wiki, "Chess Position").
pub const MAX_MOVES: usize = 256;

/// A list of moves on the stack.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; MAX_MOVES],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> MoveList {
        MoveList { moves: [Move::NULL; MAX_MOVES], len: 0 }
    }

    /// Appends a move. A full list drops it, but no position fills the list.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// The moves as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len.min(MAX_MOVES)]
    }

    /// The moves as a slice that can be reordered.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.moves[..self.len.min(MAX_MOVES)]
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter().copied()
    }
}

/// The reason why a text is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseMoveError {
    /// The text is neither UCI nor SAN.
    NotAMove,
    /// The text matches more than one legal move.
    Ambiguous,
    /// The text matches no legal move.
    NotLegal,
}

impl ParseMoveError {
    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            ParseMoveError::NotAMove => "not_a_move",
            ParseMoveError::Ambiguous => "ambiguous",
            ParseMoveError::NotLegal => "not_legal",
        }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseMoveError::NotAMove => "the text is neither UCI nor SAN",
            ParseMoveError::Ambiguous => "the text matches more than one legal move",
            ParseMoveError::NotLegal => "the text matches no legal move",
        })
    }
}

impl std::error::Error for ParseMoveError {}
